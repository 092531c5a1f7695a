"""The tables of the evaluate page: metrics by version and ranking, and the articles behind one evaluation."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotate.evaluation.metric_labels import HEADINGS, metric_of
from db.tables import Article, ArticleScore
from pages.parts.shared.tables import show_table

METRICS = (
    *("arp", "arp_low", "arp_high", "arp_without", "arp_fair", "bpref", "unjudged_share"),
    *("precision_at_1", "recall_at_3", "recall_at_5", "mse", "pearson"),
)
COLUMNS = ("version", "ranking", *METRICS)
# What stands behind a heading, for whoever points at it.
HELP = {
    "arp_without": "Average R-Precision as if no article had document labels",
    "arp_fair": "Average R-Precision on the articles in which what this version ranks first was judged",
    "bpref": "How seldom a sentence judged as not key ranks above a key one; what nobody judged does not count",
    "unjudged_share": "Share of the sentences of which nobody said anything; they count as not key",
}


def metrics_table(place: DeltaGenerator, rows: Sequence[Mapping[str, Any]], split: str) -> None:
    """One line a version and ranking, with the way to its report; rows: version, ranking, metrics."""
    show_table(
        place=place,
        rows=[{"report": _report_of(row, split)} | {name: metric_of(row, name) for name in COLUMNS} for row in rows],
        width="stretch",
        column_config={
            "report": st.column_config.LinkColumn("Open", display_text="Report", width=70),
            **{
                name: st.column_config.NumberColumn(HEADINGS[name], format="%.3f", help=HELP.get(name))
                for name in METRICS
            },
        },
    )


def _report_of(row: Mapping[str, Any], split: str) -> str:
    return "/report?" + urlencode({"version": row["version"], "ranking": row["ranking"], "articles": split})


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
        width="stretch",
        column_config={
            "review": st.column_config.LinkColumn("Open", display_text="Review", width=70),
            "R-precision": st.column_config.ProgressColumn(min_value=0, max_value=1, format="%.2f"),
            "title": st.column_config.TextColumn("Title", width="large"),
        },
    )
