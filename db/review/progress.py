"""How far the review is, and what handing out articles with and without proposals showed: one function a query."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, String, Subquery, and_, case, cast, func, or_, select
from sqlalchemy.orm import Session

from db.base import tuples
from db.curation import chunks, kept
from db.review.assignments import FINISHED, LEFT
from db.review.verdicts import latest_verdicts
from db.tables import Article, Assignment, Proposal, ProposalSet, Reading, Verdict
from db.values import BY_HAND, PICKED, Origin, Value, VerdictRole


@dataclass(frozen=True, slots=True)
class Handed:
    """An assignment as the stop rule needs it. `left`: the expert went on without finishing, and gets it last."""

    id: int
    article_id: int
    annotator_id: int
    waiting: int
    at_random: bool
    with_proposals: bool
    created_at: str
    ended_at: str | None
    finished: bool
    left: bool


@dataclass(frozen=True, slots=True)
class KeyCounts:
    """Key sentences of an article: all; those that somebody was shown as a proposal of the article; the others, which
    were added unasked or picked."""

    key: int
    proposed: int
    added: int


@dataclass(frozen=True, slots=True)
class Compared:
    """What an expert who finished an article called key among the proposals that the ranking had, and outside.

    `judged` counts the proposals with a verdict.
    """

    by_hand: bool
    with_proposals: bool
    read_in_full: bool
    proposals: int
    judged: int
    key_proposals: int
    key_outside: int


def handed_out(session: Session) -> list[Handed]:
    """All assignments of articles of the project, in the order in which they were made."""
    query = select(
        Assignment.id,
        Assignment.article_id,
        Assignment.annotator_id,
        Assignment.waiting,
        Assignment.at_random,
        Assignment.with_proposals,
        Assignment.created_at,
        Assignment.ended_at,
        Assignment.ending,
    )
    query = query.where(kept(Assignment.article_id)).order_by(Assignment.id)
    return [Handed(*row[:8], row.ending == FINISHED, row.ending == LEFT) for row in session.execute(query)]


def verdict_marks(session: Session) -> dict[int, tuple[int, int]]:
    """By article with verdicts: the id of the last, and how many sentences the article has. What is key in an article,
    and whether it is labelled whole, is the same as long as this is."""
    # One seek in the index an article: a fifth of the time of one pass over the index.
    last = select(func.max(Verdict.id)).where(Verdict.article_id == Article.id).scalar_subquery()
    rows = session.execute(select(Article.id, last, Article.sentence_count).where(kept(Article.id)))
    return {number: (verdict, sentences) for number, verdict, sentences in rows if verdict is not None}


def labelled_whole(session: Session, article_ids: Collection[int] | None = None) -> list[tuple[int, int]]:
    """(article id, annotator id) wherever an annotator has a verdict on every sentence of an article."""
    some = [] if article_ids is None else [Verdict.article_id.in_(article_ids)]
    query = (
        select(Verdict.article_id, Verdict.annotator_id)
        .join(Article, Article.id == Verdict.article_id)
        .where(Verdict.id.in_(latest_verdicts(*some)), Verdict.value != Value.WITHDRAWN)
        .group_by(Verdict.article_id, Verdict.annotator_id, Article.sentence_count)
        .having(func.count() == Article.sentence_count)
    )
    return tuples(session.execute(query))


def key_counts(
    session: Session, article_ids: Collection[int] | None = None, *, of_annotator: int | None = None
) -> dict[int, KeyCounts]:
    """By article, of some or all: its sentences that more annotators accept than reject, or an adjudicator accepts;
    those without are left out. Of one annotator: what they accept, as if there were no other annotator."""
    some: list[ColumnElement[bool]] = [] if article_ids is None else [Verdict.article_id.in_(article_ids)]
    if of_annotator is not None:
        some += [Verdict.annotator_id == of_annotator, Verdict.role == VerdictRole.ANNOTATOR]
    accept, by_annotator = Verdict.value == Value.ACCEPT, Verdict.role == VerdictRole.ANNOTATOR
    decision = case((Verdict.role == VerdictRole.ADJUDICATOR, case((accept, 1), else_=-1)), else_=0)
    opinion = case((accept, 1), (Verdict.value == Value.REJECT, -1), else_=0)
    # What was picked and is none of the proposals that its article shows would be missed where those alone are judged.
    missed = and_(Verdict.ranking.is_not_distinct_from(PICKED), Verdict.rank.is_(None))
    sentences = (
        select(
            Verdict.article_id,
            _count(and_(accept, by_annotator, Verdict.origin == Origin.PROPOSED, ~missed)).label("proposed"),
            _count(and_(accept, Verdict.origin != Origin.ADDED, ~missed)).label("given"),
        )
        .where(Verdict.id.in_(latest_verdicts(*some, role=None)), Verdict.value != Value.WITHDRAWN)
        .group_by(Verdict.article_id, Verdict.sentence_id)
        # One adjudicator at most decides on a sentence; without one the majority of the annotators does.
        .having(or_(func.sum(decision) > 0, and_(func.sum(decision) == 0, func.sum(opinion) > 0)))
        .subquery()
    )
    rows = session.execute(
        select(
            sentences.c.article_id,
            func.count(),
            _count(sentences.c.proposed > 0),
            _count(sentences.c.given == 0),
        ).group_by(sentences.c.article_id)
    )
    return {row[0]: KeyCounts(*row[1:]) for row in rows}


def _count(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((condition, 1), else_=0))


def proposed_since(session: Session) -> dict[int, str]:
    """By article that holds proposals: when it got its first, from which on it could be handed out."""
    first = select(func.min(ProposalSet.id)).group_by(ProposalSet.article_id)
    rows = session.execute(
        select(ProposalSet.article_id, ProposalSet.created_at).where(
            ProposalSet.id.in_(first), kept(ProposalSet.article_id)
        )
    )
    return dict(rows.all())


def last_activity(session: Session, *, of_annotator: int | None = None) -> dict[int, str]:
    """By article with verdicts or readings of anybody, or of one annotator: when the last of them was stored. What an
    adjudicator decided is no such verdict."""
    found: dict[int, str] = {}
    for table in (Verdict, Reading):
        query = select(table.article_id, func.max(table.stored_at)).group_by(table.article_id)
        if table is Verdict:
            query = query.where(Verdict.role == VerdictRole.ANNOTATOR)
        if of_annotator is not None:
            query = query.where(table.annotator_id == of_annotator)
        for article_id, stored_at in session.execute(query):
            found[article_id] = max(stored_at, found.get(article_id, ""))
    return found


def finished_firsts(session: Session) -> list[int]:
    """The ids of the first assignments of each article of the project to each expert who finished it."""
    finished = func.count().filter(Assignment.ending == FINISHED)
    query = select(func.min(Assignment.id)).where(kept(Assignment.article_id))
    query = query.group_by(Assignment.annotator_id, Assignment.article_id)
    return list(session.scalars(query.having(finished > 0).order_by(func.min(Assignment.id))))


def compared(session: Session, first_ids: Collection[int] | None = None) -> dict[int, Compared]:
    """By first assignment, of some or all: an expert and an article that was new to the expert, and was finished.

    The proposals are the ones that the latest set made before the article was handed out shows at first. They count the
    same where the article came without proposals. Only verdicts and readings of that expert, stored before the
    assignment ended, count: so a row never changes.
    """
    # Rows as they are, and put together here: what PostgreSQL makes of it without fresh statistics takes minutes.
    handed = _finished_by_expert(session, first_ids)
    values: dict[tuple[int, int], dict[int, str]] = defaultdict(dict)
    columns = ("sentence_id", "value", "role", "stored_at")
    for who, article_id, sentence_id, value, role, at in _rows_of(session, first_ids, Verdict, *columns):
        one = handed.get((who, article_id))
        if one is not None and at < one.began_at:
            del handed[who, article_id]  # the article was not new to the expert
        elif one is not None and at <= one.finished_at and role == VerdictRole.ANNOTATOR:
            values[who, article_id][sentence_id] = value
    read: dict[tuple[int, int], bool] = {}
    for who, article_id, in_full, at in _rows_of(session, first_ids, Reading, "in_full", "stored_at"):
        if (one := handed.get((who, article_id))) is not None and at <= one.finished_at:
            read[who, article_id] = in_full
    proposed = _proposed_before(session, handed)
    found = {}
    for pair, one in handed.items():
        if proposals := proposed.get(pair):
            given = {number: value for number, value in values[pair].items() if value != Value.WITHDRAWN}
            key = {number for number, value in given.items() if value == Value.ACCEPT}
            counts = len(proposals), len(proposals & given.keys()), len(proposals & key), len(key - proposals)
            found[one.id] = Compared(one.strategy == BY_HAND, one.with_proposals, read.get(pair, False), *counts)
    return dict(sorted(found.items()))


@dataclass(slots=True)
class _Finished:
    """The first assignment of an article to an expert, and when the expert finished the article."""

    id: int
    strategy: str
    with_proposals: bool
    began_at: str
    finished_at: str = ""


def _rows_of(session: Session, first_ids: Collection[int] | None, table: Any, *names: str) -> Iterable[Any]:
    """(annotator id, article id, ...) of a table's rows on the articles of some assignments, or of all, in order."""
    query = select(table.annotator_id, table.article_id, *(getattr(table, name) for name in names))
    query = query.where(kept(table.article_id)).order_by(table.id)
    if first_ids is not None:
        query = query.where(table.article_id.in_(select(Assignment.article_id).where(Assignment.id.in_(first_ids))))
    return session.execute(query)


