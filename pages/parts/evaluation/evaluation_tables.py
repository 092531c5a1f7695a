"""The page Evaluate: metrics by version and ranking, pickers, and measuring by itself."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotate.evaluation.last_figures import Figures
from annotate.evaluation.measuring_again import MeasuringSettings
from annotate.evaluation.metric_labels import HEADINGS, interval_text, metric_of
from annotate.project.home import look_up
from annotate.project.rights import Right
from annotate.project.stored_settings import settings_now
from annotate.project.words import count_of
from annotate.proposing.comparison import on_shared_fair
from db.articles import ALL, SPLITS
from db.values import Split
from pages.parts.frame.page import may
from pages.parts.frame.text import local_time, shown
from pages.parts.shared.job_panel import start_job
from pages.parts.shared.settings_form import setting_switch
from pages.parts.shared.tables import text_table

# Test articles first: the others were seen in training, or chose its best epoch.
SHARES = (Split.TEST, *(split for split in SPLITS if split != Split.TEST), ALL)
METRICS = ("arp_without", "ndcg_at_20", "precision_at_1", "recall_at_5", "unjudged_share")
# Help that a heading shows under the mouse.
HELP = {
    "arp": "Average R-Precision with its 95% interval over the articles",
    "arp_fair": "The same on articles that are fair to every version: annotators judged what each ranks first. Compare "
    "versions by it.",
    "arp_without": "Average R-Precision as if no article had document labels",
    "ndcg_at_20": "How high key sentences stand among the first 20, as a share of the best order",
    "unjudged_share": "Share of the sentences without a verdict; they count as not key",
}


def picked(place: DeltaGenerator, label: str, names: list[str], default: str) -> str:
    """A picker that begins with what the address names."""
    asked = st.query_params.get(label.lower(), default)
    index = names.index(asked if asked in names else default)
    return place.selectbox(label, names, index=index, key=f"pick_{label.lower()}_{len(names)}")


def rows_of(figures: Mapping[tuple[str, str], Figures]) -> list[dict[str, Any]]:
    """The rows of the table, of figures by version and ranking; `since` where labels or topic changed since.

    `arp_fair` is over the articles that are fair to every version with figures of that ranking, labels and topic.
    """
    groups: dict[tuple[str | None, ...], list[Mapping[str, Any]]] = {}
    for (_, ranking), one in figures.items():
        groups.setdefault(_group(ranking, one), []).append(one.evaluation.metrics)
    rows = []
    for (version, ranking), one in figures.items():
        metrics = one.evaluation.metrics
        shared = on_shared_fair(metrics, groups[_group(ranking, one)])
        row: dict[str, Any] = {"version": version, "ranking": ranking, "arp": _arp(metrics)}
        row["arp_fair"] = f"{_arp(shared)}, {count_of(shared['articles'], 'article')}" if shared else None
        row |= {name: metric_of(metrics, name) for name in METRICS}
        measured = ", ".join(filter(None, (local_time(one.evaluation.created_at), one.since)))
        rows.append(row | {"measured": measured, "since": one.since})
    return rows


def _group(ranking: str, one: Figures) -> tuple[str | None, ...]:
    """What figures that are compared have in common: ranking, labels and what ranks next to the version."""
    return ranking, one.evaluation.label_set_sha256, one.evaluation.metrics.get("ranked_by_sha256")


def _arp(metrics: Mapping[str, Any]) -> str:
    """ARP with its interval."""
    return interval_text(metrics["arp"], metrics["arp_low"], metrics["arp_high"], bounds_digits=2)


def metrics_table(rows: Sequence[dict[str, Any]]) -> None:
    """One line a version and ranking, as `rows_of` makes them; grey are those since which labels or topic changed."""
    shown_rows = [{name: value for name, value in row.items() if name != "since"} for row in rows]
    old = [bool(row["since"]) for row in rows]
    text_table(shown_rows, "Metrics by version and ranking", heads=HEADINGS, helps=HELP, old=old)


def evaluate_button(label: str, payload: Mapping[str, Any], *, unembedded: str = "") -> None:
    """Measures versions, for those who may; `unembedded`: the version whose vectors are wanting, which is said."""
    if unembedded:
        st.info(f"The test articles are not embedded under {shown(unembedded)} yet.", icon=":material/info:")
    if may(Right.EVALUATE):
        st.button(label, type="primary", on_click=start_job, args=("evaluate", dict(payload)))


def by_itself_switch() -> None:
    """The switch, stored at once under the name of the person who turns it."""
    setting_switch(
        "Measure again automatically",
        look_up(settings_now, MeasuringSettings),
        "by_itself",
        help="Once labels have changed, versions are measured again on the test articles, while no person is at work "
        "and no job runs, at most once an hour.",
    )
