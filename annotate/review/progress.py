"""How far the review is: key sentences found, how many are probably still to find, and how many were missed on the
way."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

import db.review.assignments
import db.review.progress
from annotate.project.memory import Memory
from annotate.review.blindness.sight import SEES_ALL, Sight
from annotate.review.stopping import Stop, random_draws, stop_of
from annotate.review.waiting import by_article, done_by, remembered
from db.review.progress import Handed, KeyCounts
from model.evaluation.intervals import Estimate
from model.review.stop_rule import FIRST_READ
from model.review.stopping import MIN_DRAWS, estimated_total, missed_in_judged, run_without, unfound

MOST_AT_ONCE = 1000  # values of one statement; of more, all rows are read by one pass
NO_KEY = KeyCounts(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Missed:
    """Key sentences missed in articles of which only the proposals were judged; None where too few were read in full.

    It rests on `read` articles with key sentences that were read in full, and is about `judged` articles.
    """

    estimate: Estimate | None
    read: int
    judged: int


@dataclass(frozen=True, slots=True)
class ReviewProgress:
    """All that the progress page shows. Articles are those with proposals; `articles` are the finished ones, in order.

    total, unfound: estimates with 95% intervals; None with the reason in `lacking`. `elsewhere` counts key sentences
    in articles that are not finished. `without` is how many articles at the end held none. unfound_articles: how many
    of the unfinished articles hold any key sentence, by the same draws. stop: what the stop rule says.
    """

    pool: int
    articles: Sequence[int]
    key: Sequence[int]
    by_lot: Sequence[bool]
    elsewhere: int
    draws: int
    unfinished_draws: int
    total: Estimate | None
    unfound: Estimate | None
    lacking: str
    without: int
    missed: Missed
    stop: Stop
    unfound_articles: Estimate | None = None

    @property
    def found(self) -> int:
        """Key sentences found so far, in all articles."""
        return sum(self.key) + self.elsewhere

    @property
    def waiting(self) -> int:
        """Articles that no expert has finished."""
        return self.pool - len(self.articles)


def progress(session: Session, sight: Sight = SEES_ALL) -> ReviewProgress:
    """The progress of the review now, as this sight shows it: of withheld articles only one's own work counts."""
    done = {article_id: sight.of(article_id, experts) for article_id, experts in done_by(session).items()}
    everybody, labelled = _key_counts(session)
    counts = sight.blend(everybody, lambda who: db.review.progress.key_counts(session, of_annotator=who))
    handed = [row for row in db.review.progress.handed_out(session) if sight.shows(row.article_id, row.annotator_id)]
    key_in = {article_id: counts.get(article_id, NO_KEY).key for article_id in done}
    done_at = _done_at(session, sight, handed, {number: experts for number, experts in done.items() if experts})
    order = sorted(done_at, key=lambda article_id: (done_at[article_id], article_id))
    key = [key_in[article_id] for article_id in order]
    found = sum(key_in.values())
    since = db.review.progress.proposed_since(session)
    lots = random_draws(handed, key_in, since, done_at)
    total, left, left_articles, lacking = None, None, None, ""
    if len(lots.draws) >= MIN_DRAWS:
        rich = [number for number in key if number]
        total = estimated_total(lots.draws, sum(rich) / len(rich) if rich else 1.0)
        left = unfound(total, found)
        any_in = {article_id: int(number > 0) for article_id, number in key_in.items()}
        of_articles = estimated_total(random_draws(handed, any_in, since, done_at).draws)
        left_articles = unfound(of_articles, sum(any_in[article_id] for article_id in order))
    else:
        lacking = _lacking(len(lots.draws), lots.unfinished, lots.outgrown)
    if order and len(order) == len(done):
        left = left_articles = Estimate(0.0, 0.0, 0.0)
        lacking = ""
    by_lot = {row.article_id for row in handed if row.at_random}
    blind = {row.article_id for row in handed if not row.with_proposals}
    readers = [*db.review.assignments.read_whole(session), *labelled]
    whole = {article_id for article_id, who in readers if sight.shows(article_id, who)}
    return ReviewProgress(
        pool=len(done),
        articles=order,
        key=key,
        by_lot=[article_id in by_lot for article_id in order],
        elsewhere=found - sum(key),
        draws=len(lots.draws),
        unfinished_draws=lots.unfinished,
        total=total,
        unfound=left,
        lacking=lacking,
        without=run_without(key),
        missed=_missed(counts, order, whole, blind),
        stop=stop_of(len(done), order, by_lot, counts, whole, blind),
        unfound_articles=left_articles,
    )


# By article: its mark, the counts, and who has labelled it whole.
_counts: Memory[int, tuple[tuple[int, int], KeyCounts, frozenset[int]]] = Memory()


def _key_counts(session: Session) -> tuple[dict[int, KeyCounts], list[tuple[int, int]]]:
    """Key sentences by article, and (article id, annotator id) of every article labelled whole; both are remembered
    from call to call for articles without a new verdict."""
    memo = _counts.here()
    marks = db.review.progress.verdict_marks(session)
    stale = [number for number, mark in marks.items() if number not in memo or memo[number][0] != mark]
    if stale:
        some = stale if len(stale) < MOST_AT_ONCE else None
        fresh = db.review.progress.key_counts(session, some)
        by_whom = by_article(db.review.progress.labelled_whole(session, some))
        for number in stale:
            memo[number] = (marks[number], fresh.get(number, NO_KEY), by_whom.get(number, frozenset()))
    labelled = [(number, who) for number in marks for who in memo[number][2]]
    return {number: memo[number][1] for number in marks}, labelled


