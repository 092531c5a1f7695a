"""How far annotators agree: coefficients of their blind verdicts on the same sentences."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import combinations

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.team.agreement
from annotate.project.memory import Memory
from annotate.review.blindness.released import Release
from annotate.team.opinions import Shared, Unit, judged_blind, judged_late, shared_articles, units_of
from db.values import BY_HAND, Value
from model.agreement import TENTATIVE, Agreement, PairAgreement, agreement, alphas, pair_agreement

ENOUGH_UNITS = 5  # for a low coefficient to be worth a look
WEEKS_SHOWN = 26  # of a longer time, months are


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
    each of their annotators, who do not see each other's verdicts there; `unsure` is (unsure, all verdicts) by name;
    `late` is how many verdicts were given after their article was released, which do not count.
    """

    overall: Agreement
    handed: float | None
    unsure: Mapping[str, tuple[int, int]]
    pairs: Sequence[Pair]
    articles: Sequence[SharedArticle]
    periods: Sequence[Period]
    by_month: bool
    late: int = 0


def team_agreement(session: Session, *, imported: bool = True) -> Team:
    """How far annotators agree: all of them, by pair, by article and over time. `imported` as in `units_of`.

    What was said of an article after it was released to its annotators does not count. Remembered until somebody says
    something new.
    """
    shared = shared_articles(session)
    late, names = judged_late(session, shared), db.team.agreement.names(session)
    memo = _teams.here()
    before, late_before, names_before, found = memo.get(imported, (None, None, None, None))
    if found is None or before is not shared or (late_before, names_before) != (late, names):
        found = _team(session, judged_blind(session, shared, late), imported=imported)
        found = replace(found, late=sum(len(release.late) for release in late.values()))
        memo[imported] = shared, late, names, found
    return found


# With imported verdicts and without: the articles that it was made of, what came late, who is who, and the agreement.
_Made = tuple[Mapping[int, Shared] | None, Mapping[int, Release] | None, Mapping[int, str] | None, Team | None]
_teams: Memory[bool, _Made] = Memory()


def _team(session: Session, shared: Mapping[int, Shared], *, imported: bool) -> Team:
    units = units_of(shared, imported=imported)
    names = db.team.agreement.names(session)
    periods, by_month = _over_time(units)
    handed = db.team.agreement.handed_to(session, except_strategy=BY_HAND)
    of_queue = [all((unit.article_id, who) in handed for who in unit.labels) for unit in units]
    return Team(
        overall=agreement(*_arrays(units)),
        handed=sum(of_queue) / len(units) if units else None,
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


def _unsure(shared: Mapping[int, Shared], names: Mapping[int, str], *, imported: bool) -> dict[str, tuple[int, int]]:
    unsure: Counter[int] = Counter()
    judged: Counter[int] = Counter()
    for article in shared.values():
        left_out = frozenset() if imported else article.imported
        for given in article.opinions.values():
            for who, opinion in given.items():
                if opinion.verdict_id and who not in left_out:
                    judged[who] += 1
                    unsure[who] += opinion.value == Value.UNSURE
    return {names[who]: (unsure[who], judged[who]) for who in sorted(judged, key=lambda who: names[who].lower())}


def _by_pair(units: Iterable[Unit], names: Mapping[int, str]) -> list[Pair]:
    given: dict[tuple[int, int], list[tuple[int, int, int]]] = defaultdict(list)
    for unit in units:
        for one, other in combinations(sorted(unit.labels, key=lambda who: (names[who].lower(), who)), 2):
            given[one, other].append((unit.labels[one], unit.labels[other], unit.article_id))
    pairs = []
    for (one, other), rows in given.items():
        found = pair_agreement(*np.array(rows).T)
        pairs.append(Pair(names[one], names[other], found, _is_low(found.cohen.value, found.units)))
    return sorted(pairs, key=lambda pair: (pair.first.lower(), pair.second.lower()))


def _by_article(session: Session, units: Sequence[Unit], names: Mapping[int, str]) -> list[SharedArticle]:
    """The shared articles, the ones worth a look first, then by alpha; where it is undefined the annotators agree on
    everything."""
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
