"""The past of articles: verdicts and proposals. It tells who could know what, and when."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import and_, func, select, union
from sqlalchemy.orm import Session

from db.base import AnySelect
from db.curation import chunks, kept
from db.review.assignments import FINISHED
from db.tables import Article, Assignment, Proposal, ProposalSet, Reading, Verdict
from db.values import PICKED, Origin, Value, VerdictRole


class What(StrEnum):
    """What may have happened to an article."""

    PROPOSED = "proposed"
    VERDICT = "verdict"
    READING = "reading"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class Happened:
    """One row of an article's past. `id` is the row's id in its own table, `at` the time at which it was stored.

    sentences: the one that a verdict is about, or all of a set of proposals that are shown at first. stands: false for
    a verdict that takes one back. It is false, too, for a reading that was not in full, or of an earlier text.
    imported: a verdict of a file of labels. picked: a verdict on a sentence that was picked from all articles.
    """

    what: What
    id: int
    at: str
    annotator_id: int = 0
    sentences: frozenset[int] = frozenset()
    stands: bool = True
    imported: bool = False
    picked: bool = False


def of_several(article_ids: Collection[int] | None) -> AnySelect:
    """Selects the articles of the project, of some or all, about which at least two annotators said something."""
    queries = []
    for table, conditions in ((Verdict, [Verdict.role == VerdictRole.ANNOTATOR]), (Reading, [])):
        query = select(table.article_id, table.annotator_id).where(*conditions, kept(table.article_id))
        queries.append(query if article_ids is None else query.where(table.article_id.in_(article_ids)))
    pairs = union(*queries).subquery()
    return select(pairs.c.article_id).group_by(pairs.c.article_id).having(func.count() > 1)


def past(session: Session, article_ids: Collection[int]) -> dict[int, list[Happened]]:
    """By article about which several annotators said something: all that happened to it, of each kind in order."""
    found: dict[int, list[Happened]] = defaultdict(list)
    for some in chunks(article_ids):
        of_these = of_several(some)
        _add_proposed(session, of_these, found)
        _add_verdicts(session, of_these, found)
        _add_readings(session, of_these, found)
        _add_finished(session, of_these, found)
    return found


def _add_proposed(session: Session, of_these: AnySelect, found: dict[int, list[Happened]]) -> None:
    query = (
        select(ProposalSet.article_id, ProposalSet.id, ProposalSet.created_at, Proposal.sentence_id)
        .outerjoin(Proposal, and_(Proposal.set_id == ProposalSet.id, Proposal.rank <= ProposalSet.k))
        .where(ProposalSet.article_id.in_(of_these))
    )
    sets: dict[tuple[int, int, str], list[int | None]] = defaultdict(list)
    for article_id, number, at, sentence_id in session.execute(query.order_by(ProposalSet.id)):
        sets[article_id, number, at].append(sentence_id)
    for (article_id, number, at), sentences in sets.items():
        proposed = frozenset(each for each in sentences if each is not None)  # a set may be empty
        found[article_id].append(Happened(What.PROPOSED, number, at, sentences=proposed))


def _add_verdicts(session: Session, of_these: AnySelect, found: dict[int, list[Happened]]) -> None:
    columns = (Verdict.article_id, Verdict.id, Verdict.stored_at, Verdict.annotator_id, Verdict.sentence_id)
    picked = and_(Verdict.ranking.is_not_distinct_from(PICKED), Verdict.labels.is_(None))
    query = select(*columns, Verdict.value, Verdict.origin, picked).where(
        Verdict.article_id.in_(of_these), Verdict.role == VerdictRole.ANNOTATOR
    )
    for article_id, number, at, who, sentence_id, value, origin, apart in session.execute(query.order_by(Verdict.id)):
        kind = value != Value.WITHDRAWN, origin == Origin.IMPORTED, bool(apart)
        found[article_id].append(Happened(What.VERDICT, number, at, who, frozenset({sentence_id}), *kind))


def _add_readings(session: Session, of_these: AnySelect, found: dict[int, list[Happened]]) -> None:
    columns = (Reading.article_id, Reading.id, Reading.stored_at, Reading.annotator_id)
    query = (
        select(*columns, Reading.in_full, Reading.sentence_count == Article.sentence_count)
        .join(Article, Article.id == Reading.article_id)
        .where(Reading.article_id.in_(of_these))
    )
    for article_id, number, at, who, in_full, of_now in session.execute(query.order_by(Reading.id)):
        found[article_id].append(Happened(What.READING, number, at, who, stands=bool(in_full and of_now)))


def _add_finished(session: Session, of_these: AnySelect, found: dict[int, list[Happened]]) -> None:
    query = select(Assignment.article_id, Assignment.id, Assignment.ended_at, Assignment.annotator_id).where(
        Assignment.article_id.in_(of_these), Assignment.ending == FINISHED, Assignment.ended_at.is_not(None)
    )
    for article_id, number, at, who in session.execute(query.order_by(Assignment.id)):
        found[article_id].append(Happened(What.FINISHED, number, at or "", who))
