"""The form of a search: the box, articles or sentences, and the filters."""

from dataclasses import dataclass

import streamlit as st

import db.curation.tags
import db.finding.indexed
import db.finding.questions
from annotate.articles.sentence_places import PARTS
from annotate.project.home import read
from annotate.search.search import Narrowing

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
    choice = ANY
    if me:
        choice = judged.selectbox("Articles", [ANY, JUDGED, NOT_JUDGED], key="judged")
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
