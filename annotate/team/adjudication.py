"""Where annotators disagree, and what a curator decides there: a verdict in the role of adjudicator, which wins.

A decision settles a sentence until an annotator says something else about it afterwards: something that contradicts
the decision, no matter what the others say. What annotators had said before, and what agrees with it, never reopens it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

import db.articles
import db.review.assignments
import db.review.verdicts
import db.rows
import db.team.agreement
from annotate.articles.lots import by_lot
from annotate.project.acting import own_name
from annotate.project.home import write
from annotate.project.rights import Right
from annotate.project.stored_settings import settings_now
from annotate.project.words import count_of
from annotate.review.assignments import clock_of
from annotate.review.blindness.released import given_after_release
from annotate.review.events import Refused, clean_comment
from annotate.review.queue_settings import QueueSettings
from annotate.review.verdicts import taken_over
from annotate.review.waiting import done_by, experts_wanted
from annotate.team.opinions import Opinion, Shared, shared_articles
from db.base import utc_now
from db.tables import Comment, Verdict
from db.values import Value, VerdictRole


class ChangedSinceOpened(RuntimeError):
    """Somebody said something about the sentence after it was put on the screen."""


@dataclass(frozen=True, slots=True)
class Kinds:
    """What counts as a disagreement, in addition to key against not key.

    passed_over: key against unjudged by one who read the article in full. unsure: unsure against either label.
    """

    passed_over: bool = True
    unsure: bool = False

    @property
    def values(self) -> set[str]:
        """The verdicts that count."""
        return {Value.ACCEPT, Value.REJECT, *([Value.UNSURE] if self.unsure else [])}


@dataclass(frozen=True, slots=True)
class Disputed:
    """An article with its disputed sentences. While experts are `at_work` on it, deciding is too early."""

    article_id: int
    title: str
    sentence_ids: tuple[int, ...]
    at_work: bool


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one annotator says of a sentence; `letter` stands for the name. `at` is None for one who passed over it.
    `late`: it was said after the article was released to them, so not blind."""

    name: str
    letter: str
    value: str
    at: str | None
    rank: int | None
    cosine: float | None
    comment: str
    late: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """What an adjudicator decided, when, and why."""

    name: str
    value: str
    at: str
    comment: str


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence, paragraph[start:end], with all that is said of it. `seen` is the id of the last verdict on it."""

    article_id: int
    sentence_id: int
    section: str
    paragraph: str
    start: int
    end: int
    judgements: tuple[Judgement, ...]
    decision: Decision | None
    is_open: bool
    seen: int


def is_disputed(opinions: Mapping[int, Opinion], decision: tuple[int, str] | None, kinds: Kinds) -> bool:
    """Whether the opinions of a sentence wait for a decision; `decision` is (verdict id, value) of the one there is."""
    counted = [opinion for opinion in opinions.values() if opinion.value in kinds.values]
    if decision:
        return any(opinion.verdict_id > decision[0] and opinion.value != decision[1] for opinion in counted)
    return len({opinion.value for opinion in counted if opinion.verdict_id or kinds.passed_over}) > 1


def _disputes(article: Shared, kinds: Kinds) -> list[int]:
    return [
        number
        for number, opinions in article.opinions.items()
        if is_disputed(opinions, article.decisions.get(number), kinds)
    ]


def disputed_articles(session: Session, kinds: Kinds = Kinds()) -> list[Disputed]:
    """The articles with disputed sentences, most of them first."""
    found = {
        number: some for number, article in shared_articles(session).items() if (some := _disputes(article, kinds))
    }
    titles, keys = db.articles.titles(session, found), db.articles.keys_and_splits(session)
    at_work = _at_work(session, {number: keys[number][0] for number in found})
    rows = [Disputed(number, titles[number], tuple(some), number in at_work) for number, some in found.items()]
    return sorted(rows, key=lambda row: (-len(row.sentence_ids), row.article_id))


def _at_work(session: Session, keys: Mapping[int, str]) -> set[int]:
    """The articles, given with their keys, that somebody holds, or that still wait for an expert. Such an article was
    handed to one who is not done, and fewer are done than are wanted."""
    settings = settings_now(session, QueueSettings)
    done = done_by(session)
    found = {row.article_id for row, _, _ in db.review.assignments.leases(session, clock_of(settings))} & keys.keys()
    short = {a for a, key in keys.items() if a in done and len(done[a]) < experts_wanted(key, settings)} - found
    handed = db.team.agreement.handed_to(session, short) if short else set()
    return found | {article_id for article_id, annotator_id in handed if annotator_id not in done[article_id]}


def cases(session: Session, article_id: int, kinds: Kinds = Kinds()) -> list[Case]:
    """The disputed sentences of an article and those that are decided, in the order of its text."""
    article = shared_articles(session).get(article_id)
    if article is None:
        return []
    opened = set(_disputes(article, kinds))
    wanted = opened | (article.decisions.keys() & article.opinions.keys())
    names = db.team.agreement.names(session)
    rows: dict[int, list[tuple[Verdict, str]]] = {number: [] for number in wanted}
    for verdict, name, _ in db.review.verdicts.current_verdicts(session, article_id=article_id, role=None):
        if verdict.sentence_id in wanted:
            rows[verdict.sentence_id].append((verdict, name))
    remarks = {
        (comment.sentence_id, name): comment.text
        for comment, name in db.review.verdicts.current_comments(session, [article_id])
    }
    decided = [verdict for given in rows.values() for verdict, _ in given if verdict.role == VerdictRole.ADJUDICATOR]
    reasons = db.team.agreement.comments_of(session, [_comment_id(verdict.event_id) for verdict in decided])
    late = given_after_release(session, (verdict for given in rows.values() for verdict, _ in given))
    last = db.team.agreement.last_verdicts(session, article_id)
    letters = _letters(article_id, {names[who] for opinions in article.opinions.values() for who in opinions})
    paragraphs = {paragraph.id: paragraph.text for paragraph in db.articles.paragraphs(session, article_id)}
    return [
        Case(
            article_id=article_id,
            sentence_id=sentence.id,
            section=sentence.section,
            paragraph=paragraphs[sentence.paragraph_id],
            start=sentence.start,
            end=sentence.end,
            judgements=_judgements(
                article.opinions[sentence.id], rows[sentence.id], names, letters, remarks, late, sentence.id
            ),
            decision=_decision(rows[sentence.id], reasons),
            is_open=sentence.id in opened,
            seen=last[sentence.id],
        )
        for sentence in db.articles.sentences(session, [article_id])
        if sentence.id in wanted
    ]


def _letters(article_id: int, names: Collection[str]) -> dict[str, str]:
    """A for one, B for another: drawn again for each article, so that no annotator is always A."""
    drawn = by_lot(str(article_id), names)
    return {name: chr(ord("A") + i) if i < 26 else f"A{i}" for i, name in enumerate(drawn)}


def _judgements(
    opinions: Mapping[int, Opinion],
    rows: Sequence[tuple[Verdict, str]],
    names: Mapping[int, str],
    letters: Mapping[str, str],
    remarks: Mapping[tuple[int | None, str], str],
    late: Collection[int],
    sentence_id: int,
) -> tuple[Judgement, ...]:
    verdicts = {name: verdict for verdict, name in rows if verdict.role == VerdictRole.ANNOTATOR}
    found = []
    for who, opinion in opinions.items():
        name, verdict = names[who], verdicts.get(names[who])
        found.append(
            Judgement(
                name=name,
                letter=letters[name],
                value=opinion.value,
                at=verdict.given_at if verdict else None,
                rank=verdict.rank if verdict else None,
                cosine=verdict.cosine if verdict else None,
                comment=remarks.get((sentence_id, name), ""),
                late=verdict is not None and verdict.id in late,
            )
        )
    return tuple(sorted(found, key=lambda one: one.letter))


def _decision(rows: Sequence[tuple[Verdict, str]], reasons: Mapping[str, str]) -> Decision | None:
    for verdict, name in rows:
        if verdict.role == VerdictRole.ADJUDICATOR:
            return Decision(name, verdict.value, verdict.stored_at, reasons.get(_comment_id(verdict.event_id), ""))
    return None


def _comment_id(event_id: str) -> str:
    """The event of the comment that is given with a decision."""
    return f"{event_id}-comment"


def adjudicate(
    by: str, article_id: int, sentence_id: int, value: str, *, seen: int, event_id: str, comment: str = ""
) -> int:
    """Stores a curator's decision on a sentence, or with `withdrawn` takes back the one that stands; returns its id.

    `seen` is the id of the last verdict that the curator saw; raises ChangedSinceOpened where there is a newer one. The
    same event again changes nothing. Raises Refused for an unjudged sentence, one without a decision, or an unknown
    value.
    """
    if value not in set(Value):
        raise Refused(f"the decision is none of {', '.join(Value)}")
    text = clean_comment(comment)
    with write(Right.ADJUDICATE) as session:
        annotator_id = db.review.verdicts.annotator_id(session, own_name(by))
        if stored := db.rows.find(session, Verdict, event_id=event_id):
            if (stored.sentence_id, stored.annotator_id, stored.value) != (sentence_id, annotator_id, value):
                raise Refused("this event id was used for another event")
            return stored.id
        if db.team.agreement.last_verdicts(session, article_id).get(sentence_id, 0) != seen:
            raise ChangedSinceOpened("this sentence changed since you opened it")
        shared = {
            "annotator_id": annotator_id,
            "article_id": article_id,
            "sentence_id": sentence_id,
            "given_at": utc_now(),
        }
        decided = {"event_id": event_id, "value": value, "role": VerdictRole.ADJUDICATOR}
        row = shared | decided | taken_over(_source(session, article_id, sentence_id, value))
        db.rows.add_new(session, Verdict, [row])
        if text:
            db.rows.add_new(session, Comment, [{"event_id": _comment_id(event_id), "text": text, **shared}])
        return db.team.agreement.last_verdicts(session, article_id)[sentence_id]


def _source(session: Session, article_id: int, sentence_id: int, value: str) -> Verdict:
    """The current verdict that a decision is drawn from: the latest annotator's that agrees, or else the latest."""
    rows = db.review.verdicts.current_verdicts(session, article_id=article_id, role=None)
    of_sentence = [verdict for verdict, _, _ in rows if verdict.sentence_id == sentence_id]
    if value == Value.WITHDRAWN:
        found = [verdict for verdict in of_sentence if verdict.role == VerdictRole.ADJUDICATOR]
        reason = "nothing is decided about this sentence"
    else:
        given = [verdict for verdict in of_sentence if verdict.role == VerdictRole.ANNOTATOR]
        found = [verdict for verdict in given if verdict.value == value] or given
        reason = "no annotator judges this sentence"
    if not found:
        raise Refused(reason)
    return found[-1]


