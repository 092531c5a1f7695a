"""The form of a question: one box, the names in it as chips with their other names, and filters behind a button."""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

import streamlit as st
from sqlalchemy.orm import Session

import db.curation
import db.finding.indexed
import db.finding.questions
from annotate.articles.document import PARTS
from annotate.finding.asking.facets import Synonym, facet_kinds, names_typed, offered_names, synonyms_of
from annotate.finding.asking.saved import Asked, keep, typed_as
from annotate.finding.matching import understood
from annotate.finding.question import Facet, Filters, Question
from annotate.finding.stages import STAGES
from annotate.project.home import look_up, read
from annotate.search.queries import BadQuery
from annotate.topics.project_topic import topic_now
from annotate.topics.schema import KindEntry
from pages.parts.frame.messages import keep_error, show_message
from pages.parts.frame.shown import shown_parts
from pages.parts.frame.text import shown
from pages.parts.shared.scripts import component

JOURNALS, LABELS = 200, 500
HELP = (
    'Words rank what is found. "Words in quotation marks" must follow each other. AND, OR, NOT and parentheses join '
    "words; word* finds longer words, too. Fields: title: abstract: journal: section: gene: cell: edit: organism: "
    "label: entity: key: year:2015..2020. PubMed's tags, as p53[ti], are understood."
)
TAGS = (("find_tags", "Tagged as any of", "Any"), ("find_without_tags", "Tagged as none of", "None"))
TYPING, BEFORE = "find_typing", "find_typed_before"  # what is typed, and the texts of which chips were made
LEFT, TYPED = "find_left", "find_typed_names"  # what the last search left in the box, and the names it took out
_typing = component(TYPING, "<span></span>", [Path(__file__).parent / "typing.js"])
FIRST_YEAR, LAST_YEAR = 1800, 2100


def question_form() -> None:
    """Draws the box and its filters; Enter asks. Names that Keyline knows become chips, each with its other names."""
    with read() as session:
        kinds = facet_kinds(topic_now(session))
        offered = {kind.key: offered_names(session, kind) for kind in kinds}
        journals = db.finding.questions.journals(session, limit=JOURNALS)
        labels = db.finding.indexed.label_choices(session, LABELS)
        tags = list(db.curation.tags_in_use(session))
    state = st.session_state
    state[TYPED] = [(key, name) for key, name in state.get(TYPED, []) if name in state.get(f"find_{key}", [])]
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
    row.text_input(
        "What do you look for?",
        key="find_text",
        type="search",
        placeholder=" ".join(re.split("[;|]", kind.example)[0] for kind in kinds),
        help=HELP,
        max_chars=2000,
        on_change=ask_soon,
    )
    with row.popover("Filters", icon=":material/tune:"):
        _filter_fields(kinds, offered, journals, labels, tags)
    row.button("Find", type="primary", on_click=ask_soon, key="find_ask")
    if "question" in st.query_params:
        row.button("Clear", on_click=_clear, key="find_clear", help="Empties the box, its names and the filters.")
    with st.container(horizontal=True, gap="small", key="find_chips"):
        for kind in kinds:
            for name in state.get(f"find_{kind.key}", []):
                _chip(kind, name)
        _typed_names(kinds)
    show_message("find_error")


@st.fragment
def _typed_names(kinds: Sequence[KindEntry]) -> None:
    """Chips of the names among the words that are being typed: Enter takes them out of the box."""
    state = st.session_state
    _typing(key=TYPING, on_typed_change=lambda: None)
    if (typed := _typed()) in state.get(BEFORE, ()):
        return
    _, names = look_up(names_typed, kinds, typed, _vocabulary_names)
    with st.container(horizontal=True, gap="small", key="find_chips_typed"):
        for key, name in dict.fromkeys((kind.key, name) for kind, name in names):
            if name not in state.get(f"find_{key}", []):
                _chip(next(kind for kind in kinds if kind.key == key), name, typed=True)


