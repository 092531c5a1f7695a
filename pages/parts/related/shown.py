"""What related articles add to the pages."""

from collections.abc import Sequence
from typing import Any

import streamlit as st
from sqlalchemy.orm import Session

from annotate.related.links import link_counts
from pages.parts.frame.shown import ArticleColumns, Panel, Shown
from pages.parts.related.related_panel import related_panel


def _cells(session: Session, article_ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    return {
        article_id: {
            "related": f"/articles?article={article_id}&panel=related",
            "cites": count.cites,
            "cited by": count.cited_by,
        }
        for article_id, count in link_counts(session, article_ids).items()
    }


COLUMNS = {
    "related": st.column_config.LinkColumn("Links", display_text="Related", width=75),
    "cites": st.column_config.NumberColumn("Cites", width=60, help="References of its list."),
    "cited by": st.column_config.NumberColumn("Cited by", width=70, help="Stored articles that cite it."),
}
SHOWN = Shown(
    panels={"related": Panel("Related", related_panel, ":material/hub:")},
    article_columns=(ArticleColumns(COLUMNS, _cells),),
)