@dataclass(frozen=True, slots=True)
class Disputes:
    """The articles with disputed sentences: those `ready` to be decided, and those on which experts are `at_work`."""

    ready: tuple[Disputed, ...]
    at_work: tuple[Disputed, ...]

    @property
    def by_article(self) -> Mapping[int, int]:
        """Disputed sentences by article, of all."""
        return {row.article_id: len(row.sentence_ids) for row in (*self.ready, *self.at_work)}

    @property
    def words(self) -> str:
        """Counts of the disputes that can be decided now, and of those too early, in words."""
        now = [_counted(self.ready)] if self.ready or not self.at_work else []
        return "; ".join([*now, *([f"{_counted(self.at_work)} that somebody still has open"] if self.at_work else [])])


def _counted(rows: tuple[Disputed, ...]) -> str:
    sentences = count_of(sum(len(row.sentence_ids) for row in rows), "disputed sentence")
    return f"{sentences} in {count_of(len(rows), 'article')}"


def disputes(session: Session, kinds: Kinds = Kinds(), *, everything: bool = False) -> Disputes:
    """All disputed sentences as of now; with `everything` sentences of articles at work are ready, too."""
    found = disputed_articles(session, kinds)
    ready = tuple(row for row in found if everything or not row.at_work)
    return Disputes(ready, tuple(row for row in found if row.at_work and not everything))
