"""The gold as of now on a page: its counts, its downloads, its rows and the remarks."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import streamlit as st

from annotate.gold.export_file import FORMATS, download, download_manifest, note_export
from annotate.gold.formats.export import DOCUMENT_FORMATS, download_documents
from annotate.gold.label_sets import LiveGold
from annotate.gold.rows import gold_columns
from annotate.gold.rules import DISPUTED
from annotate.gold.view import comment_rows, shown_rows
from annotate.project.home import read
from annotate.project.rights import Right
from annotate.topics.label_columns import label_columns
from annotate.topics.project_topic import current_topic
from pages.parts.shared.downloads import CSV, JSON_LINES, File, offer
from pages.parts.shared.tables import show_table

SHOWN_ROWS = 200
SHOWN_GROUPS = 6
NAMES = {"1": "Key sentences", "0": "Not key", "unsure": "Unsure", DISPUTED: "Tied"}
TIED = (
    "As many said key as not key, and no adjudicator decided. Files call it disputed. Adjudicate also lists minorities."
)
FIRST = ("sentence", "origin", "annotators", "decided_by", "rank", "cosine")  # then the labels
MEDIA = {
    ".csv": CSV,
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".jsonl": JSON_LINES,
}
REMARKS = {
    "annotator": "Who",
    "comment": st.column_config.TextColumn("Comment", width="large"),
    "sentence": st.column_config.TextColumn("Sentence", width="medium"),
    "title": st.column_config.TextColumn("Article", width="medium"),
}
CHOSEN, TABLE = "gold_about", "gold_rows"


def counts(summary: dict[str, Any]) -> None:
    """How many rows there are of each label."""
    first, *others = st.columns(len(NAMES) + 1)
    first.metric("Rows", f"{summary['rows']:,}")
    for column, (label, name) in zip(others, NAMES.items(), strict=True):
        column.metric(name, f"{summary['by_label'].get(label, 0):,}", help=TIED if label == DISPUTED else None)


def downloads(live: LiveGold, summary: dict[str, Any]) -> None:
    """The gold as files, made when asked for: as the screen shows it, even if verdicts come meanwhile."""
    basis = live.basis  # not the gold itself, which every open tab would keep
    tables = {ending: partial(download, ending, basis) for ending in FORMATS}
    row = st.container(horizontal=True)
    with row:
        offer(gold_files("keyline-gold", summary, tables, partial(download_manifest, basis)), key="gold")
    with row.popover("For tools", icon=":material/share:"):
        st.caption("Whole articles with their labelled sentences and recognised names, as other programs read them.")
        makers = {key: partial(download_documents, key, basis) for key in DOCUMENT_FORMATS}
        documents = [
            _noted(form.title, f"keyline-gold{form.ending}", form.media, makers[key], summary)
            for key, form in DOCUMENT_FORMATS.items()
        ]
        offer(documents, key="documents", stacked=True)


def gold_files(
    stem: str, summary: dict[str, Any], makers: Mapping[str, Callable[[], bytes]], make_manifest: Callable[[], bytes]
) -> list[File]:
    """The files of one gold: of each ending, by what makes it, and the manifest. The history names who took which."""
    files = [
        _noted(ending.strip(".").upper(), f"{stem}{ending}", MEDIA[ending], make, summary)
        for ending, make in makers.items()
    ]
    return [*files, File("Manifest", f"{stem}.manifest.json", "application/json", Right.GOLD, make_manifest)]


def _noted(label: str, name: str, media: str, make: Callable[[], bytes], summary: dict[str, Any]) -> File:
    return File(label, name, media, Right.GOLD, make, note=lambda: note_export(name, summary))


def groups(summary: dict[str, Any]) -> None:
    """How many rows there are by origin and by annotator."""
    show_table(
        [
            {"Rows by": kind.removeprefix("by_"), "Name": name, "Count": count}
            for kind in ("by_origin", "by_annotator")
            for name, count in summary[kind].items()
        ],
        width="stretch",
        column_config={"Count": st.column_config.NumberColumn(format="localized")},
        height="content" if len(summary["by_origin"]) + len(summary["by_annotator"]) <= SHOWN_GROUPS else 215,
    )


def row_list(live: LiveGold) -> None:
    """The first rows of a label; a click on one asks who said what about it."""
    chosen = st.segmented_control("Show", list(NAMES), format_func=NAMES.__getitem__, default="1")
    with read() as session:
        count, rows = shown_rows(session, live, chosen, SHOWN_ROWS)
    st.caption(
        f"{count:,} rows{f', the first {SHOWN_ROWS} shown' if count > SHOWN_ROWS else ''}. "
        "Choose a row to see who said what about it."
    )
    key, topic = f"{TABLE}_{chosen}", current_topic()
    columns = label_columns(topic)
    every = (*FIRST, *columns.values(), "section", "title", *gold_columns(topic))
    show_table(
        [one.row.cells() for one in rows],
        width="stretch",
        column_order=list(dict.fromkeys(every)),
        column_config={
            **{name: name.replace("_", " ").capitalize() for name in every},
            **{columns[kind.key]: kind.title for kind in topic.file.kinds},
            "sentence": st.column_config.TextColumn("Sentence", width="large"),
            **({"label": None} if chosen else {}),
        },
        selection_mode="single-row",
        on_select=lambda: choose(key, [one.sentence_id for one in rows]),
        key=key,
    )


def choose(table: str, sentence_ids: list[int]) -> None:
    """Keeps which sentence a table's chosen row is of, until the dialog has been opened."""
    if places := st.session_state[table].selection.rows:
        st.session_state[CHOSEN] = sentence_ids[places[0]]


def remarks() -> None:
    """The newest comments."""
    with read() as session:
        count, rows = comment_rows(session, SHOWN_ROWS)
    st.caption(f"{count:,} comments" + (f", the newest {SHOWN_ROWS} shown" if count > SHOWN_ROWS else ""))
    if rows:
        show_table(rows, width="stretch", column_config=REMARKS)
