"""The gold as of now on a page: its counts, its downloads, its rows and the remarks."""

from functools import partial
from typing import Any

import streamlit as st

from annotate.gold.export_file import download, download_manifest
from annotate.gold.formats.export import download_documents
from annotate.gold.label_sets import DISPUTED, LiveGold
from annotate.gold.rows import comment_rows, gold_columns, shown_rows
from annotate.project.home import look_up
from annotate.project.words import count_of
from annotate.topics.label_columns import label_columns
from annotate.topics.project_topic import current_topic
from pages.parts.shared.downloads import offer
from pages.parts.shared.gold_files import document_files, table_files
from pages.parts.shared.tables import ask_about, show_table, text_table

SHOWN_ROWS = 200
NAMES = {"1": "Key sentences", "0": "Not key", "unsure": "Unsure", DISPUTED: "Tied"}
TIED = "As many annotators said key as not key, and no adjudicator decided. Files call it disputed."
FIRST = ("sentence", "origin", "annotators", "decided_by", "rank", "cosine")  # then the labels
TABLE = "gold_rows"


def counts(summary: dict[str, Any]) -> None:
    """How many rows there are of each label."""
    first, *others = st.columns(len(NAMES) + 1)
    first.metric("Rows", f"{summary['rows']:,}")
    for column, (label, name) in zip(others, NAMES.items(), strict=True):
        column.metric(name, f"{summary['by_label'].get(label, 0):,}", help=TIED if label == DISPUTED else None)


def downloads(live: LiveGold, summary: dict[str, Any]) -> None:
    """The gold as files, made when asked for: as the screen shows it, even if verdicts come meanwhile."""
    basis = live.basis  # not the gold itself, which every open tab would keep
    row, stem = st.container(horizontal=True), "keyline-gold"
    with row:
        make_manifest = partial(download_manifest, basis)
        offer(table_files(stem, summary, partial(download, basis=basis), make_manifest), key="gold")
    with row.popover("For tools", icon=":material/share:"):
        st.caption("Whole articles with their labelled sentences and recognised names, as other programs read them.")
        documents = document_files(stem, summary, partial(download_documents, basis=basis))
        offer(documents, key="documents", stacked=True)


def groups(summary: dict[str, Any]) -> None:
    """How many rows there are by origin and by annotator; nothing where each is one."""
    rows = [
        {"Rows by": kind.removeprefix("by_"), "Name": name, "Count": count}
        for kind in ("by_origin", "by_annotator")
        for name, count in summary[kind].items()
    ]
    if len(rows) > 2:
        text_table(rows, "Rows by origin and by annotator")


def row_list(live: LiveGold) -> None:
    """The first rows of a label; a click on one asks who said what about it."""
    chosen = st.segmented_control("Show", list(NAMES), format_func=NAMES.__getitem__, default="1")
    count, rows = look_up(shown_rows, live, chosen, SHOWN_ROWS)
    st.caption(
        f"{count_of(count, 'row')}{f', the first {SHOWN_ROWS} shown' if count > SHOWN_ROWS else ''}. "
        "Choose a row to see who said what about it."
    )
    key, topic = f"{TABLE}_{chosen}", current_topic()
    columns = label_columns(topic)
    every = list(dict.fromkeys((*FIRST, *columns.values(), "section", "title", *gold_columns(topic))))
    show_table(
        [row for _, row in rows],
        column_order=every,
        heads={name: name.replace("_", " ").capitalize() for name in every}
        | {columns[kind.key]: kind.title for kind in topic.file.kinds},
        widths={"sentence": 560, "title": 400},
        column_config={"label": None} if chosen else {},
        selection_mode="single-row",
        on_select=lambda: ask_about(key, [sentence_id for sentence_id, _ in rows]),
        key=key,
    )


def remarks() -> None:
    """The newest comments."""
    count, rows = look_up(comment_rows, SHOWN_ROWS)
    st.caption(f"{count_of(count, 'comment')}" + (f", the newest {SHOWN_ROWS} shown" if count > SHOWN_ROWS else ""))
    if rows:
        text_table(rows, "Comments", heads={"annotator": "Annotator", "title": "Article"})