def _finished_by_expert(session: Session, first_ids: Collection[int] | None) -> dict[tuple[int, int], _Finished]:
    """By annotator and article, of those who finished it. A later assignment takes over the lot that was drawn for the
    first, so they are one."""
    found: dict[tuple[int, int], _Finished] = {}
    columns = ("id", "strategy", "with_proposals", "created_at", "ended_at", "ending")
    for who, article_id, *first, ended, ending in _rows_of(session, first_ids, Assignment, *columns):
        one = found.setdefault((who, article_id), _Finished(*first))
        if ending == FINISHED:
            one.finished_at = min(ended, one.finished_at or ended)
    wanted = None if first_ids is None else set(first_ids)
    return {pair: one for pair, one in found.items() if one.finished_at and (wanted is None or one.id in wanted)}


def _proposed_before(
    session: Session, handed: Mapping[tuple[int, int], _Finished]
) -> dict[tuple[int, int], frozenset[int]]:
    """The sentences that the latest set made before each of these began shows at first."""
    sets: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for some in chunks({article_id for _, article_id in handed}):
        made = select(ProposalSet.article_id, ProposalSet.id, ProposalSet.created_at)
        for article_id, number, at in session.execute(made.where(ProposalSet.article_id.in_(some))):
            sets[article_id].append((number, at))
    chosen = {
        pair: max((number for number, at in sets[pair[1]] if at <= one.began_at), default=0)
        for pair, one in handed.items()
    }
    sentences: dict[int, set[int]] = defaultdict(set)
    for some in chunks(set(chosen.values())):
        shown = select(Proposal.set_id, Proposal.sentence_id).where(Proposal.set_id.in_(some))
        at_first = and_(ProposalSet.id == Proposal.set_id, Proposal.rank <= ProposalSet.k)
        for number, sentence_id in session.execute(shown.join(ProposalSet, at_first)):
            sentences[number].add(sentence_id)
    return {pair: frozenset(sentences[number]) for pair, number in chosen.items()}