def _typed() -> str:
    """What was in the box when a key was last pressed there."""
    return st.session_state.get(TYPING, {}).get("typed") or ""


def ask_soon() -> None:
    """Has the page ask what the form says, once it can show that it is at work."""
    st.session_state.find_asking = True


def _clear() -> None:
    """Empties the form; no search is on show then."""
    fill_form(Asked(Question(""), ()))
    for name in ("question", "q"):
        st.query_params.pop(name, None)
    for name in ("find_filled", TYPED):
        st.session_state.pop(name, None)
    st.session_state[BEFORE] = ("", _typed())


def ask(reviewer: str) -> None:
    """Asks what the form says now, before it is drawn; first the known names among the typed words become chips.

    Where none of the words that the last search left in the box stands there, or one like it, its typed names go, too.
    """
    with keep_error("find_error"):
        state = st.session_state
        box = state.get("find_text", "")
        state[BEFORE] = (box, _typed())
        left, now = _words(state.get(LEFT, "")), _words(box)
        if left and now and not _alike(left, now):
            for key, name in state.pop(TYPED, []):
                state[f"find_{key}"] = [each for each in state.get(f"find_{key}", []) if each != name]
        with read() as session:
            kinds = facet_kinds(topic_now(session))
            state.find_text, names = names_typed(session, kinds, box, _vocabulary_names)
            for kind, name in names:
                state[f"find_{kind.key}"] = list(dict.fromkeys([*state.get(f"find_{kind.key}", []), name]))
                _other_names(session, kind, name)
        state[TYPED] = [*state.get(TYPED, []), *((kind.key, name) for kind, name in names)]
        asked = asked_now()
        open_question(keep(reviewer, asked), asked)


def _words(text: str) -> set[str]:
    """The words of a text but for short ones such as "in"."""
    return set(re.findall(r"\w{4,}", text.lower()))


def _alike(some: set[str], others: set[str]) -> bool:
    """Whether a word of these is one of the others: corrected, or with another ending."""
    beginnings = {word[:5] for word in others}
    return any(word[:5] in beginnings or get_close_matches(word, others, 1, 0.8) for word in some)


def read_names() -> None:
    """Has the vocabularies of the facets read, which the first typed name would wait for."""
    for kind in facet_kinds(look_up(topic_now)):
        list(_vocabulary_names(kind, "ready"))


def _vocabulary_names(kind: KindEntry, name: str) -> Iterator[str]:
    return (other for part in shown_parts() for names in part.other_names for other in names(kind, name))


def _other_names(session: Session, kind: KindEntry, name: str) -> list[Synonym]:
    """The other names of a name; those that are on at first are chosen where nothing was chosen yet."""
    known = synonyms_of(session, kind, name, _vocabulary_names(kind, name))
    st.session_state.setdefault(_also(kind.key, name), [each.name for each in known if each.on])
    return known


def _chip(kind: KindEntry, name: str, *, typed: bool = False) -> None:
    """A name of the question, with its other names behind it, those in the question chosen; and a way to take it out,
    unless it is `typed` only."""
    key = _also(kind.key, name)
    known = look_up(_other_names, kind, name)
    options = list(dict.fromkeys([*(each.name for each in known), *st.session_state[key]]))
    sources = ", ".join(dict.fromkeys(each.source for each in known))
    origins = f"From: {sources}." if sources else "No other names are known. Type some."

    def take_out() -> None:
        st.session_state[f"find_{kind.key}"].remove(name)
        ask_soon()

    chip = st.container(horizontal=True, gap=None, width="content", key=f"find_chip_{kind.key}_{name}")
    with chip.popover(shown(f"{name} · {kind.name}")):
        st.multiselect(
            f"{shown(name)} is also",
            options,
            key=key,
            accept_new_options=True,
            placeholder="add a name",
            help=origins,
        )
    if not typed:
        chip.button("×", key=f"find_out_{kind.key}_{name}", on_click=take_out, help=shown(f"Remove {name}"))


def _also(facet: str, name: str) -> str:
    return f"find_also_{facet}_{name}"


