"""Anti-anchoring: what experts find in articles handed out with the proposals shown, and in those without."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

import db.review.progress
from annotate.project.memory import Memory
from db.review.progress import Compared
from model.evaluation.intervals import Estimate, clustered_share
from model.review.anchoring import MIN_ARTICLES, Comparison, Effect, ReadArticle, articles_needed, compare, spread_of

MOST_AT_ONCE = 1000  # values of one statement; of more, all rows are read by one pass
EFFECT = 0.1  # the difference that the advice on the number of articles is about


@dataclass(frozen=True, slots=True)
class Anchoring:
    """Both arms compared, or in `lacking` why not yet.

    shown, unshown: articles read in full; unread: articles without proposals that were finished, but not read in full.
    judged_only: articles with proposals that were not read in full; `called_key`: the share of their judged proposals
    that were called key.
    needed: articles without proposals, read in full, that would show a difference of 10 points in 8 of 10 cases. It
    takes articles to be handed out as before.
    """

    comparison: Comparison | None
    lacking: str
    shown: int
    unshown: int
    unread: int
    judged_only: int
    called_key: Estimate | None
    needed: int


def anchoring(session: Session) -> Anchoring:
    """The comparison as of now."""
    rows = [row for row in _compared(session) if not row.by_hand]
    shown = _articles([row for row in rows if row.with_proposals and row.read_in_full])
    unshown = _articles([row for row in rows if not row.with_proposals and row.read_in_full])
    judged = [row for row in rows if row.with_proposals and not row.read_in_full and row.judged]
    key, number = [row.key_proposals for row in judged], [row.judged for row in judged]
    called_key = clustered_share(key, number) if judged else None
    lacking = "" if min(len(shown), len(unshown)) >= MIN_ARTICLES else _lacking(len(shown), len(unshown))
    return Anchoring(
        comparison=None if lacking else compare(shown, unshown),
        lacking=lacking,
        shown=len(shown),
        unshown=len(unshown),
        unread=sum(not row.with_proposals and not row.read_in_full for row in rows),
        judged_only=len(judged),
        called_key=called_key,
        needed=articles_needed(
            spread_of(shown), spread_of(unshown), EFFECT, len(shown) / len(unshown) if shown and unshown else 1.0
        ),
    )


# By the number of the assignment; None for one that is not compared.
_rows: Memory[int, Compared | None] = Memory()


def _compared(session: Session) -> list[Compared]:
    """All rows, remembered from call to call since none changes: 10,000 take some 0.6 s once."""
    memo = _rows.here()
    numbers = db.review.progress.finished_firsts(session)
    new = [number for number in numbers if number not in memo]
    if new:
        found = db.review.progress.compared(session, new if len(new) < MOST_AT_ONCE else None)
        memo.update({number: found.get(number) for number in new})
    return [row for number in numbers if (row := memo[number]) is not None]


def _articles(rows: Sequence[Compared]) -> list[ReadArticle]:
    return [ReadArticle(row.proposals, row.key_proposals, row.key_outside) for row in rows]


def _lacking(shown: int, unshown: int) -> str:
    return (
        f"needs at least {MIN_ARTICLES} articles read in full with proposals and {MIN_ARTICLES} without: "
        f"{shown} and {unshown} so far"
    )


def in_words(found: Anchoring) -> list[str]:
    """The effect of proposals on the sentences called key, among proposals and outside, and the conclusion; or what
    lacks."""
    if found.comparison is None:
        return [f"No comparison yet: it {found.lacking}."]
    of = found.comparison
    return [
        f"Shown a proposal, annotators call it key in {_percent(of.called_key.shown)} of cases; unshown, in "
        f"{_percent(of.called_key.unshown)}: {_with_interval(of.called_key, 0, ' points', 100)}.",
        f"Outside of the proposals they mark {of.outside.shown.value:.2f} key sentences an article where proposals are "
        f"shown, {of.outside.unshown.value:.2f} where they are not: {_with_interval(of.outside, 2)}.",
        _concluded(of),
    ]


def _concluded(of: Comparison) -> str:
    effects = []
    if (way := _way(of.called_key)) != 0:
        effects.append(f"showing a proposal makes annotators call it key {'more' if way > 0 else 'less'} often")
    if (way := _way(of.outside)) != 0:
        effects.append(f"they find {'more' if way > 0 else 'fewer'} of the others")
    if not effects:
        return "None of this can be told from chance: both intervals of what proposals change hold 0."
    return f"Beyond chance: {' and '.join(effects)}."


def _way(effect: Effect) -> int:
    """1 or -1 where the interval of the difference lies on one side of 0, else 0."""
    return (effect.difference.low > 0) - (effect.difference.high < 0)


def _percent(estimate: Estimate) -> str:
    return f"{100 * estimate.value:.0f}%"


def _with_interval(effect: Effect, digits: int, unit: str = "", times: int = 1) -> str:
    """The difference with its interval, each with `digits` digits."""
    of = effect.difference
    value, low, high = (_signed(times * number, digits) for number in (of.value, of.low, of.high))
    return f"{value}{unit} ({low} to {high})"


def _signed(value: float, digits: int) -> str:
    """With its sign, a real minus for a hyphen; 0 has none."""
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")
