"""What is looked up often is found by an index: in articles with a hundred thousand sections, among years of jobs."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import event, text
from sqlalchemy.orm import Session

import db.articles
import db.finding.indexed
import db.jobs
from annotate.project.home import write
from annotate.project.rights import Right
from db.review.verdicts import VERDICT_VALUES, add_verdict, current_verdicts, latest_of
from db.values import Value

LOOKUPS: dict[str, tuple[Callable[[Session], Any], str]] = {
    "the last change of any article": (db.finding.indexed.last_change, "article_change_"),
    "MeSH terms of some articles": (lambda session: db.articles.mesh_terms(session, [1, 2, 3]), "ix_section_"),
    "titles by their keys": (lambda session: db.articles.with_title_keys(session, ["1", "2"]), "ix_article_title_key"),
    "titles in several splits": (db.articles.divided_titles, "ix_article_title_key"),
    "a job by the id of who asked": (lambda session: db.jobs.of_event(session, "id"), "ix_job_event_id"),
}


# As if PostgreSQL had not counted yet. Of a table that it counted while empty it reads any index.
NOT_COUNTED = "UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE relnamespace = 'public'::regnamespace"


@pytest.mark.parametrize("lookup", LOOKUPS)
def test_what_is_looked_up_often_is_found_by_an_index(home, lookup):
    ask, index = LOOKUPS[lookup]
    with write(Right.IMPORT) as session:
        assert index in plan(session, ask)


def plan(session: Session, ask: Callable[[Session], Any]) -> str:
    """How the database would carry out the last statement of a query; PostgreSQL as it does with many rows."""
    asked: list[tuple[str, Any]] = []
    connection = session.connection()

    def note(_: Any, __: Any, statement: str, parameters: Any, *___: Any) -> None:
        asked.append((statement, parameters))

    event.listen(connection, "before_cursor_execute", note)
    try:
        ask(session)
    finally:
        event.remove(connection, "before_cursor_execute", note)
    explain = "EXPLAIN QUERY PLAN" if connection.dialect.name == "sqlite" else "EXPLAIN"
    if explain == "EXPLAIN":
        connection.execute(text("SET LOCAL enable_seqscan = off"))
        connection.execute(text(NOT_COUNTED))
    statement, parameters = asked[-1]
    return str(connection.exec_driver_sql(f"{explain} {statement}", parameters).all())


ROW = dict.fromkeys(VERDICT_VALUES) | {"event_id": "1", "given_at": "", "stored_at": "", "value": Value.ACCEPT}
OF_ONE_ARTICLE: dict[str, Callable[[Session], Any]] = {
    "a verdict is stored": lambda own: add_verdict(own, ROW, annotator="Anna", article_id=1, position=0, set_id=None),
    "an article is opened": lambda own: current_verdicts(own, article_id=1, annotator=1),
    "a sentence is looked up": lambda own: latest_of(own, 1, 1),
}


@pytest.mark.sqlite("PostgreSQL chooses by what it counted")
@pytest.mark.parametrize("asked", OF_ONE_ARTICLE)
def test_what_is_of_one_article_needs_no_look_at_all_that_its_annotator_said(home, asked):
    with write(Right.REVIEW) as session:
        found = plan(session, OF_ONE_ARTICLE[asked])
    assert "ix_verdict_article_id_id" in found
    assert "ix_verdict_annotator_id" not in found
