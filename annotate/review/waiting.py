"""Which articles wait for an expert: those with proposals that no other expert holds and that are not done."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from sqlalchemy.orm import Session

import db.articles
import db.curation
import db.review.assignments
import db.team.history
from annotate.project.memory import Memory
from annotate.project.notes import Noted
from annotate.review.blindness.sight import SEES_ALL, Sight
from annotate.review.queue_settings import QueueSettings
from db.review.assignments import Clock, Mark

# Article -> (the row of article_marks, who is done with it, and of those whose labels were only imported).
_Known = tuple[tuple[int | None, ...], frozenset[int], frozenset[int]]
_UNKNOWN: _Known = ((), frozenset(), frozenset())
FEW = 1_000  # articles that are asked for by their ids; more of them are read in one pass over all

SHARED = "shared"


@dataclass(frozen=True, slots=True)
class Choice:
    """An article to read next: by which strategy, why in words, and its acquisition score. Then whether it was drawn by
    lot from all that wait, and the stored head that chose it."""

    article_id: int
    strategy: str
    reason: str
    score: float | None
    at_random: bool
    head_id: int | None


@dataclass(frozen=True, slots=True)
class Standing:
    """How the articles with proposals stand for one expert; each is in one of the first six, by id.

    waiting: may be handed out. done: by this expert. elsewhere: done by as many others as are wanted. held: in as many
    other hands as are still wanted, or assigned to that number and not to this expert. practised: their gold was shown
    to this expert at the end of a practice round. set_aside: the queue takes no articles with their tags. begun:
    articles of `waiting` that another has begun, so that they come first. others: articles of `done` that other experts
    are still wanted for.
    """

    waiting: list[int]
    done: list[int]
    elsewhere: list[int]
    held: list[int]
    practised: list[int]
    set_aside: list[int]
    begun: list[int]
    others: list[int]

    @property
    def total(self) -> int:
        """All articles with proposals."""
        return sum(map(len, (self.waiting, self.done, self.elsewhere, self.held, self.practised, self.set_aside)))


def standing(session: Session, annotator_id: int, settings: QueueSettings, clock: Clock) -> Standing:
    """Sorts all articles with proposals by whether they wait for this annotator."""
    holders: dict[int, set[int]] = defaultdict(set)
    for row, _, _ in db.review.assignments.leases(session, clock, except_annotator=annotator_id):
        holders[row.article_id].add(row.annotator_id)
    reserved = db.review.assignments.reserved(session)
    buckets = _buckets_of_all(session) if settings.double_share else {}
    practised = db.team.history.finished_practice(session, Noted.PRACTICE, annotator_id)
    takes = _by_tags(session, annotator_id, settings)
    found = Standing([], [], [], [], [], [], [], [])
    for article_id, experts in done_by(session).items():
        # Most articles are in no hands: no sets are made for them.
        begun = experts | holders[article_id] if article_id in holders else experts
        to = reserved.get(article_id, set())
        theirs = begun | to if to and annotator_id not in to else begun
        wanted = _wanted(buckets[article_id], settings) if theirs and buckets else 1
        if annotator_id in experts:
            found.done.append(article_id)
            if len(experts) < wanted:
                found.others.append(article_id)
        elif len(experts) >= wanted:
            found.elsewhere.append(article_id)
        elif len(theirs) >= wanted:
            found.held.append(article_id)
        elif article_id in practised:
            found.practised.append(article_id)
        elif not takes(article_id):
            found.set_aside.append(article_id)
        else:
            found.waiting.append(article_id)
            if begun:
                found.begun.append(article_id)
    return found


def _by_tags(session: Session, annotator_id: int, settings: QueueSettings) -> Callable[[int], bool]:
    """Whether the queue takes an article by its tags. Articles that this annotator has in hand, or that a person asked
    for, it takes with any tags."""
    if not settings.tags_in_words:
        return lambda article_id: True
    wanted = db.curation.tagged_ids(session, settings.with_tag) if settings.with_tag else None
    unwanted = db.curation.tagged_ids(session, settings.without_tag) if settings.without_tag else set()
    named = {row.article_id for row in db.review.assignments.open_assignments(session, annotator_id)}
    named |= {each.article_id for each in db.review.assignments.open_requests(session, annotator_id)}
    return lambda each: each in named or ((wanted is None or each in wanted) and each not in unwanted)


def judged_by_several(session: Session, settings: QueueSettings) -> dict[int, int]:
    """By article that several experts are to judge, by these settings: how many."""
    if settings.experts < 2 or not settings.double_share:
        return {}
    return {
        number: settings.experts for number, bucket in _buckets_of_all(session).items() if _wanted(bucket, settings) > 1
    }


def started_by_others(found: Standing, fresh: Collection[int]) -> list[Choice]:
    """Articles that others have begun and that need more experts, among the fresh ones: they come before articles that
    no expert has begun, so that there is something to compare soon."""
    known = set(fresh)
    reason = "another annotator is wanted for it"
    return [Choice(number, SHARED, reason, None, False, None) for number in found.begun if number in known]


def done_by(session: Session) -> dict[int, frozenset[int]]:
    """Who is done with each article that holds proposals, by id: has read it in full as it stands, has judged all of
    its current proposals, or has finished an assignment.

    Remembered from call to call, since rows are only added: of 10,000 articles with 100,000 verdicts 0.4 s once, then
    a few milliseconds. Call it before the transaction writes.
    """
    return remembered(session).done


def remembered(session: Session) -> "Remembered":
    """Who is done with which article, and the rows by which that is known; remembered as in `done_by`."""
    memo = _done.here()
    now = db.review.assignments.mark_of(session)
    kept = memo.get("last")
    if kept is not None and kept.until == now:
        return kept
    known = _known(session, kept, now)
    done = {number: experts for number, (_, experts, _) in known.items()}
    for article_id, annotator_id in db.review.assignments.finished(session):
        if article_id in done and annotator_id not in done[article_id]:
            done[article_id] |= {annotator_id}
    made = memo["last"] = Remembered(now, known, done)
    return made


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The one count of reviewed articles, which all pages show. Each article is in one of the first two at most, by id.

    here: somebody is done with it who worked on it in this project. labelled: imported labels alone say that it is
    done. total: all articles with proposals."""

    here: frozenset[int]
    labelled: frozenset[int]
    total: int

    @property
    def in_words(self) -> str:
        """As the pages say it: "3 of 119 reviewed, 49 more labelled at import"."""
        came = f", {len(self.labelled):,} more labelled at import" if self.labelled else ""
        return f"{len(self.here):,} of {self.total:,} reviewed{came}"


