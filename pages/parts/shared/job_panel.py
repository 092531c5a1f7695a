"""A job as people watch it: what it is doing, how far it is, what it said, and a way to stop it."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import db.jobs
import db.rows
from annotate.gold import sample
from annotate.jobs import lifecycle
from annotate.jobs.kinds import KINDS
from annotate.project.home import look_up
from db.tables import Job
from db.values import JobState
from pages.parts.frame.messages import draw_again
from pages.parts.frame.page import open_to_me
from pages.parts.frame.rows import words_and_action
from pages.parts.frame.text import shown
from pages.parts.shared.aloud import read_aloud
from pages.parts.shared.tables import text_table


def start_job(kind: str, payload: dict[str, Any]) -> None:
    """Starts a job; a second one of its kind is refused with a word to the user. For callbacks."""
    job_started(kind, payload)


def job_started(kind: str, payload: dict[str, Any]) -> bool:
    """Starts a job; returns whether it was started, and tells the person where one of its kind runs already."""
    try:
        lifecycle.start(kind, payload)
    except lifecycle.AlreadyRunning:
        st.toast(f"{KINDS[kind].title} is running already; a second one was not started.", icon=":material/info:")
        return False
    return True


def sample_button(place: DeltaGenerator, **more: Any) -> None:
    """The button that loads the sample corpus."""
    place.button("Load the sample corpus", on_click=start_job, args=("import", sample.PAYLOAD), **more)


def latest_job(kind: str) -> Job | None:
    """The newest job of a kind, after rows of dead processes were ended."""
    lifecycle.reap()
    return look_up(db.rows.find, Job, kind=kind)


def job_panel(
    kinds: Sequence[str], *, ended: bool = True, within: str = "", news: Callable[[], bool] = lambda: False
) -> None:
    """Shows the newest job of each kind; polls once a second while one is active, then reruns the page once.

    It reruns the page before, too, once there is `news` that the page shows.

    A job that failed or was cancelled is shown until another one of its kind is started, also while others run. It is
    not shown where the page tells elsewhere how jobs `ended`. All of it stands in one container: what comes below keeps
    its place, and is not on the screen twice while the page is drawn again. `within` names a panel that lies over a
    page, which may show the same job.
    """
    found = [job for kind in kinds if (job := latest_job(kind))]
    active = {job.id for job in found if job.state in db.jobs.ACTIVE}
    read_aloud(". ".join(f"{KINDS[job.kind].title}: {job.state}" for job in found), key=f"jobs_{'_'.join(kinds)}")
    with st.container():
        if active:
            st.fragment(_watch, run_every=1.0)(kinds, active, open_to_me(), within, news)
        for job in found if ended else []:
            title = KINDS[job.kind].title
            if job.state == JobState.FAILED:
                st.error(f"{title} failed: {shown(job.error or 'no reason given')}", icon=":material/error:")
            elif job.state == JobState.CANCELLED:
                st.warning(f"{title} was cancelled.", icon=":material/cancel:")


def _watch(
    kinds: Sequence[str], active: set[int], open_before: set[str], within: str, news: Callable[[], bool]
) -> None:
    if open_to_me() != open_before:  # it runs without its page, which asks who may be here
        draw_again()
    found = [job for kind in kinds if (job := latest_job(kind))]
    if news() or any(job.id in active and job.state not in db.jobs.ACTIVE for job in found):
        draw_again()
    for job in found:
        if job.state in db.jobs.ACTIVE:
            _running(job, within)


def job_note(place: DeltaGenerator, kind: str) -> None:
    """A job that runs in a few words within `place`, where a page must not move; one that ended is not shown."""
    job = latest_job(kind)
    if job and job.state in db.jobs.ACTIVE:
        with place.container(width="content", key=f"note_{kind}"):
            st.fragment(_note, run_every=1.0)(kind, job.id)


def _note(kind: str, job_id: int) -> None:
    job = latest_job(kind)
    if job is None or job.id != job_id or job.state not in db.jobs.ACTIVE:
        draw_again()
    stage, _, numbers = _progress(job)
    st.caption(f":material/hourglass_top: {KINDS[kind].title}: {stage}", help=numbers)


def _running(job: Job, within: str) -> None:
    stage, share, numbers = _progress(job)
    mine = look_up(lifecycle.may_cancel, job)
    with st.container(border=True, key=f"job_{job.kind}{within}"):
        text, button = words_and_action()
        text.markdown(f"**{KINDS[job.kind].title}** · {stage}")
        button.button(
            "Stopping…" if job.cancel_requested else "Cancel",
            key=f"cancel_{job.id}{within}",
            disabled=job.cancel_requested or not mine,
            on_click=lifecycle.cancel,
            args=(job.id,),
        )
        st.progress(share, text=numbers)


def _progress(job: Job) -> tuple[str, float, str]:
    """(what it is doing, the share that is done, the numbers in words) of a job that runs."""
    progress = job.progress or {"stage": "starting", "done": 0, "total": 0}
    done, total = progress["done"], progress["total"]
    parts = [f"{done:,.0f} of {total:,.0f}" if total else f"{done:,.0f} done" if done else "…"]
    numbers = {"loss": "loss {:.4f}", "pairs_per_second": "{:,.0f} pairs/s", "seconds_left": "{:,.0f} s left"}
    parts += [words.format(progress[name]) for name, words in numbers.items() if progress.get(name) is not None]
    if "device" in progress:
        parts.append(progress["device"])
    if job.attempts > 1:
        resumed = f", resumed at step {progress['resumed_at_step']:,}" if "resumed_at_step" in progress else ""
        parts.append(f"attempt {job.attempts} of {lifecycle.ATTEMPTS}{resumed}")
    return shown(progress["stage"]), min(1.0, done / total) if total else 0.0, " · ".join(parts)


def failures(kind: str, what: str) -> None:
    """What failed of the last job of this kind, where others did not; `what` is what its parts are called."""
    job = latest_job(kind)
    if job and job.state == JobState.DONE and (failed := job.result.get("failed")):
        every = f" of {job.result['runs']}" if "runs" in job.result else ""
        st.warning(f"{len(failed)}{every} {what} failed.", icon=":material/warning:")
        text_table(failed, "What failed")


def job_logs(kinds: Sequence[str]) -> None:
    """What the newest jobs of these kinds printed, for the foot of a page; nothing of one that went well."""
    for kind in kinds:
        job = latest_job(kind)
        if job and job.state != JobState.DONE and (log := lifecycle.log_tail(job.id).strip()):
            with st.expander(
                f"Log: {KINDS[kind].title.lower()}, job {job.id}, {job.state}", icon=":material/terminal:"
            ):
                st.code(log, language=None)
