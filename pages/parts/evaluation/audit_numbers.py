"""What the audit says so far: ARP before and after, likeness by outcome, every error, and the audit as a file."""

from typing import Any

import streamlit as st

from annotate.articles.table_files import csv_text
from annotate.evaluation.audit import audit_rows, audited
from annotate.evaluation.audit_queue import NOT_AUDITED, Outcomes, Queue
from annotate.evaluation.metric_labels import change_written, written
from annotate.gold.label_sets import LabelSet
from annotate.project.home import read
from annotate.project.rights import Right
from pages.parts.shared.downloads import CSV, File, offer
from pages.parts.shared.tables import show_table

LIKENESS = "Of sentence and query (their cosine): 1 where they say the same, about 0 where they have nothing in common."


def audit_numbers(made: Queue, found: Outcomes, label_set: LabelSet) -> None:
    """The foot of the audit page."""
    with read() as session:
        rows = audit_rows(session, label_set)
        outcome = audited(session, label_set)
    st.subheader("Outcome")
    numbers, table = st.columns([2, 3], gap="medium")
    with numbers:
        before, after = st.columns(2)
        before.metric("ARP as labelled", written(found.arp))
        change = change_written(found.arp_audited - found.arp) if found.added else None
        after.metric("ARP after the audit", written(found.arp_audited), change)
        st.caption(
            f"On {found.articles:,} test articles; sentences audited as correct count as key there: {found.added:,}. "
            "The second number is final once no error is left to audit, and flatters a version whose errors were "
            "audited over one whose errors were not."
        )
        table_file = File("Audit as CSV", "keyline-audit.csv", CSV, Right.AUDIT, lambda: _as_csv(rows))
        offer([table_file], key="audit", disabled=not rows)
    show_table(
        place=table,
        rows=[row | {"cosine": written(row["cosine"]) if row["predictions"] else "–"} for row in found.rows],
        width="stretch",
        column_config={"cosine": st.column_config.TextColumn("Mean likeness", alignment="right", help=LIKENESS)},
    )
    with st.expander(f"All errors: {len(made.errors):,}"):
        show_table(
            [
                {
                    "review": f"/review?article={error.sentence.article_id}",
                    "outcome": outcome.get(error.sentence.article_id, {}).get(error.sentence.position, NOT_AUDITED),
                    "rank": error.rank,
                    "sentence": error.sentence.text,
                    "section": error.sentence.section,
                    "title": error.title,
                }
                for error in made.errors
            ],
            width="stretch",
            column_config={
                "review": st.column_config.LinkColumn("Open", display_text="Review", width=70),
                "sentence": st.column_config.TextColumn(width="large"),
            },
        )


def _as_csv(rows: list[dict[str, Any]]) -> bytes:
    """RFC 4180, as the gold is exported."""
    return csv_text(list(rows[0]), (row.values() for row in rows)).encode()
