"""Where the project stands, and the next steps with the buttons that lead there."""

from collections.abc import Sequence
from contextlib import suppress

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from annotate.operations.overview import Overview, Step
from annotate.project.rights import Right
from annotate.project.words import count_of
from pages.parts.frame.entries import entries
from pages.parts.frame.page import PAGES, may
from pages.parts.frame.text import shown
from pages.parts.frame.times import local_time
from pages.parts.shared.figures import show_figure
from pages.parts.shared.job_panel import start_job
from pages.parts.start.charts import arp_figure


def show_steps(steps: Sequence[Step], *, empty: bool) -> None:
    """The next step with its button, then each further duty; without articles the sample, too."""
    with st.container(border=True, key="next_step"):
        for number, step in enumerate(steps):
            text, action = st.columns([3, 1.2], vertical_alignment="center")
            text.markdown(f"**{'Also' if number else 'Next'}:** {shown(step.why)}")
            goes = bool(step.label) and may(entries()[step.page].right)
            if goes and action.button(
                step.label,
                type="secondary" if number else "primary",
                icon=entries()[step.page].icon,
                key=f"next_{step.page}",
                width="stretch",
            ):
                with suppress(StreamlitPageNotFoundError):  # where a page runs alone, without the frame around it
                    st.switch_page(str(PAGES / f"{step.page}.py"))
        if empty and may(Right.IMPORT):
            _, place = st.columns([3, 1.2])
            place.button(
                "Load the sample corpus",
                on_click=start_job,
                args=("import", {"sample": True, "propose": True, "recognise": True}),
                width="stretch",
            )


def show_numbers(now: Overview) -> None:
    """Articles, reviewed articles, key sentences and agreement, within the rights of the person who looks."""
    articles, keys = st.columns(2)
    articles.metric("Articles", f"{now.articles:,}")
    if now.key_sentences is not None:
        keys.metric("Key sentences", f"{now.key_sentences:,}")
    st.markdown(f"{now.reviewed.in_words}.")
    if now.sight.note:
        st.caption(now.sight.note)
    agreement = now.agreement
    if agreement is not None and agreement.alpha.value is not None:
        st.markdown(
            f"Agreement: Krippendorff's α {_number(agreement.alpha.value)} over "
            f"{count_of(agreement.units, 'sentence')} of {count_of(agreement.articles, 'article')}."
        )
    elif agreement is not None:
        st.markdown("Agreement: no sentence is labelled by two people yet.")


def show_versions(now: Overview) -> None:
    """The ARP of each version that was measured; figures of earlier labels are grey and tell their age."""
    if not now.measured:
        if now.key_sentences is not None:
            st.caption("No version is measured yet: Evaluate does that.")
        return
    show_figure(arp_figure(now.measured), key="start_arp")
    last = now.measured[-1]
    st.caption(
        f"Share of an article's key sentences among its best-ranked (ARP), with 95 % interval, on n test articles. "
        f"{shown(last.version)}: {last.arp:.3f} ({last.low:.3f} to {last.high:.3f}), n = {last.n:,}."
    )
    old = [one for one in now.measured if one.since]
    if old:
        ages = "; ".join(f"{shown(one.version)} {local_time(one.at)}, {one.since}" for one in old)
        st.caption(f":material/history: Grey is of earlier labels: {ages}.")


def _number(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")
