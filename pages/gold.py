"""Gold: the current labels, counted and exported."""

import json
from dataclasses import asdict

import streamlit as st

from annotate.gold import COLUMNS, DISPUTED, comment_rows, gold_rows, manifest
from annotate.gold_export import FORMATS
from annotate.home import read
from pages.parts.page import link_to, open_page

SHOWN_ROWS = 200
FIRST = ["sentence", "origin", "annotators", "rank", "cosine", "genes", "cells", "edit", "section", "title"]
MEDIA = {
    ".csv": "text/csv",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".jsonl": "application/jsonl",
}

open_page("Gold")
with read() as session:
    rows = gold_rows(session)
    summary = manifest(session, rows)
    remarks = comment_rows(session)
if not rows and not remarks:
    st.info("No labels yet. Accept or reject proposals, or import a gold file.", icon=":material/inbox:")
    link_to("review", "Review", icon=":material/rate_review:")
    st.stop()

names = {"1": "Key sentences", "0": "Not key", "unsure": "Unsure", DISPUTED: "Disputed"}
first, *others = st.columns(len(names) + 1)
first.metric("Rows", f"{summary['rows']:,}")
for column, (label, name) in zip(others, names.items(), strict=True):
    column.metric(name, f"{summary['by_label'].get(label, 0):,}")

left, right = st.columns([3, 2])
with left:
    st.subheader("Export")
    st.caption(
        f"{summary['rows']:,} rows of {summary['articles']:,} articles; the manifest holds the counts shown here."
    )
    *columns, last = st.columns(len(FORMATS) + 1)
    last.download_button(
        "Manifest",
        data=lambda: json.dumps(summary, indent=2, ensure_ascii=False),
        file_name="keyline-gold.manifest.json",
        mime="application/json",
        width="stretch",
        icon=":material/fact_check:",
    )
    for column, (ending, write) in zip(columns, FORMATS.items(), strict=True):
        column.download_button(
            ending.strip(".").upper(),
            data=lambda write=write: write(rows),
            file_name=f"keyline-gold{ending}",
            mime=MEDIA[ending],
            width="stretch",
            icon=":material/download:",
        )
with right:
    st.subheader("Counts")
    st.dataframe(
        [
            {"rows by": kind.removeprefix("by_"), "name": name, "count": count}
            for kind in ("by_origin", "by_annotator")
            for name, count in summary[kind].items()
        ],
        hide_index=True,
        width="stretch",
    )
st.caption(f"Label set {summary['label_set_sha256'][:16]}…")
chosen = st.segmented_control("Show", list(names), format_func=lambda label: names[label], default="1")
found = [row for row in rows if row.label == chosen or chosen is None]
st.caption(f"{len(found):,} rows" + (f", the first {SHOWN_ROWS} shown" if len(found) > SHOWN_ROWS else ""))
st.dataframe(
    [asdict(row) for row in found[:SHOWN_ROWS]],
    hide_index=True,
    width="stretch",
    column_order=FIRST + [name for name in COLUMNS if name not in FIRST],
    column_config={"sentence": st.column_config.TextColumn(width="large")},
)
if remarks:
    st.subheader("Comments")
    st.dataframe(remarks, hide_index=True, width="stretch", column_config={"comment": {"width": "large"}})
