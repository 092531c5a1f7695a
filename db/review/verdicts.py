"""Annotators and what they said: append-only events, each stored once by its event id."""

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Integer, String, and_, bindparam, exists, func, insert, select
from sqlalchemy.orm import Session, aliased

import db.rows
from db.base import INSERTS, AnySelect, table_of, tuples
from db.curation import changed_since, kept
from db.tables import (
    Annotator,
    Article,
    ArticleRemoval,
    Assignment,
    AuditVerdict,
    Comment,
    ProposalSet,
    QueueRequest,
    Reading,
    Relevance,
    Sentence,
    Verdict,
)
from db.values import Origin, Value, VerdictRole

# What `add_verdict` takes as it is.
VERDICT_VALUES = ("event_id", "given_at", "stored_at", "value", "origin", "rank", "cosine", "ranking", "version")


def annotator_id(session: Session, name: str) -> int:
    """The id of the annotator with this name, made if new."""
    known = find_annotator(session, name)
    return session.scalars(insert(Annotator).returning(Annotator.id), {"name": name}).one() if known is None else known


def find_annotator(session: Session, name: str) -> int | None:
    """The id of the annotator with this name; None for one not seen before."""
    return session.scalar(select(Annotator.id).where(Annotator.name == name))


def annotators(session: Session) -> list[str]:
    """All names, in order of the alphabet."""
    return list(session.scalars(select(Annotator.name).order_by(func.lower(Annotator.name))))


def readers(session: Session) -> list[str]:
    """All names but for those that only imported labels name, in order of the alphabet."""
    theirs = exists().where(Verdict.annotator_id == Annotator.id)
    worked = theirs.where(Verdict.origin != Origin.IMPORTED) | exists().where(Assignment.annotator_id == Annotator.id)
    return list(session.scalars(select(Annotator.name).where(worked | ~theirs).order_by(func.lower(Annotator.name))))


def event_ids(session: Session, article_id: int, annotator: int) -> list[str]:
    """The ids of all that an annotator said about an article."""
    of_article = (
        select(table.event_id).where(table.article_id == article_id, table.annotator_id == annotator)
        for table in (Verdict, Comment, Reading)
    )
    return [event_id for query in of_article for event_id in session.scalars(query)]


Event = Verdict | Comment | Reading | AuditVerdict | QueueRequest | Relevance


def add_event(session: Session, table: type[Event], row: dict[str, Any]) -> bool:
    """Inserts a row whose event_id is new; False where that id is taken by a row that says something else.

    When it was given, and how things stood then, may differ: each sending tells its own.
    """
    if db.rows.add_new(session, table, [row]):
        return True
    columns = [name for name in row if name not in ("given_at", "sentence_count", "assignments_before")]
    stored = session.execute(
        select(*(getattr(table, name) for name in columns)).where(table.event_id == row["event_id"])
    ).one()
    return tuple(stored) == tuple(row[name] for name in columns)


@lru_cache(maxsize=2)
def _add_verdict(dialect: str) -> Any:
    """The statement of `add_verdict`, made once: making it costs more than running it."""
    table = table_of(Verdict)
    article_id, position = (bindparam(name, type_=Integer) for name in ("article_id", "position"))
    of_article = and_(Sentence.article_id == article_id, Sentence.position == position)
    its_set = select(ProposalSet.id).where(
        ProposalSet.id == bindparam("set_id", type_=Integer), ProposalSet.article_id == article_id
    )
    given = [bindparam(name, type_=table.c[name].type).label(name) for name in VERDICT_VALUES]
    before = aliased(Verdict)
    row = (
        select(*given, Annotator.id, Sentence.article_id, Sentence.id, its_set.scalar_subquery(), before.labels)
        .join_from(Annotator, Sentence, of_article)
        .outerjoin(before, and_(before.id == _last_accepted(), bindparam("value", type_=String) == Value.ACCEPT))
        .where(Annotator.name == bindparam("annotator"))
    )
    columns = [*VERDICT_VALUES, "annotator_id", "article_id", "sentence_id", "proposal_set_id", "labels"]
    insert_row = INSERTS[dialect](table).from_select(columns, row, include_defaults=False)
    return insert_row.on_conflict_do_nothing().returning(table.c.id)


def _last_accepted() -> Any:
    """The id of the annotator's last verdict that called the sentence key."""
    earlier = aliased(Verdict)
    return (
        select(func.max(earlier.id))
        .where(
            earlier.of_article_by(Sentence.article_id, Annotator.id),
            earlier.sentence_id == Sentence.id,
            earlier.role == VerdictRole.ANNOTATOR,
            earlier.value == Value.ACCEPT,
        )
        .correlate(Annotator, Sentence)
        .scalar_subquery()
    )


