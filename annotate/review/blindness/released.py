"""When an article is released to each of its experts, which verdicts of others a person may see, and which were blind.

Every page, route and command that shows words of others asks `sight_of` here.

Until its release no expert is shown what others said of it. It is released to an expert when as many experts as are
wanted for it are done at the same time. For the expert who asks, a full reading counts only together with a verdict of
her own: reading without one shows nothing. A release is never taken back, even after later changes.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

from sqlalchemy.orm import Session

import db.curation
import db.review.past
import db.review.verdicts
from annotate.project.acting import allowed
from annotate.project.memory import Memory
from annotate.project.rights import Right
from annotate.project.stored_settings import settings_now
from annotate.review.blindness.sight import SEES_ALL, Sight
from annotate.review.queue_settings import QueueSettings
from annotate.review.waiting import judged_by_several, remembered
from db.review.past import Happened, What
from db.tables import Verdict


@dataclass(frozen=True, slots=True)
class Release:
    """To whom an article is released.

    people: the annotators who said something of it. to: the annotators among them who may see it. to_others:
    whether it is released to people who said nothing. late, late_readings: the verdicts and the readings, by id,
    that annotators gave after the release to them, so that these were not blind; a verdict of a file of labels is
    never among them.
    """

    people: frozenset[int] = frozenset()
    to: frozenset[int] = frozenset()
    to_others: bool = False
    late: frozenset[int] = frozenset()
    late_readings: frozenset[int] = frozenset()

    def is_to(self, annotator_id: int) -> bool:
        """Whether the article is released to this annotator; with 0, to people who said nothing of it."""
        return annotator_id in self.to if annotator_id in self.people else self.to_others


NEVER = Release()


def release_of(past: Sequence[Happened], wanted: int) -> Release:
    """To whom an article for `wanted` experts is released, by all that happened to it."""
    article = _Article()
    people = {one.annotator_id for one in past if one.what is not What.PROPOSED}
    to: set[int] = set()
    late: dict[What, set[int]] = defaultdict(set)
    to_others = False
    for moment in _moments(past):
        for one in moment:
            if one.annotator_id in to and not one.imported:
                late[one.what].add(one.id)
            article.take(one)
        done = {who for who in people if article.is_done(who)}
        to_others = to_others or len(done) >= wanted
        for who in people - to:
            if len(done - {who}) + (who in done and article.has_a_verdict_of(who)) >= wanted:
                to.add(who)
    return Release(
        frozenset(people), frozenset(to), to_others, frozenset(late[What.VERDICT]), frozenset(late[What.READING])
    )


def _moments(past: Iterable[Happened]) -> Iterator[list[Happened]]:
    """What happened at the same time, in order. Within a kind that is the order of its ids, since a clock may be set
    back; an assignment, whose id tells when it began, goes by the time of its end."""
    kinds: dict[What, list[Happened]] = defaultdict(list)
    for one in past:
        kinds[one.what].append(one)
    timed: list[tuple[str, Happened]] = []
    for what, rows in kinds.items():
        times = [one.at for one in rows]
        timed += zip(times if what is What.FINISHED else accumulate(times, max), rows, strict=True)
    for _, some in groupby(sorted(timed, key=lambda entry: entry[0]), key=lambda entry: (entry[0], entry[1].at)):
        yield [one for _, one in some]


class _Article:
    """How an article stands as its past goes by."""

    def __init__(self) -> None:
        self._proposed: frozenset[int] = frozenset()
        # By annotator: the judged sentences, the last one last, and whether each was picked.
        self._judged: dict[int, dict[int, bool]] = defaultdict(dict)
        self._read: set[int] = set()
        self._finished: set[int] = set()

    def take(self, one: Happened) -> None:
        """Takes one thing into account."""
        who = one.annotator_id
        if one.what is What.PROPOSED:
            self._proposed = one.sentences
        elif one.what is What.VERDICT:
            for sentence in one.sentences:
                self._judged[who].pop(sentence, None)
                if one.stands:
                    self._judged[who][sentence] = one.picked
        elif one.what is What.READING:
            (self._read.add if one.stands else self._read.discard)(who)
        else:
            self._finished.add(who)

    def is_done(self, who: int) -> bool:
        """Whether this annotator is done with the article: has finished or read it, or judged all proposals, the last
        of them in the article."""
        picked = [picked for sentence, picked in self._judged[who].items() if sentence in self._proposed]
        judged_all = bool(picked) and len(picked) == len(self._proposed) and not picked[-1]
        return judged_all or who in self._read or who in self._finished

    def has_a_verdict_of(self, who: int) -> bool:
        """Whether a verdict of this annotator stands."""
        return bool(self._judged[who])


def sight_of(session: Session, reviewer: str | None) -> Sight:
    """What this person may see now. Nothing is withheld from those who may see all labels: curators, and everybody
    where there is no login."""
    if allowed(session, Right.GOLD):
        return SEES_ALL
    annotator_id = (reviewer and db.review.verdicts.find_annotator(session, reviewer)) or 0
    return Sight(withheld(session, annotator_id), annotator_id)


def withheld(session: Session, annotator_id: int) -> frozenset[int]:
    """The articles that several experts judge and that are not released to this annotator, even if this person may see
    more otherwise. An annotator of 0 stands for people who said nothing of them."""
    released = releases(session)
    several = judged_by_several(session, settings_now(session, QueueSettings))
    kept = several.keys() - db.curation.removed_ids(session)
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
