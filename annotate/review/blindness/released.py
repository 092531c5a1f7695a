"""The one place that decides which verdicts of others each person may see, and which verdicts were given blind.

Every page, route and command that shows words of others asks `sight_of` here.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from sqlalchemy.orm import Session

import db.curation.removals
import db.review.past
import db.review.verdicts
from annotate.project.acting import allowed
from annotate.project.memory import Memory
from annotate.project.rights import Right
from annotate.project.stored_settings import settings_now
from annotate.review.blindness.release import NEVER, Release, release_of
from annotate.review.blindness.sight import SEES_ALL, Sight
from annotate.review.queue_settings import QueueSettings
from annotate.review.waiting import judged_by_several, remembered
from db.tables import Verdict


def sight_of(session: Session, reviewer: str | None) -> Sight:
    """What this person may see now. Nothing is withheld from those who may see all labels: curators, and everybody
    where there is no login."""
    if allowed(session, Right.GOLD):
        return SEES_ALL
    annotator_id = (reviewer and db.review.verdicts.find_annotator(session, reviewer)) or 0
    return Sight(withheld(session, annotator_id), annotator_id)


def withheld(session: Session, annotator_id: int) -> frozenset[int]:
    """The articles that several experts judge and that are not released to this annotator, or with 0 to people who
    said nothing of them, even if this person may see more otherwise."""
    released = releases(session)
    several = judged_by_several(session, settings_now(session, QueueSettings))
    kept = several.keys() - db.curation.removals.removed_ids(session)
    return frozenset(number for number in kept if not released.get(number, NEVER).is_to(annotator_id))


def given_after_release(session: Session, verdicts: Iterable[Verdict]) -> set[int]:
    """The ids of those among some verdicts that were not blind: their article had been released to who gave them."""
    by_article: dict[int, set[int]] = defaultdict(set)
    for verdict in verdicts:
        by_article[verdict.article_id].add(verdict.id)
    found = releases(session, by_article.keys())
    return {number for article_id, release in found.items() for number in release.late & by_article[article_id]}


def releases(session: Session, article_ids: Collection[int] | None = None) -> Mapping[int, Release]:
    """How the articles stand that several experts judge, by the settings of now: some of them, or all.

    Left out are articles of which fewer than two said anything. Remembered from call to call until something is said
    of an article. For sessions that only read.
    """
    wanted = judged_by_several(session, settings_now(session, QueueSettings))
    if not wanted:
        return {}
    if article_ids is not None:
        wanted = {number: wanted[number] for number in article_ids if number in wanted}
    known = remembered(session)
    marks = {
        number: (*mark, tuple(sorted(known.done[number])), wanted[number])
        for number, (mark, _, _) in known.known.items()
        if number in wanted and (mark[2] is not None or mark[3] is not None)
    }
    memo = _releases.here()
    stale = [number for number, mark in marks.items() if memo.get(number, (None, None))[0] != mark]
    pasts = db.review.past.past(session, stale) if stale else {}
    for number in stale:
        past = pasts.get(number)
        memo[number] = marks[number], release_of(past, wanted[number]) if past else None
    found = {number: memo[number][1] for number in marks}
    return {number: release for number, release in found.items() if release is not None}


# By article: its marks, who was done with it and how many were wanted, and how it stood then.
_releases: Memory[int, tuple[tuple[object, ...], Release | None]] = Memory()