def add_verdict(
    session: Session, row: dict[str, Any], *, annotator: str, article_id: int, position: int, set_id: int | None
) -> bool:
    """Inserts a verdict (VERDICT_VALUES) of an annotator on a sentence, with the set where it is one of this article.

    A sentence that they accepted before keeps the labels that it had: a page that was opened before may not know them.

    All in one statement; False where it inserted nothing: the id is taken, or the annotator or the sentence unknown.
    """
    connection = session.connection()
    where = {"annotator": annotator, "article_id": article_id, "position": position, "set_id": set_id}
    return connection.execute(_add_verdict(connection.dialect.name), row | where).first() is not None


def latest_verdicts(*conditions: Any, role: str | None = VerdictRole.ANNOTATOR) -> Any:
    """A selection of the ids of the verdicts that are current among those under the conditions.

    Of annotators: the latest of each on each sentence. Of adjudicators: the latest of all on each sentence. With role
    None: of both, so that an adjudicator's verdict is listed with the verdicts that it decides on.
    """
    given = select(func.max(Verdict.id)).where(*conditions)
    opinions = given.where(Verdict.role == VerdictRole.ANNOTATOR).group_by(Verdict.annotator_id, Verdict.sentence_id)
    decided = given.where(Verdict.role == VerdictRole.ADJUDICATOR).group_by(Verdict.sentence_id)
    if role is None:
        return opinions.union_all(decided)
    return decided if role == VerdictRole.ADJUDICATOR else opinions


_VERDICTS = (
    select(Verdict, Annotator.name, Sentence.position)
    .join(Annotator, Annotator.id == Verdict.annotator_id)
    .join(Sentence, Sentence.id == Verdict.sentence_id)
    .order_by(Verdict.id)
)


def current_verdicts(
    session: Session,
    *,
    article_id: int | None = None,
    annotator: int | None = None,
    withdrawn: bool = False,
    role: str | None = VerdictRole.ANNOTATOR,
) -> Sequence[tuple[Verdict, str, int]]:
    """(verdict, annotator's name, sentence position): the latest of each annotator on each sentence, oldest first.

    Withdrawn ones are left out unless asked for; of adjudicators, or of both with role None, as `latest_verdicts`.
    """
    conditions = [] if article_id is None else [Verdict.article_id == article_id]
    if annotator is not None and article_id is not None:
        conditions = [Verdict.of_article_by(article_id, annotator)]
    elif annotator is not None:
        conditions = [Verdict.annotator_id == annotator]
    latest = latest_verdicts(*conditions, role=role)
    query = _VERDICTS.where(Verdict.id.in_(latest))
    if not withdrawn:
        query = query.where(Verdict.value != Value.WITHDRAWN)
    return tuples(session.execute(query))


def all_verdicts(
    session: Session,
    *,
    after: int = 0,
    limit: int | None = None,
    annotator: str | None = None,
    article_id: int | None = None,
    sentence_id: int | None = None,
) -> Sequence[tuple[Verdict, str, int]]:
    """(verdict, name, position of the sentence) of the first with a higher id, by id: also what was taken back since
    and what adjudicators decided; of one person, article or sentence where that is given."""
    query = _VERDICTS.where(Verdict.id > after).limit(limit)
    for column, wanted in (
        (Annotator.name, annotator),
        (Verdict.article_id, article_id),
        (Verdict.sentence_id, sentence_id),
    ):
        if wanted is not None:
            query = query.where(column == wanted)
    return tuples(session.execute(query))


def latest_of(session: Session, annotator: int, sentence: int) -> Verdict | None:
    """An annotator's latest verdict on a sentence, a withdrawn one too; None where they said nothing."""
    article_id = select(Sentence.article_id).where(Sentence.id == sentence).scalar_subquery()
    condition = and_(Verdict.of_article_by(article_id, annotator), Verdict.sentence_id == sentence)
    return session.scalar(select(Verdict).where(Verdict.id.in_(latest_verdicts(condition))))


def count_by_origin(session: Session) -> dict[str, int]:
    """How many sentences hold a current verdict of each origin."""
    rows = session.execute(
        select(Verdict.origin, func.count(func.distinct(Verdict.sentence_id)))
        .where(Verdict.id.in_(latest_verdicts()), Verdict.value != Value.WITHDRAWN, kept(Verdict.article_id))
        .group_by(Verdict.origin)
        .order_by(Verdict.origin)
    )
    return dict(rows.all())


def latest_comments(*columns: Any, article_ids: Collection[int] | None = None, withdrawn: bool = False) -> AnySelect:
    """Columns of each annotator's latest comment on each sentence or article; of some articles or all. Withdrawn ones,
    which are empty, are left out unless asked for."""
    latest = db.rows.latest_ids(Comment, Comment.annotator_id, Comment.article_id, Comment.sentence_id)
    if article_ids is not None:
        latest = latest.where(Comment.article_id.in_(article_ids))
    query = select(*columns).join(Annotator, Annotator.id == Comment.annotator_id)
    query = query.where(Comment.id.in_(latest))
    return query if withdrawn else query.where(Comment.text != "")


