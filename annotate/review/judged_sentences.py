"""Sentences that are asked about one at a time, and the ones that a reviewer has accepted and rejected."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.orm import Session

import db.articles
import db.review.verdicts
from annotate.articles.document_labels import Labels
from db.articles import SentenceText
from db.values import Value

MOST = 10  # of either kind, the latest


def judged_sentences(session: Session, reviewer: str) -> dict[Value, list[str]]:
    """The texts that this reviewer accepted and rejected last, at most MOST of either, the latest first."""
    annotator_id = db.review.verdicts.find_annotator(session, reviewer)
    given = db.review.verdicts.current_verdicts(session, annotator=annotator_id) if annotator_id else ()
    latest = [(verdict.value, (verdict.article_id, position)) for verdict, _, position in reversed(given)]
    last = {one: [place for value, place in latest if value == one][:MOST] for one in (Value.ACCEPT, Value.REJECT)}
    articles = sorted({article_id for places in last.values() for article_id, _ in places})
    texts = {(one.article_id, one.position): one.text for one in db.articles.sentences(session, articles)}
    return {value: [texts[place] for place in places] for value, places in last.items()}


@dataclass(frozen=True, slots=True)
class Question:
    """A sentence to be judged; `before` and `after` are the texts around it, empty where none.

    `source` is where its article appeared, `labels` are its document labels, `probability` is how likely it is key;
    they are empty where they are not to be told. `shown` is what a verdict keeps of how the sentence came up.
    """

    sentence: SentenceText
    title: str
    before: str
    after: str
    source: str = ""
    labels: Labels = field(default_factory=Labels)
    probability: float | None = None
    shown: Mapping[str, Any] | None = None

    @property
    def place(self) -> tuple[int, int]:
        """The article and the position of the sentence in it."""
        return self.sentence.article_id, self.sentence.position


def in_place(session: Session, places: Collection[tuple[int, int]]) -> dict[tuple[int, int], Question]:
    """The sentences at some (article id, position), each with its neighbours in the same section."""
    around = {(article_id, position + step) for article_id, position in places for step in (-1, 0, 1)}
    texts = db.articles.sentences_at(session, around)
    titles = db.articles.titles(session, list({article_id for article_id, _ in places}))

    def neighbour(sentence: SentenceText, step: int) -> str:
        found = texts.get((sentence.article_id, sentence.position + step))
        return found.text if found and found.section == sentence.section else ""

    return {
        place: Question(one, titles[place[0]], neighbour(one, -1), neighbour(one, 1))
        for place in places
        if (one := texts.get(place))
    }


def is_answered(session: Session, expert: str, question: Question) -> bool:
    """Whether this expert's word on the sentence is stored by now, and not taken back."""
    annotator_id = db.review.verdicts.find_annotator(session, expert)
    if annotator_id is None:
        return False
    article_id, asked = question.place
    given = db.review.verdicts.current_verdicts(session, article_id=article_id, annotator=annotator_id)
    return any(position == asked for _, _, position in given)