def reviewed(session: Session, sight: Sight = SEES_ALL, without: tuple[int, int] = (0, 0)) -> Reviewed:
    """The articles that people have reviewed in this project, as this sight shows them; imported labels counted
    apart. `without`: (article id, annotator id) as if this annotator were not done with this article."""
    found = remembered(session)
    done = {number: seen for number, experts in found.done.items() if (seen := sight.of(number, experts))}
    article_id, annotator_id = without
    if done.get(article_id, frozenset()) - {annotator_id}:
        done[article_id] -= {annotator_id}
    else:
        done.pop(article_id, None)
    here = frozenset(number for number, experts in done.items() if experts - found.known[number][2])
    return Reviewed(here, frozenset(done) - here, len(found.done))


@dataclass(frozen=True, slots=True)
class Remembered:
    """`known`: by article the row of `article_marks`, who judged or read it, and whose labels were only imported;
    `done`: who is done with it. `until` is how far the tables were read."""

    until: Mark
    known: dict[int, _Known]
    done: dict[int, frozenset[int]]


_done: Memory[str, Remembered] = Memory()  # "last": what the last call found


def _known(session: Session, kept: Remembered | None, now: Mark) -> dict[int, _Known]:
    before = kept.known if kept else {}
    changed = None
    if kept and kept.until.text == now.text and kept.until.before(now):
        changed = db.review.assignments.touched(session, kept.until)
    few = changed is not None and len(changed) < FEW
    marks = db.review.assignments.article_marks(session, changed if few else None)
    stale = {mark[0]: tuple(mark) for mark in marks if before.get(mark[0], _UNKNOWN)[0] != mark}
    fresh, came = {}, {}
    if stale:
        some = stale if len(stale) < FEW else None
        judged = db.review.assignments.judged_whole(session, some)
        fresh = by_article((*judged, *db.review.assignments.read_whole(session, some)))
        came = by_article(db.review.assignments.only_imported(session, some))
    if changed is not None and few:
        gone = changed - {mark[0] for mark in marks}  # removed articles
        before = {number: each for number, each in before.items() if number not in gone}
    else:  # what this session sees: another may have remembered articles that came after its snapshot
        before = {mark[0]: before[mark[0]] for mark in marks if mark[0] in before}
    known = before | {
        number: (mark, fresh.get(number, frozenset()), came.get(number, frozenset())) for number, mark in stale.items()
    }
    return dict(sorted(known.items()))


def by_article(pairs: Iterable[tuple[int, int]]) -> dict[int, frozenset[int]]:
    """The annotators of pairs of an article and an annotator, by article."""
    found: dict[int, frozenset[int]] = {}
    for article_id, annotator_id in pairs:
        found[article_id] = found.get(article_id, frozenset()) | {annotator_id}
    return found


def is_done(
    session: Session, annotator_id: int, article_id: int, *, with_proposals: bool = True, picked: bool = False
) -> bool:
    """Whether this annotator is done with this article; one shown without proposals is done once it is read.

    With `picked` also where the last proposals were judged without the article.
    """
    mine = (article_id, annotator_id)
    return mine in map(tuple, db.review.assignments.read_whole(session, [article_id])) or (
        with_proposals and mine in map(tuple, db.review.assignments.judged_whole(session, [article_id], picked=picked))
    )


def experts_wanted(key: str, settings: QueueSettings) -> int:
    """How many experts annotate the article with this key: fixed by a hash of it, so that a greater share only adds
    articles."""
    return _wanted(_bucket(key), settings)


def _wanted(bucket: float, settings: QueueSettings) -> int:
    return settings.experts if bucket < settings.double_share else 1


def _bucket(key: str) -> float:
    return int.from_bytes(hashlib.sha256(f"double:{key}".encode()).digest()[:4]) / 2**32


_buckets: Memory[int, float] = Memory()  # by article


def _buckets_of_all(session: Session) -> dict[int, float]:
    """The bucket of each article, remembered: an article keeps its key."""
    known = _buckets.here()
    if len(known) < db.articles.text_mark(session)[0]:
        known |= {number: _bucket(key) for number, (key, _) in db.articles.keys_and_splits(session).items()}
    return known