def _done_at(
    session: Session, sight: Sight, handed: Sequence[Handed], done: Mapping[int, Collection[int]]
) -> dict[int, str]:
    """When each finished article, with who is done with it, was first finished: its assignment ended, or its labels
    were imported, or else the last word on it."""
    ended = _labelled_at(session, done)
    for row in handed:
        if row.finished and row.ended_at is not None and row.article_id in done:
            ended[row.article_id] = min(row.ended_at, ended.get(row.article_id, row.ended_at))
    finished_at: Mapping[int, str] = {}
    if len(ended) < len(done):
        finished_at = sight.blend(
            db.review.progress.last_activity(session),
            lambda who: db.review.progress.last_activity(session, of_annotator=who),
        )
    return {article_id: ended.get(article_id) or finished_at.get(article_id, "") for article_id in done}


def _labelled_at(session: Session, done: Mapping[int, Collection[int]]) -> dict[int, str]:
    """By article that imported labels alone say somebody to be done with: when the first such labels were stored."""
    known = remembered(session).known
    by_annotator: dict[int, list[int]] = defaultdict(list)
    for article_id, experts in done.items():
        for annotator_id in known[article_id][2].intersection(experts):
            by_annotator[annotator_id].append(article_id)
    found: dict[int, str] = {}
    for annotator_id, article_ids in by_annotator.items():
        stored = db.review.progress.last_activity(session, of_annotator=annotator_id)
        for number in article_ids:
            found[number] = min(stored[number], found.get(number, stored[number]))
    return found


def _lacking(draws: int, unfinished: int, outgrown: int) -> str:
    found = f"{draws} of {MIN_DRAWS} random articles"
    if unfinished:
        found += f", {unfinished} more not reviewed yet"
    if outgrown:
        found += f", {outgrown} more drawn before many articles came in"
    return found


def _missed(
    counts: Mapping[int, KeyCounts], done: Sequence[int], whole: Collection[int], blind: Collection[int]
) -> Missed:
    """From articles whose proposals were shown and that were read in full, what the other such articles hide. `whole`
    were read in full, or came with a label on every sentence."""
    read: list[tuple[int, int]] = []
    judged: list[tuple[int, int]] = []
    for article_id in done:
        if article_id not in blind:
            count = counts.get(article_id, NO_KEY)
            (read if article_id in whole else judged).append((count.proposed, count.added))
    proposed, added = (sum(column) for column in zip(*judged, strict=True)) if judged else (0, 0)
    return Missed(missed_in_judged(read, proposed, added), sum(map(any, read)), len(judged))


def advice(found: ReviewProgress) -> list[str]:
    """What the numbers say, in sentences; never more than advice."""
    if not found.articles:
        return ["No article is reviewed yet."]
    sentences = []
    if not found.waiting:
        sentences.append("Every article is reviewed.")
    elif found.unfound is None:
        read = f", {found.stop.read:,} of {FIRST_READ} with key sentences read in full"
        sentences.append(f"No estimate yet: {found.lacking}{read if found.stop.outside is None else ''}.")
    else:
        sentences.append(_left(found, found.unfound))
        if found.unfound_articles is not None:
            sentences.append(_left_articles(found, found.unfound_articles))
    run = found.without
    if run > 1:
        sentences.append(f"The last {run:,} articles held none.")
    elif run == 1:
        sentences.append("The last article held none.")
    stop = found.stop
    if found.waiting and (found.unfound is not None or stop.may_stop or (stop.missed_inside and stop.outside)):
        sentences.append(found.stop.words)
    return sentences


def _left(found: ReviewProgress, unfound: Estimate) -> str:
    value = unfound.whole()[0]
    thing, are = ("key sentence", "is") if value == 1 else ("key sentences", "are")
    share = f", {value / (found.found + value):.0%} of all" if value else ""
    return f"About {unfound.in_things()} {thing} {are} probably still to find{share}{_by(found)}."


def _left_articles(found: ReviewProgress, unfound: Estimate) -> str:
    wait = "article that waits" if found.waiting == 1 else "articles that wait"
    hold = "holds" if unfound.whole(found.waiting)[0] == 1 else "hold"
    return f"Of the {found.waiting:,} {wait}, {unfound.in_things(found.waiting)} probably {hold} any{_by(found)}."


def _by(found: ReviewProgress) -> str:
    """What an estimate rests on."""
    return f" (by {found.draws:,} random articles)"


def missed_in_words(missed: Missed) -> str:
    """How many key sentences were probably missed in articles of which only the proposals were judged; empty where
    that is not known, or no such article is there."""
    if not missed.judged or missed.estimate is None:
        return ""
    were = "key sentence was" if missed.estimate.whole()[0] == 1 else "key sentences were"
    judged = f"the {missed.judged:,} articles" if missed.judged != 1 else "the article"
    return (
        f"about {missed.estimate.in_things()} {were} probably missed in {judged} of which only the proposals were "
        f"judged. The estimate rests on the sentences added in the {missed.read:,} that were read in full."
    )