def _filter_fields(
    kinds: Sequence[KindEntry],
    offered: Mapping[str, Sequence[str]],
    journals: Sequence[str],
    labels: Sequence[str],
    tags: Sequence[str],
) -> None:
    for kind in kinds:
        key = f"find_{kind.key}"
        options = list(dict.fromkeys([*st.session_state.get(key, []), *offered[kind.key]]))
        st.multiselect(shown(kind.plural), options, key=key, accept_new_options=True, placeholder="Any")
    where, labelled, entity = st.columns(3)
    where.selectbox("Section", PARTS, None, key="find_in_section", on_change=_type_field, args=("section",))
    labelled.selectbox("Document label", labels, None, key="find_in_label", on_change=_type_field, args=("label",))
    entity.text_input("Recognised name", key="find_in_entity", on_change=_type_field, args=("entity",), max_chars=100)
    first, last = st.columns(2)
    first.number_input("From year", FIRST_YEAR, LAST_YEAR, None, key="find_from")
    last.number_input("To year", FIRST_YEAR, LAST_YEAR, None, key="find_to")
    options = list(dict.fromkeys([*st.session_state.get("find_journals", []), *journals]))
    st.multiselect("Journals", options, key="find_journals", placeholder="Any")
    for column, (key, label, none) in zip(st.columns(2), TAGS, strict=True):
        options = list(dict.fromkeys([*st.session_state.get(key, []), *tags]))
        column.multiselect(label, options, key=key, placeholder=none)
    st.session_state.setdefault("find_stages", _standard_stages())
    st.pills(
        "Ranked by",
        list(STAGES),
        selection_mode="multi",
        key="find_stages",
        format_func=lambda name: STAGES[name].title,
    )
    st.caption(" ".join(shown(f"{stage.title}: {stage.about}.") for stage in STAGES.values()))


def _standard_stages() -> list[str]:
    return [name for name, stage in STAGES.items() if stage.on]


def _type_field(field: str) -> None:
    """Types what was chosen of a field into the box."""
    state = st.session_state
    if chosen := (state[f"find_in_{field}"] or "").replace('"', "").strip():
        state.find_text = f'{state.get("find_text", "")} {field}:"{chosen}"'.strip()
    state[f"find_in_{field}"] = "" if field == "entity" else None


def asked_now() -> Asked:
    """The question as the form has it. Raises ValueError where the text, years or stages make no sense."""
    state = st.session_state
    text = state.get("find_text", "").strip()
    journals, *tags = (tuple(state.get(key, [])) for key in ("find_journals", *(key for key, _, _ in TAGS)))
    filters = Filters((state.get("find_from"), state.get("find_to")), journals, *tags)
    with read() as session:
        facets = {
            kind.key: tuple(Facet(name, tuple(state.get(_also(kind.key, name), []))) for name in named)
            for kind in facet_kinds(topic_now(session))
            if (named := state.get(f"find_{kind.key}", []))
        }
        try:
            question = understood(session, Question(text, facets, filters))
        except BadQuery as error:
            start, end = error.place
            raise ValueError(f"{error}: {text[start:end]}" if text[start:end] else str(error)) from error
    stages = tuple(name for name in STAGES if name in state.get("find_stages", _standard_stages()))
    if not stages:
        raise ValueError("no stage is on: switch one on")
    return Asked(question, stages)


def open_question(question_id: int, asked: Asked) -> None:
    """Ranks a question again and shows what it finds, from now on and after a reload. The address also says what was
    typed, for those to whom it is sent."""
    st.query_params["question"] = str(question_id)
    st.query_params["q"] = typed_as(asked.question)
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
    state.find_text = state[LEFT] = question.text
    state.find_from, state.find_to = question.filters.years
    state.find_journals = list(question.filters.journals)
    state.find_tags, state.find_without_tags = list(question.filters.tags), list(question.filters.without_tags)
    state.find_stages = [name for name in asked.stages or _standard_stages() if name in STAGES]
