"""The practice round: newcomers judge articles whose labels are known, and learn how far they agree with them.

Their answers are no verdicts: they stand only in the history, as events of the kind "practice", which never change.
Nothing that learns or counts reads them. An article that several judge blind is of no round until it is released: its
end shows what others said.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pydantic import Field
from sqlalchemy.orm import Session

import db.articles
import db.proposing
import db.review.verdicts
import db.team.history
from annotate.gold.label_sets import labels_now
from annotate.project.acting import Auth, allowed, auth, own_name
from annotate.project.home import read, write
from annotate.project.notes import Noted, note
from annotate.project.rights import Right
from annotate.project.stored_settings import StoredSettings, settings_now
from annotate.review.article_view import PRACTICE_ENDPOINT, note_tour, reading_view
from annotate.review.blindness.released import withheld
from annotate.review.events import Refused, clean_comment, event_of
from annotate.review.verdicts import Recording, record_each, sentence_id
from annotate.team.history import VERDICTS
from annotate.topics.label_columns import labels_by_kind
from annotate.topics.project_topic import topic_now
from db.values import Value
from model.agreement import Coefficient, pair_agreement
from model.checked_settings import checked

MOST_ARTICLES = 20
MOST_OFFERED = 300
BOX = "practice-"


@checked
class PracticeRound(StoredSettings):
    """The articles that newcomers judge before they get real work, by id; none means that there is no round."""

    NAME = "practice"
    RIGHT = Right.QUEUE

    article_ids: list[int] = Field(default_factory=list, max_length=MOST_ARTICLES)


@dataclass(slots=True)
class Answers:
    """What one person said of one article: value by sentence position, and whether they are done with it."""

    values: dict[int, str] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)
    labels: dict[int, dict[str, str] | None] = field(default_factory=dict)
    read: bool = False
    finished: bool = False
    events: set[str] = field(default_factory=set)


def round_now(session: Session, name: str | None = None) -> list[int]:
    """The articles of the round that are still there, labelled, and released to people who come new, in the order
    chosen. For the person of this name only those that are released to them."""
    chosen = settings_now(session, PracticeRound).article_ids
    if not chosen:
        return []
    known = labels_now(session).labels
    blind = withheld(session, (name and db.review.verdicts.find_annotator(session, name)) or 0)
    return [number for number in chosen if number in known and number not in blind]


def candidates(session: Session) -> dict[int, str]:
    """Articles that fit a round, by id with their titles: those with proposals whose labels hold a key sentence, and
    that are released to people who come new, the most key sentences first; none of which only picked sentences were
    judged."""
    known = labels_now(session)
    keys = {number: sum(given.values()) for number, given in known.labels.items()}
    fit = {number for number, count in keys.items() if count} - withheld(session, 0) - known.picked
    best = sorted(fit, key=lambda number: (-keys[number], number))
    some = best[:MOST_OFFERED]
    proposed = db.proposing.current_sets(session, some)
    titles = db.articles.titles(session, some)
    return {number: titles[number] for number in some if number in proposed}


def answers(session: Session, article_ids: Collection[int] | None = None) -> Mapping[str, Mapping[int, Answers]]:
    """What everybody has said, by name and article: of these articles, else of those chosen for the round."""
    chosen = settings_now(session, PracticeRound).article_ids if article_ids is None else article_ids
    found: dict[str, dict[int, Answers]] = defaultdict(lambda: defaultdict(Answers))
    for entry in db.team.history.entries_of(session, Noted.PRACTICE, chosen):
        if entry.article_id is not None:
            _take(found[entry.details["annotator"]][entry.article_id], entry.details)
    return found


def _take(into: Answers, details: Mapping[str, Any]) -> None:
    into.events.add(details["event"])
    kind, value = details["said_as"], details["value"]
    if kind == "verdict":
        into.values[details["sentence"]] = value
    elif kind == "comment":
        into.comments["" if details["sentence"] is None else str(details["sentence"])] = value
    elif kind == "labels":
        into.labels[details["sentence"]] = value
    elif kind == "read":
        into.read = bool(value)
    else:
        into.finished = True


def left_of(session: Session, name: str) -> list[int]:
    """The articles of the round that this person has not finished."""
    mine = answers(session).get(name, {})
    return [number for number in round_now(session, name) if number not in mine or not mine[number].finished]


def is_newcomer(session: Session, name: str | None) -> bool:
    """Whether the round comes before real work: for a person who has given no verdict yet and may not see the gold."""
    sees_gold = auth() is not Auth.OFF and allowed(session, Right.GOLD)
    if not name or sees_gold or not settings_now(session, PracticeRound).article_ids:
        return False
    known = db.review.verdicts.find_annotator(session, name)
    worked = bool(known and db.review.verdicts.reviewed_articles(session, known))
    return not worked and bool(left_of(session, name))


def practice_view(article_id: int, reviewer: str) -> dict[str, Any]:
    """The article as the reader shows it, with what this person said in the round in the place of their verdicts."""
    view = reading_view(article_id, reviewer)
    with read() as session:
        mine = answers(session, [article_id]).get(reviewer, {}).get(article_id, Answers())
        order, topic = round_now(session, reviewer), topic_now(session)
    place = order.index(article_id) + 1 if article_id in order else 0
    comments = {number: text for number, text in mine.comments.items() if number}
    return view | {
        "endpoint": PRACTICE_ENDPOINT,
        "box": BOX,
        "rank_endpoint": "",
        "assignment": None,
        "held_by": None,
        "state": {
            "verdicts": {str(position): value for position, value in mine.values.items()},
            # As earlier releases stored them, too.
            "labels": {str(place): labels_by_kind(topic, given) for place, given in mine.labels.items() if given},
            "comments": comments,
            "article_comment": mine.comments.get("", ""),
            "read_in_full": mine.read,
        },
        "queue": {"next": "next", "previous": None, "reviewed": f"Practice {place} of {len(order)}", "waiting": 0},
    }


def record(annotator: str, article_id: int, events: Sequence[Any]) -> tuple[list[str], list[dict[str, str | None]]]:
    """Stores what the page of the round sends; returns as `annotate.review.verdicts.record`. No verdict comes of it."""
    return record_each(annotator, events, Right.REVIEW, lambda by, event: _store(by, article_id, event))


def _store(by: Recording, article_id: int, sent: dict[str, Any]) -> None:
    kind, event = event_of(sent)
    if article_id not in settings_now(by.session, PracticeRound).article_ids:
        raise Refused(f"article {article_id} is not of the practice round")
    mine = answers(by.session, [article_id]).get(by.annotator, {}).get(article_id, Answers())
    if event.id in mine.events:
        return
    if mine.finished:
        raise Refused("this article of the practice round is finished")
    position = getattr(event, "sentence", None)
    if position is not None:
        sentence_id(by.session, article_id, position)
    value = clean_comment(event.value) if kind == "comment" else event.value
    _note(by.session, by.annotator, article_id, kind, value, position, event.id)
    if kind == "verdict":
        note_tour(by.session, by.annotator)  # the first one closes it, and no stored verdict says so


def finish(reviewer: str, article_id: int) -> None:
    """Ends an article of the round for this person: their answers stand. A second call changes nothing."""
    with write(Right.REVIEW) as session:
        name = own_name(reviewer)
        mine = answers(session, [article_id]).get(name, {}).get(article_id, Answers())
        if not mine.finished:
            # A person who ends an article is known by name, so that it is never handed to them as work.
            db.review.verdicts.annotator_id(session, name)
            _note(session, name, article_id, "finished", True, None, f"finished-{article_id}")


def _note(
    session: Session, name: str, article_id: int, kind: str, value: Any, position: int | None, event: str
) -> None:
    subjects = {
        "verdict": VERDICTS.get(value, "") if kind == "verdict" else "",
        "labels": "what it names",
        "comment": "a comment",
        "read": "read in full",
    }
    where = f"sentence {position + 1}: " if position is not None else ""
    summary = f"practice round, {where}{subjects.get(kind, 'finished')}"
    details = {"annotator": name, "said_as": kind, "value": value, "sentence": position, "event": event}
    note(session, Noted.PRACTICE, summary, article_id=article_id, **details)


@dataclass(frozen=True, slots=True)
class Score:
    """Agreement with the gold over `n` sentences of `articles` articles. Shares are 0 to 1, None where undefined.

    precision: the share of sentences called key that are. recall: the share of key sentences called so.
    """

    articles: int
    n: int
    precision: float | None
    recall: float | None
    kappa: Coefficient


@dataclass(frozen=True, slots=True)
class Difference:
    """A sentence on which a newcomer and the gold differ, or both call key: the values, and what the gold notes."""

    position: int
    text: str
    called_key: bool
    is_key: bool
    about: str


def _gold_of(session: Session, article_ids: Sequence[int]) -> dict[int, dict[int, int]]:
    """By article, 1 or 0 by position of each labelled sentence; of one read in full, of every sentence."""
    labels = labels_now(session)
    gold = {number: dict(labels.labels.get(number, {})) for number in article_ids}
    for sentence in db.articles.sentences(session, [number for number in article_ids if number in labels.read]):
        gold[sentence.article_id].setdefault(sentence.position, 0)
    return gold


def score(session: Session, name: str, given: Mapping[int, Answers]) -> Score | None:
    """How far the answers of a person agree with the gold, over the articles they finished; None before any is.

    Sentences left unjudged or called unsure count as not key.
    """
    return _score(_gold_of(session, round_now(session, name)), given)


def scores(session: Session, given: Mapping[str, Mapping[int, Answers]]) -> dict[str, Score]:
    """The score of each person who has finished an article, by name."""
    gold = _gold_of(session, round_now(session))
    found = {name: _score(gold, theirs) for name, theirs in given.items()}
    return {name: one for name, one in found.items() if one}


def _score(gold: Mapping[int, Mapping[int, int]], given: Mapping[int, Answers]) -> Score | None:
    first, second, articles = [], [], []
    for article_id, known in gold.items():
        mine = given.get(article_id)
        if mine is None or not mine.finished:
            continue
        for position, is_key in known.items():
            first.append(int(mine.values.get(position) == Value.ACCEPT))
            second.append(is_key)
            articles.append(article_id)
    if not articles:
        return None
    answered, key = np.array(first), np.array(second)
    found = pair_agreement(answered, key, np.array(articles))
    both = int((answered & key).sum())
    return Score(
        articles=len(set(articles)),
        n=len(answered),
        precision=both / int(answered.sum()) if answered.any() else None,
        recall=both / int(key.sum()) if key.any() else None,
        kappa=found.cohen,
    )


def feedback(session: Session, article_id: int, given: Answers) -> list[Difference]:
    """The sentences that this person or the gold calls key, in reading order."""
    gold = _gold_of(session, [article_id])[article_id]
    about = _noted(session, article_id)
    return [
        Difference(
            sentence.position,
            sentence.text,
            called_key,
            bool(gold[sentence.position]),
            about.get(sentence.position, ""),
        )
        for sentence in db.articles.sentences(session, [article_id])
        if sentence.position in gold
        and ((called_key := given.values.get(sentence.position) == Value.ACCEPT) or gold[sentence.position])
    ]


def _noted(session: Session, article_id: int) -> dict[int, str]:
    """What the annotators who labelled a sentence noted with it: names, the choice, and comments."""
    found: dict[int, dict[str, None]] = defaultdict(dict)
    for verdict, _, position in db.review.verdicts.current_verdicts(session, article_id=article_id):
        for words in (verdict.labels or {}).values():
            if words:
                found[position][words] = None
    positions = {number: position for position, number in db.articles.sentence_ids(session, article_id).items()}
    for comment, _ in db.review.verdicts.current_comments(session, [article_id]):
        if comment.sentence_id is not None and comment.text:
            found[positions[comment.sentence_id]][comment.text] = None
    return {position: " · ".join(words) for position, words in found.items()}
