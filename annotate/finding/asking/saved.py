"""Questions that are kept: what somebody asked, what they said of articles found, and what each finds that is new."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, Literal

from pydantic import Field, TypeAdapter
from sqlalchemy.orm import Session

import db.finding.questions
import db.review.verdicts
import db.rows
from annotate.finding.question import Filters, Question
from annotate.project.acting import own_name
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.review.events import Event, Position, Refused
from annotate.review.verdicts import Recording, add_event, record_each, store_request
from annotate.search.index_files import DamagedIndex
from annotate.search.queries import Years, written
from annotate.search.reading import is_tagged
from annotate.search.upkeep import catch_up, first_missing
from db.base import utc_now
from db.finding.questions import UNSURE, Judgement
from db.tables import Article, Relevance, StoredQuestion

MAX_NAME = 80
MAX_TEXT = 2_000
MAX_NAMES = 60  # of all facets together, with synonyms
# New articles are told if they are among this many first results: below, a search finds articles of any kind.
FIRST = 100
_TAGS = ("tags", "without_tags")
_PARTS = ("text", "facets", "filters")
_QUESTION = TypeAdapter(Question)


class NotYours(LookupError):
    """No question with this id that this person may see."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the stages that rank what it finds."""

    question: Question
    stages: tuple[str, ...]


# What a screening of the whole project asks: nothing ranks, and nothing is left out.
ALL_ARTICLES = Asked(Question(), ())


@dataclass(frozen=True, slots=True)
class Kept:
    """A stored question of `by`, who last looked at `seen_at`, when articles up to `seen_until` were there."""

    id: int
    by: str
    name: str
    asked: Asked
    saved: bool
    shared: bool
    seen_until: int
    seen_at: str


def as_stored(asked: Asked) -> dict[str, Any]:
    """A question as values for JSON; `from_stored` gives it back."""
    question = asked.question
    facets = {key: [asdict(facet) for facet in facets] for key, facets in question.facets.items() if facets}
    chosen = question.filters
    filters = {"years": list(chosen.years), "journals": list(chosen.journals)}
    # Named only where they are asked for: a question of an earlier release stays the same question.
    filters |= {name: list(tags) for name in _TAGS if (tags := getattr(chosen, name))}
    return {"text": question.text, "facets": facets, "filters": filters, "stages": list(asked.stages)}


def from_stored(stored: dict[str, Any]) -> Asked:
    """The question of such values."""
    return Asked(_QUESTION.validate_python({each: stored[each] for each in _PARTS}), tuple(stored["stages"]))


def checked(asked: Asked) -> Asked:
    """Returns the question. Raises ValueError for one that asks for nothing, or for more than any question."""
    question = asked.question
    is_empty = not question.asked and not question.text.strip() and question.filters == Filters()
    if is_empty and asked != ALL_ARTICLES:
        raise ValueError("the search is empty: type some words, or choose a filter")
    names = sum(len(facet.names) for facets in question.facets.values() for facet in facets)
    if len(question.text) > MAX_TEXT or names > MAX_NAMES:
        raise ValueError(f"a search has at most {MAX_TEXT:,} characters and {MAX_NAMES} names")
    return asked


def keep(annotator: str, asked: Asked) -> int:
    """Stores that somebody asks this, so that what they say of it has a place; the same question is kept once a person.

    Returns its id. Raises ValueError as `checked`, Forbidden for the name of another.
    """
    stored = as_stored(checked(asked))
    unnamed = "all articles" if asked == ALL_ARTICLES else "all articles that pass the filters"
    with write(Right.REVIEW) as session:
        return db.finding.questions.add_question(
            session,
            annotator_id=db.review.verdicts.annotator_id(session, own_name(annotator)),
            sha256=db.finding.questions.question_sha256(stored),
            name=_short(typed_as(asked.question) or unnamed),
            question=stored,
            saved=False,
            shared=False,
            seen_until=searched_until(session),
            created_at=utc_now(),
            seen_at=utc_now(),
        )


def typed_as(question: Question) -> str:
    """What one types to ask it again: its names, its text, its years, and its journals by their words.

    Tags cannot be typed."""
    names = [each.asked for own in question.facets.values() for each in own]
    years = [written(Years(*question.filters.years))] if any(question.filters.years) else []
    named = " OR ".join(f'"{journal}"' for each in question.filters.journals if (journal := each.replace('"', "")))
    fields = [*years, f"journal:({named})"] if named else years
    text = question.text.strip()
    # An OR or a tag would reach beyond the text.
    holds = (names or fields) and (re.search(r"\bOR\b", text) or is_tagged(text))
    return " ".join(filter(None, [*names, f"({text})" if holds else text, *fields]))


def _short(words: str) -> str:
    tidy = " ".join("".join(letter if letter.isprintable() else " " for letter in words).split())
    return tidy if len(tidy) <= MAX_NAME else tidy[: MAX_NAME - 1] + "…"


def demand_own(session: Session, question_id: int, annotator: str) -> None:
    """Raises NotYours where this is no question of this person."""
    found = db.finding.questions.question(session, question_id)
    if found is None or found[1] != annotator:
        raise NotYours(f"there is no search {question_id} of yours")


