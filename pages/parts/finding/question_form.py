"""The form of a question: a field for each facet of the topic, other names to switch on and off, words, filters."""

import re
from collections.abc import Sequence
from itertools import chain

import streamlit as st

import db.curation.tags
import db.finding.questions
from annotate.finding.asking.facets import facet_kinds, offered_names, synonyms_of
from annotate.finding.asking.saved import Asked, keep
from annotate.finding.question import Facet, Filters, Question
from annotate.finding.stages import STAGES
from annotate.project.home import look_up, read
from annotate.topics.project_topic import topic_now
from annotate.topics.schema import KindEntry
from pages.parts.frame.shown import shown_parts
from pages.parts.frame.text import shown
from pages.parts.frame.told import say, trying

JOURNALS = 200
TAGS = (("find_tags", "Tagged as any of", "Any"), ("find_without_tags", "Not tagged as", "None"))
FIRST_YEAR, LAST_YEAR = 1800, 2100


def question_form(reviewer: str) -> None:
    """Draws the form; its button asks the question."""
    with read() as session:
        kinds = facet_kinds(topic_now(session))
        offered = {kind.key: offered_names(session, kind) for kind in kinds}
        journals = db.finding.questions.journals(session, limit=JOURNALS)
        tags = list(db.curation.tags.tags_in_use(session))
    columns = st.columns(max(1, len(kinds)))
    for column, kind in zip(columns, kinds, strict=False):
        with column:
            _facet_fields(kind, offered[kind.key])
    text, more, button = st.columns([6, 2, 1], vertical_alignment="bottom")
    text.text_input("Words", key="find_text", placeholder="in your own words", max_chars=2000)
    with more.popover("Filters and stages", icon=":material/tune:", width="stretch"):
        _filter_fields(journals, tags)

    def ask() -> None:
        with trying("find_error"):
            open_question(keep(reviewer, asked_now()))

    button.button("Find", type="primary", on_click=ask, width="stretch", key="find_ask")
    say("find_error")


def _facet_fields(kind: KindEntry, offered: Sequence[str]) -> None:
    """The field of a facet, and below it one for each name in it: its other names, those in the question chosen."""
    key = f"find_{kind.key}"
    options = list(dict.fromkeys([*st.session_state.get(key, []), *offered]))
    example = re.split("[;|]", kind.example)[0]
    hint = f"such as {example}" if example else "any"
    named = st.multiselect(shown(kind.plural), options, key=key, accept_new_options=True, placeholder=hint)
    for name in named:
        key = _also(kind.key, name)
        with read() as session:
            given = (names(kind, name) for part in shown_parts() for names in part.other_names)
            known = synonyms_of(session, kind, name, chain.from_iterable(given))
        if key not in st.session_state:
            st.session_state[key] = [each.name for each in known if each.on]
        options = list(dict.fromkeys([*(each.name for each in known), *st.session_state[key]]))
        sources = ", ".join(dict.fromkeys(each.source for each in known))
        told = f"Synonyms of {shown(name)}. " + (
            f"From: {sources}." if sources else "No synonyms are known. Type some."
        )
        st.multiselect(
            f"{shown(name)} is also", options, key=key, accept_new_options=True, placeholder="add a name", help=told
        )


def _also(facet: str, name: str) -> str:
    return f"find_also_{facet}_{name}"


def _filter_fields(journals: Sequence[str], tags: Sequence[str]) -> None:
    first, last = st.columns(2)
    first.number_input("From year", FIRST_YEAR, LAST_YEAR, None, key="find_from")
    last.number_input("To year", FIRST_YEAR, LAST_YEAR, None, key="find_to")
    options = list(dict.fromkeys([*st.session_state.get("find_journals", []), *journals]))
    st.multiselect("Journals", options, key="find_journals", placeholder="Any")
    for column, (key, label, none) in zip(st.columns(2), TAGS, strict=True):
        options = list(dict.fromkeys([*st.session_state.get(key, []), *tags]))
        column.multiselect(label, options, key=key, placeholder=none)
    st.session_state.setdefault("find_stages", [name for name, stage in STAGES.items() if stage.on])
    st.pills(
        "Ranked by",
        list(STAGES),
        selection_mode="multi",
        key="find_stages",
        format_func=lambda name: STAGES[name].title,
    )
    st.caption(" ".join(shown(f"{stage.title}: {stage.about}.") for stage in STAGES.values()))


def asked_now() -> Asked:
    """The question as the form has it. Raises ValueError where years or stages make no sense."""
    state = st.session_state
    kinds = facet_kinds(look_up(topic_now))
    facets = {
        kind.key: tuple(Facet(name, tuple(state.get(_also(kind.key, name), []))) for name in named)
        for kind in kinds
        if (named := state.get(f"find_{kind.key}", []))
    }
    first, last = state.get("find_from"), state.get("find_to")
    if first is not None and last is not None and first > last:
        raise ValueError(f"no year is from {first} and up to {last}")
    stages = tuple(name for name in STAGES if name in state.get("find_stages", STAGES))
    if not stages:
        raise ValueError("no stage is on: switch one on")
    journals, *tags = (tuple(state.get(key, [])) for key in ("find_journals", *(key for key, _, _ in TAGS)))
    filters = Filters((first, last), journals, *tags)
    return Asked(Question(state.get("find_text", "").strip(), facets, filters), stages)


def open_question(question_id: int) -> None:
    """Ranks a question again and shows what it finds, from now on and after a reload."""
    st.query_params["question"] = str(question_id)
    st.session_state.find_visit = st.session_state.get("find_visit", 0) + 1
    st.session_state.pop("find_more", None)


def fill_form(asked: Asked) -> None:
    """Puts a question into the fields, before they are drawn."""
    state = st.session_state
    for key in [key for key in state if str(key).startswith("find_also_")]:
        del state[key]
    kinds = facet_kinds(look_up(topic_now))
    question = asked.question
    for kind in kinds:
        facets = question.facets.get(kind.key, ())
        state[f"find_{kind.key}"] = [facet.asked for facet in facets]
        for facet in facets:
            state[_also(kind.key, facet.asked)] = list(facet.synonyms)
    state.find_text = question.text
    state.find_from, state.find_to = question.filters.years
    state.find_journals = list(question.filters.journals)
    state.find_tags, state.find_without_tags = list(question.filters.tags), list(question.filters.without_tags)
    state.find_stages = [name for name in asked.stages if name in STAGES]