def current_comments(
    session: Session, article_ids: Collection[int], annotator: str | None = None, *, withdrawn: bool = False
) -> list[tuple[Comment, str]]:
    """The latest comment of each annotator, or of this one, on each sentence of some articles or on an article. Each
    has the annotator's name; oldest first; withdrawn ones as `latest_comments`."""
    query = latest_comments(Comment, Annotator.name, article_ids=article_ids, withdrawn=withdrawn).order_by(Comment.id)
    return tuples(session.execute(query if annotator is None else query.where(Annotator.name == annotator)))


def reading_in_full(
    *columns: Any, article_ids: Collection[int] | None = None, until: int | None = None, without: Collection[int] = ()
) -> AnySelect:
    """The given columns of each annotator's latest reading of an article, where it was in full and of all sentences
    that the article has now; of some articles or all. None after `until` counts, none in `without`, none of removed
    ones."""
    latest = db.rows.latest_ids(Reading, Reading.annotator_id, Reading.article_id)
    if without:
        latest = latest.where(Reading.id.not_in(without))
    if until is not None:
        latest = latest.where(Reading.id <= until)
    if article_ids is not None:
        latest = latest.where(Reading.article_id.in_(article_ids))
    return (
        select(*columns)
        .join(Article, Article.id == Reading.article_id)
        .where(Reading.id.in_(latest), Reading.in_full, Reading.sentence_count == Article.sentence_count)
        .where(kept(Article.id))
    )


def read_in_full(
    session: Session, article_ids: Collection[int] | None = None, *, until: int | None = None
) -> list[tuple[int, str]]:
    """(article id, annotator) of every article, of some or all, that was read in full as it stands now; `until` is the
    last reading."""
    query = reading_in_full(Reading.article_id, Annotator.name, article_ids=article_ids, until=until)
    rows = session.execute(query.join(Annotator, Annotator.id == Reading.annotator_id).order_by(Reading.id))
    return tuples(rows)


def answers_on_reading(session: Session) -> dict[tuple[int, str], int]:
    """By article id and annotator the most sentences of which they ever said whether they read them all."""
    query = select(Reading.article_id, Annotator.name, func.max(Reading.sentence_count))
    query = query.join(Annotator, Annotator.id == Reading.annotator_id).group_by(Reading.article_id, Annotator.name)
    return {(article_id, name): count for article_id, name, count in session.execute(query)}


def last_events(session: Session, *, until: str | None = None) -> dict[str, int]:
    """The ids of the last verdict, reading, and removal of an article or its return, 0 for none; `until` this time."""
    found = {}
    for name, number, stored_at in (
        ("until_verdict", Verdict.id, Verdict.stored_at),
        ("until_reading", Reading.id, Reading.stored_at),
        ("until_removal", ArticleRemoval.id, ArticleRemoval.done_at),
    ):
        query = select(func.max(number))
        found[name] = session.scalar(query if until is None else query.where(stored_at <= until)) or 0
    return found


def reviewed_articles(session: Session, annotator: int) -> list[int]:
    """Articles that hold a verdict of this annotator, latest first."""
    return list(
        session.scalars(
            select(Verdict.article_id)
            .where(Verdict.annotator_id == annotator, Verdict.role == VerdictRole.ANNOTATOR)
            .group_by(Verdict.article_id)
            .order_by(func.max(Verdict.id).desc())
        )
    )


def verdict_counts(session: Session, article_ids: Collection[int], annotator: int | None = None) -> dict[int, int]:
    """How many sentences of each article hold a verdict of anybody, or of one annotator."""
    sentences = func.count(func.distinct(Verdict.sentence_id))
    query = select(Verdict.article_id, sentences).where(Verdict.article_id.in_(article_ids))
    if annotator is not None:
        query = query.where(Verdict.annotator_id == annotator)
    return dict(session.execute(query.group_by(Verdict.article_id)).all())


def sentence_exists(session: Session, article_id: int, position: int) -> int | None:
    """The id of the sentence at this position, None where the article has none there."""
    return session.scalar(select(Sentence.id).where(Sentence.article_id == article_id, Sentence.position == position))


def touched(session: Session, until_verdict: int, until_reading: int, until_removal: int) -> set[int]:
    """The articles that somebody judged, read, removed or took back after these rows."""
    verdicts = session.scalars(select(Verdict.article_id).where(Verdict.id > until_verdict))
    readings = session.scalars(select(Reading.article_id).where(Reading.id > until_reading))
    return {*verdicts, *readings, *changed_since(session, until_removal)}


def judged_articles(
    session: Session,
    article_ids: Collection[int] | None = None,
    *,
    annotator: int | None = None,
    until: int | None = None,
) -> set[int]:
    """The articles, of some or all, with a verdict of anybody or of this annotator, up to this one."""
    query = select(Verdict.article_id).distinct()
    if article_ids is not None:
        query = query.where(Verdict.article_id.in_(article_ids))
    if annotator is not None:
        query = query.where(Verdict.annotator_id == annotator)
    if until is not None:
        query = query.where(Verdict.id <= until)
    return set(session.scalars(query))
