"""How a candidate version stands against the one that proposes: its interval, the verdict in words, and Promote."""

from dataclasses import asdict
from html import escape

import plotly.graph_objects as go
import streamlit as st

import db.registry
from annotate.evaluation.metric_labels import change_written
from annotate.gold.label_sets import labels_now
from annotate.project.home import look_up, read
from annotate.project.rights import Right
from annotate.project.words import count_of
from annotate.proposing.comparison import Comparison, compare, evaluated_before
from annotate.proposing.encoder_versions import promote_encoder, proposing_version
from annotate.proposing.propose import default_ranking
from annotate.retraining.promotion_gate import difference_in_words, evidence_in_words
from db.tables import ModelVersion
from db.values import Kind, Split
from model.evaluation.intervals import Estimate
from model.proposing.ranking import Ranking
from pages.parts.frame.messages import show_message
from pages.parts.frame.page import link_to, may
from pages.parts.frame.shown import shown_parts
from pages.parts.frame.text import shown
from pages.parts.shared.aloud import read_aloud
from pages.parts.shared.drawing import BLUE, GREY, LEAST_SPAN, drawn, interval
from pages.parts.shared.figures import show_figure
from pages.parts.shared.job_panel import start_job
from pages.parts.shared.trained_versions import changed, in_use_line

CARD_HEIGHT = 150
NAMES = {"key": "key sentences", "not_key": "not key", "unlabelled": "unlabelled"}


def version_cards() -> None:
    """The proposing version with its rollback, then a card for each other version, the newest first."""
    serving = proposing_version()
    read_aloud(f"{serving.name} proposes now.", key="serving")
    st.subheader("Versions")
    others = [one for one in reversed(look_up(db.registry.encoders)) if one.id != serving.id]
    in_use_line(Kind.ENCODER, others)
    if not others:
        st.caption("Retrain to get a second version.")
        return
    _card(others[0], serving)
    if earlier := others[1:]:
        more = st.expander(f"{count_of(len(earlier), 'more version')}", on_change="rerun", key="more_versions")
        if more.open:
            with more:
                for version in earlier:
                    _card(version, serving)


def comparison_card(version: ModelVersion, serving: ModelVersion) -> None:
    """Says whether a version is better than the proposing one, draws by how much, and offers to promote it."""
    show_message(f"error_{Kind.ENCODER}")
    _card(version, serving)


def _card(version: ModelVersion, serving: ModelVersion) -> None:
    labels = look_up(labels_now).split_sha256[Split.TEST]
    with read() as session:
        found = compare(session, version.id, labels, Ranking.HYBRID)
        outdated = evaluated_before(session, version.id, Ranking.HYBRID)
        proposes_by = default_ranking(session, version)
    change = found.change()
    with st.container(border=True, key=f"comparison_{version.id}"):
        words, figure, action = st.columns([4, 4, 2], gap="medium")
        with words:
            st.markdown(shown(f"{version.name} against {serving.name}, both ranked by {Ranking.HYBRID}"))
            st.markdown(f"**{shown(difference_in_words(found))}**")
            st.caption(shown(_about(found, version, proposes_by)))
        if change is not None:
            drawn_change = change_figure(version.name, change, len(found.deciding("arp")))
            show_figure(drawn_change, key=f"change_{version.id}", place=figure)
        with action:
            _promote_button(version, found, outdated=outdated)
            if change is not None and not found.is_fair:
                link_to("check", "Fair test", what="fair_test")
            elif change is None and may(Right.EVALUATE):
                st.button(
                    "Evaluate",
                    key=f"evaluate_{version.id}",
                    type="primary",
                    on_click=start_job,
                    args=("evaluate", {"versions": [serving.name, version.name]}),
                )
        for draw in (draw for part in shown_parts() for draw in part.candidate):
            draw(version)


def change_figure(name: str, change: Estimate, articles: int) -> go.Figure:
    """A candidate's change in ARP with its interval; no change is the middle of the axis."""
    ends = [[value] for value in asdict(change).values()]
    figure = go.Figure()
    figure.add_scatter(
        x=ends[0],
        y=[escape(name)],
        mode="markers+text",
        text=[change_written(change.value)],
        textposition="top right",
        cliponaxis=False,
        marker={"color": BLUE, "size": 11},
        error_x=interval(ends, BLUE, 6),
        hovertemplate="ARP %{x:+.3f}<extra></extra>",
    )
    figure.add_vline(x=0, line={"color": GREY, "dash": "dot", "width": 1.5})
    most = 1.15 * max(LEAST_SPAN, *(abs(value) for (value,) in ends))
    n = count_of(articles, "article")
    figure = drawn(figure, x="change in ARP, 95% interval", y="version", n=n, height=CARD_HEIGHT, margin={"t": 20})
    return figure.update_xaxes(range=[-most, most], zeroline=False, nticks=5)


def _about(found: Comparison, version: ModelVersion, proposes_by: Ranking) -> str:
    """The evidence, what the difference is not of, and where the version comes from."""
    parts = [evidence_in_words(found)] if found.direction is not None and found.is_fair else []
    if proposes_by is not Ranking.HYBRID:
        parts.append(f"Once promoted, {version.name} proposes by {proposes_by}.")
    counts = version.trained_on["label_counts"] if version.trained_on else {}
    learnt = " and ".join(f"{count:,} {NAMES.get(name, name)}" for name, count in counts.items() if count)
    made = f"fine-tuned from {version.encoder} on {learnt}" if learnt else "an encoder that was not fine-tuned"
    return " ".join([*parts, f"{version.name} is {made}."])


def _promote_button(version: ModelVersion, comparison: Comparison, *, outdated: bool) -> None:
    if not may(Right.PROMOTE):
        st.caption("Maintainers promote.")
        return
    certain = comparison.worse is False
    if comparison.worse or not (certain or outdated):  # numbers of earlier labels decide nothing, whoever is certain
        certain = st.checkbox("Promote it anyway", key=f"certain_{version.id}")
    st.button(
        "Promote",
        key=f"promote_{version.id}",
        type="primary" if comparison.direction == 1 else "secondary",
        disabled=not certain,
        on_click=_promote,
        args=(version.id, comparison.worse is not False),
    )


def _promote(version_id: int, even_if_worse: bool) -> None:
    with read() as session:  # the labels as they are now: others may have judged since the page was drawn
        labels = labels_now(session).split_sha256[Split.TEST]

    def change(by: str, why: str) -> None:
        promote_encoder(version_id, by=by, why=why, label_set_sha256=labels, even_if_worse=even_if_worse)

    changed(Kind.ENCODER, change)
