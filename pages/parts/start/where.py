"""The page Start: what the project looks for, where it stands, and the next steps of the person who opens it."""

from collections.abc import Sequence
from contextlib import suppress
from html import escape

import plotly.graph_objects as go
import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from annotate.evaluation.metric_labels import written
from annotate.operations.overview import Measured, Overview, Step
from annotate.project.rights import Right
from annotate.project.words import count_of
from annotate.topics.file import Topic
from annotate.topics.guideline import blocks_of
from annotate.topics.schema import Example
from pages.parts.frame.entries import entries
from pages.parts.frame.page import PAGES, may
from pages.parts.frame.text import shown
from pages.parts.frame.times import local_time
from pages.parts.shared.drawing import BLUE, EARLIER, FULL_SHARE, PALE, drawn, interval
from pages.parts.shared.figures import show_figure
from pages.parts.shared.job_panel import sample_button

EXAMPLES = 2  # of each side
_SIGNS = {"b": "**", "i": "*", "kbd": "`"}
PLOT_HEIGHT = 220


def show_topic(topic: Topic) -> None:
    """Draws the topic with two sentences of each side, and its whole guideline folded."""
    st.subheader(shown(topic.name))
    st.markdown(shown(topic.file.about))
    examples = topic.file.examples
    _examples("Key sentences, to accept", ":green[:material/check:]", examples.accepted)
    _examples("Not key, to reject", ":red[:material/close:]", examples.rejected)
    with st.expander("The whole guideline", icon=":material/menu_book:"):
        st.markdown(as_markdown(topic.file.guideline))


def _examples(title: str, sign: str, examples: Sequence[Example]) -> None:
    if not examples:
        return
    st.markdown(f"**{title}**")
    for one in examples[:EXAMPLES]:
        why = f"  \n:small[:gray[{shown(one.why)}]]" if one.why else ""
        st.markdown(f"{sign} {shown(one.sentence)}{why}")


def as_markdown(guideline: str) -> str:
    """The guideline with what it knows of Markdown, and all else as text."""
    told = []
    for block in blocks_of(guideline):
        runs = ((text if tag == "kbd" else shown(text), _SIGNS.get(tag, "")) for text, tag in block["runs"])
        text = "".join(f"{sign}{run}{sign}" for run, sign in runs)
        told.append({"h4": f"**{text}**", "li": f"- {text}"}.get(block["tag"], text))
    return "\n\n".join(told)


def arp_figure(measured: Sequence[Measured]) -> go.Figure:
    """ARP with its 95 % interval by version, in the order in which they were made; grey where labels changed since."""
    figure = go.Figure()
    for old, name, colour in ((False, "", BLUE), (True, EARLIER, PALE)):
        chosen = [one for one in measured if bool(one.since) is old]
        if not chosen:
            continue
        ends = [[getattr(one, end) for one in chosen] for end in ("arp", "low", "high")]
        figure.add_scatter(
            x=[_named(one) for one in chosen],
            y=ends[0],
            mode="markers",
            name=name,
            marker={"color": colour, "size": 10},
            error_y=interval(ends, colour),
            customdata=[", ".join(filter(None, (one.ranking, one.since))) for one in chosen],
            hovertemplate="%{x}, %{customdata}<br>ARP %{y:.3f}<extra></extra>",
        )
    figure.update_xaxes(categoryorder="array", categoryarray=[_named(one) for one in measured])
    counts = {one.n for one in measured}
    n = count_of(max(counts), "test article") if len(counts) == 1 else f"{min(counts)} to {max(counts)} test articles"
    drawn(figure, x="", y="ARP (95 % interval)", n=n, height=PLOT_HEIGHT, margin={"t": 10}, showlegend=False)
    return figure.update_yaxes(range=FULL_SHARE)


def _named(one: Measured) -> str:
    return f"{escape(one.version)}<br>n = {one.n:,}"


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
            sample_button(place, width="stretch")


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
            f"Agreement: Krippendorff's α {written(agreement.alpha.value, 2)} over "
            f"{count_of(agreement.units, 'sentence')} of {count_of(agreement.articles, 'article')}."
        )
    elif agreement is not None:
        st.markdown("Agreement: no sentence is labelled by two people yet.")


def show_versions(now: Overview) -> None:
    """The ARP of each version that was measured; figures of earlier labels are grey and tell their age."""
    if not now.measured:
        if now.key_sentences is not None:
            st.caption("No version has been evaluated yet.")
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
        st.caption(f":material/history: Grey numbers come from earlier labels: {ages}.")