def kept(session: Session, question_id: int, annotator: str) -> Kept:
    """A question of this person, or one that its owner shares. Raises NotYours."""
    found = db.finding.questions.question(session, question_id)
    if found is None or not (found[1] == annotator or (found[0].saved and found[0].shared)):
        raise NotYours(f"there is no search {question_id} of yours")
    return _kept(*found)


def _kept(row: StoredQuestion, by: str) -> Kept:
    asked = from_stored(row.question)
    return Kept(row.id, by, row.name, asked, row.saved, row.shared, row.seen_until, row.seen_at)


def saved_searches(session: Session, annotator: str) -> list[Kept]:
    """What this person saved, and what others share, by name."""
    return [_kept(row, by) for row, by in db.finding.questions.saved_questions(session, annotator)]


def save(annotator: str, question_id: int, name: str, *, shared: bool = False) -> None:
    """Gives a question of one's own a name and a place in the list. Raises NotYours, ValueError for an empty name."""
    tidy = _short(name)
    if not tidy:
        raise ValueError("a saved search needs a name")
    _change(annotator, question_id, name=tidy, saved=True, shared=shared)


def unsave(annotator: str, question_id: int) -> None:
    """Takes a question out of the list; what was said of its articles stays. Raises NotYours."""
    _change(annotator, question_id, saved=False, shared=False)


def mark_seen(annotator: str, question_id: int, until: int | None = None) -> None:
    """Says that this person has seen what it finds among articles up to an id, by default all searched now."""
    _change(annotator, question_id, seen_until=until, seen_at=utc_now())


def _change(annotator: str, question_id: int, **values: Any) -> None:
    with write(Right.REVIEW) as session:
        demand_own(session, question_id, own_name(annotator))
        if "seen_until" in values and values["seen_until"] is None:
            values["seen_until"] = searched_until(session)
        db.rows.change(session, StoredQuestion, question_id, **values)


def searched_until(session: Session) -> int:
    """The id of the last article up to which a search looks through all: a later one is stored, but in no index yet, so
    no person was shown it. Ids become visible in their order, since writers pass one lock."""
    last = db.rows.last_id(session, Article)
    try:
        missing = first_missing(session)
    except DamagedIndex:  # which the search itself tells
        missing = None
    return last if missing is None else min(last, missing - 1)


def ready_until() -> int:
    """Brings the search index up to date; returns the last article id that a search covers. Call it before a search: an
    article that is indexed during the search was not shown."""
    with suppress(DamagedIndex):  # which the search itself tells
        catch_up()
    with read() as session:
        return searched_until(session)


def new_since(saved: Kept, article_ids: Sequence[int | None]) -> list[int]:
    """Of what a saved search finds, best first, the articles among the FIRST that came since its owner looked."""
    return [number for number in article_ids[:FIRST] if number is not None and number > saved.seen_until]


GRADES: dict[str, int | None] = {"relevant": 1, "unsure": UNSURE, "not": 0, "": None}
MAX_KEY = 200


class RelevanceEvent(Event):
    """What a page sends of an article: a value of GRADES; from how many it was drawn, where by lot."""

    value: Literal["relevant", "unsure", "not", ""] = Field(
        description="it is neither relevant, nor unsure, nor not, nor withdrawn"
    )
    key: str = Field(min_length=1, max_length=MAX_KEY, description=f"a key has 1 to {MAX_KEY} characters")
    waiting: Position | None = Field(default=None, description="from how many it was drawn is no number")


def record(annotator: str, question_id: int, events: Sequence[Any]) -> tuple[list[str], list[dict[str, str | None]]]:
    """Stores what a page of Find sends, as annotate.review.verdicts does: the ids on disk, {id, reason} of the refused.

    An event is {id, kind: "relevance", key, value, waiting} or {id, kind: "queue", article, value, for_all, reason}.
    One that was sent before is stored once. Relevance is refused for a question of another person.
    """
    return record_each(annotator, events, Right.REVIEW, lambda by, event: _store(by, question_id, event))


def _store(by: Recording, question_id: int, sent: dict[str, Any]) -> None:
    if sent.get("kind") == "queue":
        store_request(by, sent)
    elif sent.get("kind") == "relevance":
        _store_relevance(by, question_id, RelevanceEvent.of(sent))
    else:
        raise Refused("the kind of event is none of queue, relevance")


def _store_relevance(by: Recording, question_id: int, event: RelevanceEvent) -> None:
    try:
        demand_own(by.session, question_id, by.annotator)
    except NotYours as error:
        raise Refused(str(error)) from None
    if not event.key.isprintable():
        raise Refused("a key that cannot be printed")
    row = {
        "event_id": event.id,
        "question_id": question_id,
        "annotator_id": by.annotator_id,
        "article_key": event.key,
        "grade": GRADES[event.value],
        "waiting": event.waiting,
        "given_at": utc_now(),
    }
    add_event(by.session, Relevance, row)


def judged(session: Session, question_id: int, annotator: str) -> dict[str, Judgement]:
    """What this person says now of articles for a question, by key, in the order in which it was said."""
    return {each.key: each for each in db.finding.questions.current_relevance(session, question_id, annotator)}
