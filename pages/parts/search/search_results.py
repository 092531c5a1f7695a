"""The page Search: its box and filters, the hits with their words marked, and the index kept up to date."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

import db.curation.tags
import db.finding.indexed
import db.finding.questions
import db.jobs
from annotate.articles.sentence_places import PARTS
from annotate.project.home import read
from annotate.project.words import count_of
from annotate.search.index_files import DamagedIndex
from annotate.search.queries import BadQuery
from annotate.search.search import DEEPEST, Found, Narrowing, Shown, pieces
from annotate.search.upkeep import catch_up, start_indexing
from db.values import JobState
from pages.parts.frame.templates import render
from pages.parts.frame.text import shown
from pages.parts.shared.job_panel import job_panel, latest_job

ARTICLES, SENTENCES = "Articles", "Sentences"
ANY = "any"
JUDGED, NOT_JUDGED = "judged by me", "not judged by me"
FIRST_YEAR, LAST_YEAR = 1800, 2100
MOST_CHOICES = 500  # of journals and labels; others are asked for in the box
HELP = (
    'Words side by side are all wanted. "Words in quotation marks" follow each other, AND OR NOT and parentheses join, '
    "a word* may go on. Fields: title: abstract: journal: section: gene: cell: edit: organism: label: entity: key: "
    "year:2015..2020. PubMed's tags, as p53[ti], are understood."
)
ROWS = 20
PAGE = "results_page"


@dataclass(frozen=True, slots=True)
class Asked:
    """The typed question, whether sentences are wanted, and the filters."""

    typed: str
    sentences: bool
    narrowing: Narrowing


def asked_for(me: str | None) -> Asked:
    """Draws the box and the filters; returns the question that is asked now."""
    box, kind = st.columns([5, 1.6], vertical_alignment="bottom")
    typed = box.text_input(
        "Search",
        key="q",
        bind="query-params",
        type="search",
        placeholder='mutation "cell line" title:TP53 year:2015..2020',
        help=HELP,
        max_chars=4_000,
    )
    what = kind.segmented_control(
        "What", [ARTICLES, SENTENCES], default=ARTICLES, key="what", required=True, label_visibility="collapsed"
    )
    with st.expander("Filters", icon=":material/filter_alt:"):
        narrowing = _filters(me)
    return Asked((typed or "").strip(), what == SENTENCES, narrowing)


def _filters(me: str | None) -> Narrowing:
    with read() as session:
        journals = sorted(db.finding.questions.journals(session, limit=MOST_CHOICES), key=str.casefold)
        labels = db.finding.indexed.label_choices(session, MOST_CHOICES)
        tags = db.curation.tags.tags_in_use(session)
    first, last, journal, section = st.columns([1, 1, 2, 1.5], vertical_alignment="bottom")
    label, tag, entity, judged = st.columns([2, 1.5, 2, 1.5], vertical_alignment="bottom")
    years = (
        first.number_input("From year", FIRST_YEAR, LAST_YEAR, None, 1, key="from_year"),
        last.number_input("To year", FIRST_YEAR, LAST_YEAR, None, 1, key="to_year"),
    )
    choice = judged.selectbox("Articles", [ANY, JUDGED, NOT_JUDGED], key="judged") if me else ANY
    return Narrowing(
        years,
        journal=_chosen(journal.selectbox("Journal", [ANY, *journals], key="journal")),
        section=_chosen(section.selectbox("Section", [ANY, *PARTS], key="section")),
        label=_chosen(label.selectbox("Document label", [ANY, *labels], key="label")),
        tag=_chosen(tag.selectbox("Tag", [ANY, *tags], key="tag")),
        entity=entity.text_input("Recognised gene, cell or organism", key="entity", max_chars=100).strip(),
        judged_by=me or "" if choice == JUDGED else "",
        not_judged_by=me or "" if choice == NOT_JUDGED else "",
    )


def _chosen(choice: str) -> str:
    return "" if choice == ANY else choice


def bad_query(error: BadQuery, typed: str) -> None:
    """Says why a search cannot be understood, and where."""
    reason = str(error)
    st.error(shown(reason[:1].upper() + reason[1:]), icon=":material/error:")
    start, end = error.place
    if end and typed[start:end]:
        st.html(render("search_place.html.j2", before=typed[:start], wrong=typed[start:end], after=typed[end:]))


def counted(found: Found, *, sentences: bool, seconds: float) -> None:
    """How many were found, and in what time."""
    what = "sentence" if sentences else "article"
    number = count_of(found.count, what)
    if not found.count:
        st.info(
            "Nothing found. Try fewer words, the beginning of a word with * (mutat*), or other filters.",
            icon=":material/search_off:",
        )
    elif found.loosened:
        st.caption(f"No {what} holds all of these words. {number} hold some of them, the best first.")
    else:
        st.caption(f"{number} · {1000 * seconds:,.0f} ms")


def hits(found: list[Shown]) -> None:
    """The hits; a click on one opens it in Review, at its sentence."""
    st.html(render("search_hits.html.j2", hits=[_as_values(hit) for hit in found]))


def page_chosen(asked: object) -> int:
    """Which page of the hits is wanted, from 0; the first one once something else is asked."""
    if st.session_state.get("results_of") != asked:
        st.session_state.update({"results_of": asked, PAGE: 1})
    return int(st.session_state.get(PAGE, 1)) - 1


def turn_pages(count: int) -> None:
    """The buttons that turn the pages of `count` hits."""
    pages = -(-min(count, DEEPEST) // ROWS)
    if pages > 1:
        st.pagination(pages, key=PAGE)
    if count > DEEPEST:
        st.caption(f"The first {DEEPEST:,} can be looked at: ask for more words to see others.")


def _as_values(hit: Shown) -> dict[str, Any]:
    told = (hit.journal, hit.year, hit.key.replace("pmid:", "PMID ").replace("pmcid:", ""))
    first = hit.sentences[0].position if len(hit.sentences) == 1 else None
    return {
        "address": address(hit.article_id, first),
        "title": pieces(hit.title, hit.title_marked),
        "told": " · ".join(str(part) for part in told if part),
        "sentences": [
            {
                "pieces": pieces(each.text, each.marked),
                "address": address(hit.article_id, each.position),
                "section": each.section,
                "number": each.position + 1,
            }
            for each in hit.sentences
        ],
    }


def address(article_id: int, position: int | None = None) -> str:
    """Where Review opens an article, at a sentence."""
    return f"/review?article={article_id}" + ("" if position is None else f"&sentence={position}")


def bring_up() -> None:
    """Indexes a few missing articles at once; for more, says how many, and starts the job."""
    try:
        behind = catch_up()
        note = f"The index is {count_of(behind, 'article')} behind: it is being updated."
    except DamagedIndex:
        behind, note = 1, "The index is damaged: it is being built again."
    if not behind:
        return
    latest = latest_job("index")
    ended_badly = latest is not None and latest.state in (JobState.FAILED, JobState.CANCELLED)
    if not ended_badly and (latest is None or latest.state not in db.jobs.ACTIVE):
        start_indexing()
    if ended_badly:
        note = note.replace("it is being", "it is to be")
        st.button("Update the index", on_click=start_indexing, icon=":material/sync:")
    st.caption(note)
    job_panel(["index"])
