"""The list of articles: its filters, one page of it with the facts on each, and the chosen rows."""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st
from sqlalchemy.orm import Session

import db.curation
import db.proposing
import db.review.verdicts
from annotate.project.home import look_up, read
from annotate.project.words import count_of
from annotate.review.blindness.sight import Sight
from annotate.screening.standing import explanation, promises
from db.curation import Wanted
from db.tables import Article
from pages.parts.frame.text import local_time
from pages.parts.shared.tables import show_table

ROWS = 50
ANY, IN_PROJECT, REMOVED = "any", "in the project", "removed"
LABELLED = {ANY: None, "with names": True, "without": False}
PARTS = "Models learn from train; validation chooses and test measures them. The article's identifier decides its part."


@dataclass(frozen=True, slots=True)
class Chosen:
    """The articles that people chose: rows of the table, by id, or all that the filters find."""

    wanted: Wanted
    count: int
    rows: tuple[int, ...] | None

    def ids(self) -> list[int]:
        """The ids of the articles as of now, in the order of the list."""
        if self.rows is not None:
            return list(self.rows)
        return look_up(db.curation.listed_ids, self.wanted)


def filters() -> tuple[Wanted, int]:
    """Draws the filters; what they ask for, and how many articles that is."""
    with read() as session:
        tags = db.curation.tags_in_use(session)
        removed = db.curation.count_listed(session, Wanted(removed=True))
    search, labels, tag, state = st.columns([4, 1.6, 1.6, 1.6], vertical_alignment="bottom")
    wanted = Wanted(
        search.text_input("Search", placeholder="Words of the title, or a PMID, PMCID or DOI", key="search"),
        LABELLED[labels.selectbox("Document labels", list(LABELLED), key="labelled")],
        _chosen(tag.selectbox("Tag", [ANY, *tags], key="tagged")),
        removed=state.selectbox(f"Show ({removed:,} removed)", [IN_PROJECT, REMOVED], key="shown") == REMOVED,
    )
    return wanted, look_up(db.curation.count_listed, wanted)


def _chosen(choice: str) -> str:
    return "" if choice == ANY else choice


def _mark(of: object) -> int:
    return zlib.crc32(repr(of).encode())


def page_number(found: int, wanted: Wanted) -> int:
    """Draws the choice of a page of the list; which it is, from 1."""
    pages = max(1, -(-found // ROWS))
    text, number = st.columns([6, 2], vertical_alignment="center")
    caption = f"{count_of(found, 'article')}, {count_of(pages, 'page')}"
    text.caption(caption if found else "Nothing found. Try fewer words, or a whole identifier.")
    label = f"Page of {pages:,}"
    return int(number.number_input(label, 1, pages, 1, key=f"page_{_mark(wanted)}", label_visibility="collapsed"))


def article_table(wanted: Wanted, number: int, sight: Sight) -> list[int]:
    """Draws a page of the list, with what this sight shows; the ids of the rows that are chosen."""
    with read() as session:
        rows = db.curation.page_of_articles(session, wanted, offset=(number - 1) * ROWS, limit=ROWS)
        shown = _removed_rows(session, rows) if wanted.removed else _rows(session, rows, sight)
        meaning = explanation(session)
    visit = st.session_state.get("articles_visit", 0)
    event = show_table(
        shown,
        height="auto" if len(rows) < 15 else 560,
        heads={"id": "Identifier", "promise": "Holds key sentences", "proposals": "Proposed"},
        widths={"title": 400, "id": 95, "journal": 150, "sentences": 85},
        column_config=_columns(meaning),
        selection_mode="multi-row",
        on_select="rerun",
        # Of these rows: a tick is a place among them, where another article may come to stand.
        key=f"articles_{number}_{_mark(wanted)}_{_mark([row.id for row in rows])}_{visit}",
    )
    return [rows[place].id for place in event.selection.rows if place < len(rows)]


def _rows(session: Session, rows: Sequence[Article], sight: Sight) -> list[dict[str, Any]]:
    ids = [row.id for row in rows]
    judged = db.review.verdicts.verdict_counts(session, set(ids) - sight.withheld)
    if own := sight.withheld.intersection(ids):
        judged |= db.review.verdicts.verdict_counts(session, own, sight.annotator_id)
    proposed = db.proposing.current_sets(session, ids)
    promised = promises(session, ids)
    tags = db.curation.tags_of(session, ids)
    return [
        {
            "review": f"/review?article={row.id}",
            **_named(row, tags),
            "sentences": row.sentence_count,
            **({"promise": promised[row.id].words if row.id in promised else "–"} if promised else {}),
            "judged": judged.get(row.id, 0),
            "proposals": "yes" if row.id in proposed else "–",
            "split": row.split,
        }
        for row in rows
    ]


def _removed_rows(session: Session, rows: Sequence[Article]) -> list[dict[str, Any]]:
    removals = db.curation.removals_of(session, [row.id for row in rows])
    tags = db.curation.tags_of(session, [row.id for row in rows])
    return [
        {
            **_named(row, tags),
            "removed by": removals[row.id].done_by,
            "when": local_time(removals[row.id].done_at),
            "why": removals[row.id].reason or "–",
        }
        for row in rows
    ]


def _named(row: Article, tags: Mapping[int, list[str]]) -> dict[str, Any]:
    """What names an article; without a column of tags where no article has one."""
    return {
        "title": row.title,
        "id": row.pmcid or (f"PMID {row.pmid}" if row.pmid else row.doi or "–"),
        **({"tags": tags.get(row.id, [])} if tags else {}),
        "year": row.year,
        "journal": row.journal,
    }


def _columns(meaning: str) -> dict[str, Any]:
    return {
        "year": st.column_config.NumberColumn(format="%d", width=60),
        "tags": st.column_config.ListColumn(width=140, help="Words that people added to the article."),
        "promise": st.column_config.TextColumn(width=135, help=meaning),
        "judged": st.column_config.NumberColumn(width=70, help="Sentences with a verdict."),
        "proposals": st.column_config.TextColumn(width=80, help="Whether sentences are proposed."),
        "split": st.column_config.TextColumn("Part", width=80, help=PARTS),
    }
