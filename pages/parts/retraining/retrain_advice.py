"""What has changed since the last training, whether another is worth it, and when one begins by itself."""

from datetime import datetime
from typing import Any

import streamlit as st

import db.jobs
import db.rows
from annotate.evaluation.metric_labels import change_written
from annotate.gold.label_sets import LabelSet
from annotate.project.acting import current_actor
from annotate.project.home import read
from annotate.project.stored_settings import change_settings, settings_now
from annotate.project.words import count_of
from annotate.retraining.advice import Advice, Change, Effect, Worth, advise
from annotate.retraining.auto_retrain import decide
from annotate.retraining.retrain_policy import Gate, RetrainPolicy, When
from db.tables import Job
from db.values import JobState
from model.checked_settings import bounds
from pages.parts.frame.text import shown
from pages.parts.frame.told import told
from pages.parts.retraining.retrain_charts import changes_by_split, learning_curve
from pages.parts.shared.figures import show_figure

ICONS = {
    Worth.NOTHING: ":material/check:",
    Worth.LITTLE: ":material/hourglass_empty:",
    Worth.SOME: ":material/trending_up:",
    Worth.WORTH: ":material/lightbulb:",
}
BEGINS = {When.CLICK: "only by a click", When.AFTER: "after new verdicts", When.NIGHT: "at night"}
PROMOTES = {Gate.HUMAN: "by a person", Gate.BETTER: "by the gate, where surely better"}
ENDS: dict[str, str] = {
    JobState.DONE: "done",
    JobState.FAILED: "failed",
    JobState.CANCELLED: "was cancelled",
    JobState.RUNNING: "is running",
    JobState.QUEUED: "waits",
}


def advice_line(label_set: LabelSet) -> Advice:
    """Draws the advice in words, for the top of the page; returns it."""
    with read() as session:
        advice = advise(session, label_set)
    text = f"**{shown(advice.words)}.**" + (f" {shown(_expected(advice.effect))}" if advice.effect else "")
    (st.success if advice.worth is Worth.WORTH else st.info)(text, icon=ICONS[advice.worth])
    return advice


def _expected(effect: Effect) -> str:
    gain = effect.gain
    unsure = ", so perhaps nothing," if gain.low <= 0 else ""
    mean, low, high = (change_written(value, 2) for value in (gain.mean, gain.low, gain.high))
    return f"Expected: ARP {mean} ({low} to {high}){unsure} {effect.basis}."


def change_panel(advice: Advice) -> None:
    """Draws what changed by split and, where versions were evaluated, the learning curve."""
    change = advice.change
    if change is None:
        return
    st.markdown(f"**Since {shown(change.since)}**")
    if any(split.labels for split in change.splits):
        show_figure(changes_by_split(change.splits), key="changes")
    st.caption(_also(change))
    if advice.curve:
        show_figure(learning_curve(advice.curve, advice.expected), key="curve")


def _also(change: Change) -> str:
    read_in_full = sum(split.read_in_full for split in change.splits)
    parts = [
        f"{change.verdicts:,} verdicts",
        f"{read_in_full:,} articles newly read in full",
        f"{change.key_before:,} key sentences trained on, {change.key_now:,} now",
    ]
    if change.described:
        parts.append(f"{change.described:+,} labelled articles with document labels")
    inexact = "" if change.exact else " The labels of that time could not be read again exactly: counted by time."
    return f"{'; '.join(parts)}.{inexact}"


def policy_panel() -> None:
    """Draws when training begins, what it waits for, how the last automatic run went, and the form to change it."""
    with read() as session:
        policy = settings_now(session, RetrainPolicy)
        last, trained = db.jobs.latest_automatic(session, "train"), db.rows.find(session, Job, kind="train")
    with st.expander(f"Training begins {_begins(policy)}; promoted {PROMOTES[policy.gate]}"):
        _form(policy)
    if policy.when is not When.CLICK:
        decision = decide(datetime.now().astimezone())
        said = "begins within a minute" if decision.payload else "waits"
        st.caption(f":material/schedule: Automatic training {said}: {shown(decision.reason)}.")
    if last is not None:
        st.caption(f":material/smart_toy: {shown(_told(last))}")
    if trained is not None and "gate" in trained.result:
        promoted = "promoted" if trained.result["promoted"] else "did not promote"
        named = (
            f"The gate {promoted} {trained.result['child']}" if "child" in trained.result else f"The gate {promoted}"
        )
        st.caption(f":material/door_front: {shown(named)}: {shown(trained.result['gate'])}.")


def _told(job: Job) -> str:
    when = datetime.fromisoformat(job.created_at).astimezone().strftime("%Y-%m-%d %H:%M")
    made = f", made {job.result['child']}" if job.result.get("child") else ""
    error = f": {job.error}" if job.error else ""
    return f"Last automatic run, {when}, for {job.payload['automatic']}: {ENDS[job.state]}{made}{error}."


def _begins(policy: RetrainPolicy) -> str:
    if policy.when is When.AFTER:
        return f"after {count_of(policy.after_verdicts, 'new verdict')}"
    return f"at night from {policy.night_hour:02}:00" if policy.when is When.NIGHT else BEGINS[policy.when]


def _form(policy: RetrainPolicy) -> None:
    if message := told("policy_error"):
        st.error(shown(message), icon=":material/error:")
    with st.form("retrain_policy", border=False):
        whens, gates = list(When), list(Gate)
        left, right = st.columns(2)
        left.radio(
            "Training begins", whens, whens.index(policy.when), key="policy_when", format_func=BEGINS.__getitem__
        )
        right.radio(
            "Promoted",
            gates,
            gates.index(policy.gate),
            key="policy_gate",
            format_func=PROMOTES.__getitem__,
            help="Surely better: the 95 % interval of the mean difference in R-precision on the test articles, against "
            "the proposing version, lies above 0. It holds for trainings by click, too.",
        )
        left, right = st.columns(2)
        _number(left, "Verdicts", "after_verdicts", policy, "New verdicts after which training begins.")
        _number(right, "Hour of the night", "night_hour", policy, "The server's local time, 0 to 23.")
        st.form_submit_button("Save", on_click=_save, width="stretch")
    st.caption("A training that begins by itself takes the preset that suits, from the proposing version.")


def _number(column: Any, label: str, name: str, policy: RetrainPolicy, text: str) -> None:
    low, high = bounds(RetrainPolicy)[name]
    column.number_input(label, low, high, getattr(policy, name), step=1, key=f"policy_{name}", help=text)


def _save() -> None:
    names = ("when", "after_verdicts", "night_hour", "gate")
    try:
        policy = RetrainPolicy(**{name: st.session_state[f"policy_{name}"] for name in names})
    except ValueError as error:
        st.session_state.policy_error = str(error)
    else:
        change_settings(current_actor().name, policy)
