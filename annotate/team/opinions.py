"""What several annotators say about the same sentences: now, and before they saw each other's verdicts.

A unit is a sentence to which at least two annotators gave a label, key or not key, one of them by a verdict. An
annotator who has read the article in full and left a sentence unjudged that another judged has passed over it: not key.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy.orm import Session

import db.articles
import db.review.verdicts
import db.team.agreement
from annotate.project.memory import Memory
from annotate.review.blindness.released import Release, releases
from db.values import Origin, Value, VerdictRole

MOST_TOUCHED = 500  # articles that are read again one by one; of more, all are


@dataclass(frozen=True, slots=True)
class Opinion:
    """What an annotator says of a sentence, and when that was stored. `verdict_id` is 0 for one who passed over it."""

    value: str
    verdict_id: int
    at: str


@dataclass(frozen=True, slots=True)
class Shared:
    """An article of several annotators: {sentence id: {annotator id: opinion}}, {sentence id: (verdict id, value)} of
    the adjudicators' decisions, and which annotators' verdicts were imported."""

    opinions: Mapping[int, Mapping[int, Opinion]]
    decisions: Mapping[int, tuple[int, str]]
    imported: frozenset[int]


NOTHING = Shared({}, {}, frozenset())


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence with the label that each annotator gave it, 1 for key and 0 for not key, and the time of the last."""

    article_id: int
    sentence_id: int
    labels: Mapping[int, int]
    at: str

    @property
    def differs(self) -> bool:
        """Whether the annotators disagree."""
        return len(set(self.labels.values())) > 1


def shared_articles(session: Session) -> Mapping[int, Shared]:
    """All articles of several annotators with what they say now, by id.

    Remembered from call to call, since rows are only added: what came since is read again, and the mapping is the same
    one where nothing of it changed. For sessions that only read.
    """
    memo = _articles.here()
    events = db.review.verdicts.last_events(session)
    text = db.articles.text_mark(session)
    mark = (events["until_verdict"], events["until_reading"], events["until_removal"])
    kept, kept_text, known = memo.get("now", (mark, text, None))
    if known is not None and (kept, kept_text) == (mark, text):
        return known
    # A snapshot from before the remembered one, or other text, which no annotator has read whole, is read in full.
    again = (
        db.review.verdicts.touched(session, *kept) if known is not None and kept_text == text and kept <= mark else None
    )
    if known is None or again is None or len(again) > MOST_TOUCHED:
        known = _read(session, None)
    else:
        fresh = _read(session, again)
        if fresh != {number: known[number] for number in again if number in known}:
            known = {number: article for number, article in known.items() if number not in again} | fresh
    memo["now"] = mark, text, known
    return known


# "now": the last verdict and reading, the mark of the text, and the articles.
_articles: Memory[str, tuple[tuple[int, int, int], tuple[int, int], dict[int, Shared] | None]] = Memory()


def _read(
    session: Session,
    article_ids: Collection[int] | None,
    without: Collection[int] = (),
    without_readings: Collection[int] = (),
) -> dict[int, Shared]:
    opinions: dict[int, dict[int, dict[int, Opinion]]] = defaultdict(lambda: defaultdict(dict))
    decisions: dict[int, dict[int, tuple[int, str]]] = defaultdict(dict)
    imported: dict[int, set[int]] = defaultdict(set)
    rows = db.team.agreement.opinions(session, article_ids, without=without)
    for article_id, sentence_id, annotator_id, role, value, origin, verdict_id, at in rows:
        if role == VerdictRole.ADJUDICATOR:
            decisions[article_id][sentence_id] = (verdict_id, value)
            continue
        opinions[article_id][sentence_id][annotator_id] = Opinion(value, verdict_id, at)
        if origin == Origin.IMPORTED:
            imported[article_id].add(annotator_id)
    for article_id, annotator_id, at in db.team.agreement.readers(session, article_ids, without=without_readings):
        for given in opinions[article_id].values():
            if annotator_id not in given and any(opinion.value in _LABELS for opinion in given.values()):
                given[annotator_id] = Opinion(Value.REJECT, 0, at)
    return {
        number: Shared(
            {key: dict(of_sentence) for key, of_sentence in given.items()},
            decisions[number],
            frozenset(imported[number]),
        )
        for number, given in opinions.items()
    }


_LABELS = {Value.ACCEPT: 1, Value.REJECT: 0}


def units_of(shared: Mapping[int, Shared], *, imported: bool = True) -> list[Unit]:
    """The units, by article; without `imported`, annotators do not count in articles for which their verdicts came from
    a file. Unsure verdicts are no label."""
    units = []
    for article_id, article in sorted(shared.items()):
        left_out = frozenset() if imported else article.imported
        for sentence_id, opinions in article.opinions.items():
            given = {who: o for who, o in opinions.items() if o.value in _LABELS and who not in left_out}
            if len(given) > 1 and any(opinion.verdict_id for opinion in given.values()):
                labels = {who: _LABELS[Value(opinion.value)] for who, opinion in given.items()}
                units.append(Unit(article_id, sentence_id, labels, max(opinion.at for opinion in given.values())))
    return units


def judged_late(session: Session, shared: Mapping[int, Shared]) -> dict[int, Release]:
    """The articles of which somebody said something after they were released to them."""
    found = releases(session, shared.keys())
    return {number: release for number, release in found.items() if release.late or release.late_readings}


def judged_blind(session: Session, shared: Mapping[int, Shared], late: Mapping[int, Release]) -> Mapping[int, Shared]:
    """The articles with what was said of them before they were released; `late` are those with something later."""
    if not late:
        return shared
    verdicts = {number for release in late.values() for number in release.late}
    readings = {number for release in late.values() for number in release.late_readings}
    before = _read(session, late.keys(), verdicts, readings)
    return {number: before.get(number, NOTHING) if number in late else shared[number] for number in shared}
