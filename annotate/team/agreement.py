"""How far annotators agree: what each of them says about the same sentences, and the coefficients that follow.

A unit is a sentence to which at least two annotators gave a label, key or not key, one of them by a verdict. Whoever
has read the article in full and left a sentence unjudged that another judged has passed over it: not key.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import combinations

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.learning.heads
import db.review.verdicts
import db.team.agreement
from annotate.project.memory import Memory
from db.values import BY_HAND, Origin, Value, VerdictRole
from model.agreement import TENTATIVE, Agreement, PairAgreement, agreement, alphas, pair_agreement

MOST_TOUCHED = 500  # articles that are read anew one by one; of more, all are
ENOUGH_UNITS = 5  # for a low coefficient to be worth a look
WEEKS_SHOWN = 26  # of a longer time, months are


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


@dataclass(frozen=True, slots=True)
class Pair:
    """Two annotators and how far they agree; `low` is worth a look."""

    first: str
    second: str
    found: PairAgreement
    low: bool


@dataclass(frozen=True, slots=True)
class SharedArticle:
    """How far the annotators of one article agree, with the number of units on which they do not; `low` is worth a
    look: an alpha below TENTATIVE from at least ENOUGH_UNITS."""

    article_id: int
    title: str
    annotators: tuple[str, ...]
    units: int
    differing: int
    percent: float | None
    alpha: float | None
    low: bool


@dataclass(frozen=True, slots=True)
class Period:
    """A week or a month, by its first day, and how far those agree whose last word on a unit was stored in it."""

    start: date
    found: Agreement


@dataclass(frozen=True, slots=True)
class Team:
    """All that there is to say of the agreement. `handed` is the share of units in articles that the queue handed to
    each of their annotators, who do not see each other's verdicts there; `unsure` is (unsure, all verdicts) by name.
    """

    overall: Agreement
    handed: float | None
    unsure: Mapping[str, tuple[int, int]]
    pairs: Sequence[Pair]
    articles: Sequence[SharedArticle]
    periods: Sequence[Period]
    by_month: bool


def shared_articles(session: Session) -> Mapping[int, Shared]:
    """All articles of several annotators with what they say now, by id.

    Remembered from call to call, since rows are only added: what came since is read anew, and the mapping is the same
    one where nothing of it changed. For sessions that only read.
    """
    memo = _articles.here()
    events = db.review.verdicts.last_events(session)
    text = db.articles.text_mark(session)
    mark = (events["until_verdict"], events["until_reading"], events["until_removal"])
    kept, kept_text, known = memo.get("now", (mark, text, None))
    if known is not None and (kept, kept_text) == (mark, text):
        return known
    # A snapshot from before what is remembered, or other text, of which nobody has read all, is read in full.
    again = (
        db.learning.heads.touched(session, *kept) if known is not None and kept_text == text and kept <= mark else None
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


def _read(session: Session, article_ids: Collection[int] | None) -> dict[int, Shared]:
    opinions: dict[int, dict[int, dict[int, Opinion]]] = defaultdict(lambda: defaultdict(dict))
    decisions: dict[int, dict[int, tuple[int, str]]] = defaultdict(dict)
    imported: dict[int, set[int]] = defaultdict(set)
    rows = db.team.agreement.opinions(session, article_ids)
    for article_id, sentence_id, annotator_id, role, value, origin, verdict_id, at in rows:
        if role == VerdictRole.ADJUDICATOR:
            decisions[article_id][sentence_id] = (verdict_id, value)
            continue
        opinions[article_id][sentence_id][annotator_id] = Opinion(value, verdict_id, at)
        if origin == Origin.IMPORTED:
            imported[article_id].add(annotator_id)
    for article_id, annotator_id, at in db.team.agreement.readers(session, article_ids):
        for given in opinions[article_id].values():
            if annotator_id not in given and any(opinion.value in _LABELS for opinion in given.values()):
                given[annotator_id] = Opinion(Value.REJECT, 0, at)
    return {
        number: Shared({key: dict(said) for key, said in given.items()}, decisions[number], frozenset(imported[number]))
        for number, given in opinions.items()
    }


_LABELS = {Value.ACCEPT: 1, Value.REJECT: 0}


def units_of(shared: Mapping[int, Shared], *, imported: bool = True) -> list[Unit]:
    """The units, by article; without `imported`, nobody counts in an article for which verdicts of theirs came from a
    file. Unsure verdicts are no label."""
    units = []
    for article_id, article in sorted(shared.items()):
        left_out = frozenset() if imported else article.imported
        for sentence_id, said in article.opinions.items():
            given = {who: o for who, o in said.items() if o.value in _LABELS and who not in left_out}
            if len(given) > 1 and any(opinion.verdict_id for opinion in given.values()):
                labels = {who: _LABELS[Value(opinion.value)] for who, opinion in given.items()}
                units.append(Unit(article_id, sentence_id, labels, max(opinion.at for opinion in given.values())))
    return units


def team_agreement(session: Session, *, imported: bool = True) -> Team:
    """How far annotators agree now: all of them, by pair, by article and over time. `imported` as in `units_of`.

    Remembered until somebody says something new.
    """
    shared = shared_articles(session)
    memo = _teams.here()
    before, found = memo.get(imported, (None, None))
    if found is None or before is not shared:
        found = _team(session, shared, imported=imported)
        memo[imported] = shared, found
    return found


# With imported verdicts and without: the articles that it was made of, and the agreement.
_teams: Memory[bool, tuple[Mapping[int, Shared] | None, Team | None]] = Memory()


def _team(session: Session, shared: Mapping[int, Shared], *, imported: bool) -> Team:
    units = units_of(shared, imported=imported)
    names = db.team.agreement.names(session)
    periods, by_month = _over_time(units)
    return Team(
        overall=agreement(*_arrays(units)),
        handed=_handed(session, units),
        unsure=_unsure(shared, names, imported=imported),
        pairs=_by_pair(units, names),
        articles=_by_article(session, units, names),
        periods=periods,
        by_month=by_month,
    )


def _arrays(units: Sequence[Unit]) -> tuple[np.ndarray, np.ndarray]:
    """(how many annotators gave each label to each unit, shape (units, 2); the units' articles)."""
    key = np.array([sum(unit.labels.values()) for unit in units], dtype=int)
    number = np.array([len(unit.labels) for unit in units], dtype=int)
    return np.column_stack([number - key, key]), np.array([unit.article_id for unit in units], dtype=int)


def _handed(session: Session, units: Sequence[Unit]) -> float | None:
    handed = db.team.agreement.handed_to(session, except_strategy=BY_HAND)
    of_queue = [all((unit.article_id, who) in handed for who in unit.labels) for unit in units]
    return sum(of_queue) / len(units) if units else None


def _unsure(shared: Mapping[int, Shared], names: Mapping[int, str], *, imported: bool) -> dict[str, tuple[int, int]]:
    unsure: Counter[int] = Counter()
    said: Counter[int] = Counter()
    for article in shared.values():
        left_out = frozenset() if imported else article.imported
        for given in article.opinions.values():
            for who, opinion in given.items():
                if opinion.verdict_id and who not in left_out:
                    said[who] += 1
                    unsure[who] += opinion.value == Value.UNSURE
    return {names[who]: (unsure[who], said[who]) for who in sorted(said, key=lambda who: names[who].lower())}


def _by_pair(units: Iterable[Unit], names: Mapping[int, str]) -> list[Pair]:
    given: dict[tuple[int, int], list[tuple[int, int, int]]] = defaultdict(list)
    for unit in units:
        for one, other in combinations(sorted(unit.labels, key=lambda who: names[who].lower()), 2):
            given[one, other].append((unit.labels[one], unit.labels[other], unit.article_id))
    pairs = []
    for (one, other), rows in given.items():
        found = pair_agreement(*np.array(rows).T)
        pairs.append(Pair(names[one], names[other], found, _is_low(found.cohen.value, found.units)))
    return sorted(pairs, key=lambda pair: (pair.first.lower(), pair.second.lower()))


def _by_article(session: Session, units: Sequence[Unit], names: Mapping[int, str]) -> list[SharedArticle]:
    """Those worth a look first, then by alpha; where it is undefined the annotators agree on everything."""
    who: dict[int, set[int]] = defaultdict(set)
    differing: Counter[int] = Counter()
    for unit in units:
        who[unit.article_id] |= unit.labels.keys()
        differing[unit.article_id] += unit.differs
    titles = db.articles.titles(session, list(who))
    rows = [
        SharedArticle(
            article_id,
            titles[article_id],
            tuple(sorted((names[one] for one in who[article_id]), key=str.lower)),
            number,
            differing[article_id],
            percent,
            alpha,
            _is_low(alpha, number),
        )
        for article_id, (number, percent, alpha) in alphas(*_arrays(units)).items()
    ]
    return sorted(rows, key=lambda row: (not row.low, row.alpha is None, row.alpha or 0.0, -row.units, row.article_id))


def _is_low(coefficient: float | None, units: int) -> bool:
    return coefficient is not None and coefficient < TENTATIVE and units >= ENOUGH_UNITS


def _over_time(units: Sequence[Unit]) -> tuple[list[Period], bool]:
    """(the weeks or months in which units got their last label, in order; whether they are months)."""
    days = [date.fromisoformat(unit.at[:10]) for unit in units]
    by_month = bool(days) and (max(days) - min(days)).days > 7 * WEEKS_SHOWN
    given: dict[date, list[Unit]] = defaultdict(list)
    for day, unit in zip(days, units, strict=True):
        given[day.replace(day=1) if by_month else day - timedelta(days=day.weekday())].append(unit)
    return [Period(start, agreement(*_arrays(some))) for start, some in sorted(given.items())], by_month