def count_verdicts(session: Session, *, after: int = 0, split: str | None = None) -> int:
    """How many verdict events are stored after the one with this id, withdrawn ones and changes included; on all
    articles or on the articles of a split.

    One that repeats the verdict before it with other labels corrects these, and is not counted.
    """
    some = [Verdict.article_id.in_(select(Verdict.article_id).where(Verdict.id > after))] if after else []
    if split is not None:
        some.append(Verdict.article_id.in_(select(Article.id).where(Article.split == split)))
    row = without_relabelling(*some)
    return session.scalar(select(func.count()).where(row.c.id > after)) or 0


def without_relabelling(*conditions: ColumnElement[bool]) -> Subquery:
    """(id, annotator_id, sentence_id) of the verdicts under these conditions that are no mere corrections of
    labels; the conditions take all verdicts of an annotator on a sentence, or none."""
    # PostgreSQL compares no JSON; equal labels are written alike.
    columns = {"value": Verdict.value, "labels": cast(Verdict.labels, String)}
    of_one = (Verdict.annotator_id, Verdict.role, Verdict.sentence_id)
    row = (
        select(
            Verdict.id,
            *of_one,
            *(what.label(name) for name, what in columns.items()),
            *(
                func.lag(what).over(partition_by=of_one, order_by=Verdict.id).label(f"{name}_before")
                for name, what in columns.items()
            ),
        )
        .where(*conditions)
        .subquery()
        .c
    )
    relabelled = row.labels.is_distinct_from(row.labels_before)
    repeats = and_(row.value.is_not_distinct_from(row.value_before), relabelled)
    return select(row.id, row.annotator_id, row.sentence_id).where(~repeats).subquery()
