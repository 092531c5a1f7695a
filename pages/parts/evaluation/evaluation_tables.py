"""The page Evaluate: metrics by version and ranking, the articles behind one evaluation, and measuring by itself."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotate.evaluation.last_figures import Figures
from annotate.evaluation.measuring_again import MeasuringSettings
from annotate.evaluation.metric_labels import HEADINGS, metric_of
from annotate.project.acting import current_actor
from annotate.project.home import look_up
from annotate.project.rights import Right
from annotate.project.stored_settings import change_settings, settings_now
from annotate.proposing.comparison import on_shared_fair
from db.articles import ALL, SPLITS
from db.tables import Article, ArticleScore, Evaluation
from db.values import Split
from pages.parts.frame.page import may
from pages.parts.frame.text import shown
from pages.parts.frame.times import local_time
from pages.parts.shared.drawing import GREY
from pages.parts.shared.job_panel import start_job
from pages.parts.shared.tables import show_table

METRICS = (
    *("arp", "arp_low", "arp_high", "arp_without", "arp_fair", "unjudged_share"),
    *("ndcg_at_20", "precision_at_1", "recall_at_3", "recall_at_5", "mse", "pearson"),
)
# Test articles first: the others were seen in training, or chose its best epoch.
SHARES = (Split.TEST, *(split for split in SPLITS if split != Split.TEST), ALL)
COLUMNS = ("version", "ranking", "measured", *METRICS, "fair")
# Help that a heading shows under the mouse.
HELP = {
    "arp_without": "Average R-Precision as if no article had document labels",
    "arp_fair": "Average R-Precision on the articles that are fair to every version of this ranking: the same for all",
    "fair": "How many articles are fair to every version of this ranking: what each ranks first was judged",
    "ndcg_at_20": "How high the key sentences stand among the first 20, over the best order there is",
    "unjudged_share": "Share of the sentences without a verdict; they count as not key",
}


def rows_of(figures: Mapping[tuple[str, str], Figures]) -> list[dict[str, Any]]:
    """What the table and the figure draw, of figures by version and ranking.

    `arp_fair` is over the `fair` articles that are fair to every version with figures of that ranking and labels.
    """
    groups: dict[tuple[str, str], list[Evaluation]] = {}
    for (_, ranking), one in figures.items():
        groups.setdefault((ranking, one.evaluation.label_set_sha256), []).append(one.evaluation)
    rows = []
    for (version, ranking), one in figures.items():
        found = one.evaluation
        told = {"version": version, "ranking": ranking, "measured": age_of(one), "since": one.since}
        rows.append({**told, **found.metrics, **on_shared_fair(found, groups[ranking, found.label_set_sha256])})
    return rows


def metrics_table(place: DeltaGenerator, rows: Sequence[Mapping[str, Any]], split: str) -> None:
    """One line a version and ranking, with the way to its report; rows: version, ranking, measured, since, metrics.

    Grey are those since which labels changed.
    """
    import pandas as pd  # noqa: PLC0415 (half a second, which Streamlit, too, spends with the first table alone)

    told = [
        {"report": ("/report?" + urlencode({"version": row["version"], "ranking": row["ranking"], "articles": split}))}
        | {name: metric_of(row, name) for name in COLUMNS}
        for row in rows
    ]
    old = [bool(row["since"]) for row in rows]
    show_table(
        place=place,
        rows=pd.DataFrame(told).style.apply(lambda row: [f"color: {GREY}" * old[row.name]] * len(row), axis=1),
        column_config={
            "report": st.column_config.LinkColumn("Open", display_text="Report", width=70),
            **{
                name: st.column_config.NumberColumn(HEADINGS[name], format="%.3f", help=HELP.get(name))
                for name in METRICS
            },
            "fair": st.column_config.NumberColumn(HEADINGS["fair"], help=HELP["fair"]),
        },
    )


def age_of(figures: Figures) -> str:
    """When figures were measured and, where labels changed, the changes since: 14:05, 4 verdicts since."""
    return ", ".join(filter(None, (local_time(figures.evaluation.created_at), figures.since)))


def article_table(scores: Sequence[tuple[ArticleScore, Article]]) -> None:
    """R-precision by article, with the way to its review, in the order given."""
    show_table(
        [
            {
                "review": f"/review?article={article.id}",
                "R-precision": score.r_precision,
                "key sentences": score.key_sentences,
                "title": article.title,
                "split": article.split,
            }
            for score, article in scores
        ],
        widths={"title": "large"},
        column_config={"R-precision": st.column_config.ProgressColumn(min_value=0, max_value=1, format="%.2f")},
    )


def evaluate_button(label: str, payload: Mapping[str, Any], *, unembedded: str = "") -> None:
    """Measures versions, for those who may; `unembedded`: the version whose vectors are wanting, which is said."""
    if unembedded:
        st.info(f"The test articles are not embedded under {shown(unembedded)} yet.", icon=":material/info:")
    if may(Right.EVALUATE):
        st.button(label, type="primary", on_click=start_job, args=("evaluate", dict(payload)))


def by_itself_switch() -> None:
    """The switch, stored at once under the name of the person who turns it."""
    by_itself = look_up(settings_now, MeasuringSettings).by_itself
    st.toggle(
        "Measure again automatically",
        by_itself,
        key=f"measure_by_itself_{by_itself}",  # another choice is a fresh switch
        on_change=change_settings,
        args=(current_actor().name, MeasuringSettings(by_itself=not by_itself)),
        help="Once labels have changed, versions are measured again on the test articles, while no person is at work "
        "and no job runs, at most once an hour.",
    )
