"""One action on very many articles as a job: done once whatever kills it, cancelled between two batches, told whole."""

from collections import Counter
from typing import Any

import pytest

import db.jobs
import db.rows
from annotate.articles.document_labels import parse_labels
from annotate.cli.main import main
from annotate.curation import outcome
from annotate.curation.removal import remove, take_back
from annotate.jobs import many_articles
from annotate.jobs.lifecycle import cancel, enqueue, run
from annotate.jobs.many_articles import ACTIONS, HANDLERS_OF_MANY, as_given, asked, at_once, what_became_of
from annotate.jobs.monitor import Cancelled
from annotate.project.home import read, write
from annotate.project.rights import Right
from db.jobs import begin_again
from db.tables import Job
from tests.support.labels import gene_labels
from tests.support.making import judge, paper, query, store, verdict

pytestmark = pytest.mark.usefixtures("home")
IDS = list(range(12, 0, -1))


@pytest.fixture
def twelve(home: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve articles, done five at a time."""
    store(*(paper(pmid=str(number)) for number in range(1, 13)))
    for name in ("tags", "removal", "assigning"):
        monkeypatch.setattr(f"annotate.curation.{name}.batches", lambda ids, _=5: outcome.batches(ids, 5))


def begin(action: str, what: str, **given: Any) -> int:
    return enqueue(ACTIONS[action].kind, asked(action, what, IDS, given))


def row(job_id: int) -> Job:
    with read() as session:
        found = db.rows.get(session, Job, job_id)
    assert found is not None
    return found


def became(job_id: int) -> many_articles.Became:
    with read() as session:
        found = what_became_of(session, job_id)
    assert found is not None
    return found


def killed_after(batches: int, job_id: int) -> None:
    """Runs a job whose process dies once so many batches are stored, and queues it again as `reap` would."""
    keep, left = many_articles._Progress.keep, iter([False] * batches + [True])

    def or_die(self: Any, *batch: Any) -> None:
        if next(left):
            raise SystemExit
        keep(self, *batch)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit):
        patch.setattr(many_articles._Progress, "keep", or_die)
        run(job_id, HANDLERS_OF_MANY)
    with write(Right.SYSTEM) as session:
        session.get_one(Job, job_id).state = "running"  # one that is killed says nothing
    with write(Right.SYSTEM) as session:
        assert begin_again(session, job_id, attempt=1)


def test_what_is_done_is_told_as_if_it_had_been_done_at_once(twelve: None) -> None:
    at_once("put_on", [3, 4], {"tags": ["pilot"]})
    number = begin("put_on", "Put pilot on", tags=["pilot"])
    run(number, HANDLERS_OF_MANY)
    assert became(number).words == "Put pilot on 10 of 12 articles. Left out: 2 tagged so already."
    assert became(number).outcome.done == [each for each in IDS if each not in (3, 4)]
    assert row(number).progress == {"stage": "Put pilot on", "done": 12, "total": 12}


def test_one_whose_process_died_goes_on_and_no_event_comes_twice(twelve: None) -> None:
    number = begin("put_on", "Put pilot on", tags=["pilot"])
    killed_after(2, number)
    assert query("SELECT count(*) FROM article_tag") == [(10,)]  # the third batch was not stored
    run(number, HANDLERS_OF_MANY)
    assert became(number).words == "Put pilot on 12 of 12 articles."
    assert query("SELECT count(*), count(DISTINCT article_id) FROM article_tag") == [(12, 12)]
    assert query("SELECT count(*) FROM history WHERE kind = 'tag'") == [(12,)]


def test_one_that_fails_before_it_goes_on_still_tells_what_was_done(twelve: None) -> None:
    number = begin("put_on", "Put pilot on", tags=["pilot"])
    killed_after(2, number)
    with pytest.raises(ValueError, match="switched off"):
        run(number, {})
    assert became(number).outcome.done == IDS[:10]


def test_what_somebody_took_back_meanwhile_is_not_removed_again(twelve: None) -> None:
    number = begin("remove", "Removed", reason="off topic")
    killed_after(1, number)
    take_back([12])
    run(number, HANDLERS_OF_MANY)
    assert became(number).outcome.done == IDS
    assert query("SELECT count(*) FROM article_removal WHERE removed AND article_id = 12") == [(1,)]


def test_a_cancelled_one_stops_between_two_batches_and_says_how_far_it_came(
    twelve: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge("Ben", 1, verdict(0))
    number = begin("assign", "Assigned to Ben", person="Ben")

    def cancelled_at_five(progress: dict[str, Any]) -> None:
        if progress["done"] == 5:
            monkeypatch.setattr(outcome.time, "sleep", lambda _: cancel(number))

    with pytest.raises(Cancelled):
        run(number, HANDLERS_OF_MANY, cancelled_at_five)
    assert became(number).words == "Assigned to Ben 5 of 12 articles. Then it was cancelled."
    assert not became(number).went_well
    assert query("SELECT count(*) FROM queue_request") == [(5,)]


def test_what_cannot_be_done_at_all_is_said_before_a_job_begins(twelve: None) -> None:
    with pytest.raises(ValueError, match="no person is called Zoe"):
        begin("assign", "Assigned to Zoe", person="Zoe")
    with pytest.raises(ValueError, match="at least one tag"):
        begin("put_on", "Put on", tags=[" "])
    assert query("SELECT * FROM job") == []


def test_labels_come_through_the_row_of_a_job_as_they_were(twelve: None) -> None:
    labels = gene_labels("TP53|p53; MDM2", "HeLa", "KO")
    assert parse_labels(as_given(labels)) == labels
    number = begin("add_labels", "Added labels to", labels=as_given(labels))
    run(number, HANDLERS_OF_MANY)
    assert query("SELECT count(*) FROM document_label") == [(48,)]


def test_a_job_that_an_earlier_release_left_adds_its_labels(twelve: None) -> None:
    given = {"genes": "TP53|p53; MDM2", "cells": "HeLa", "edit": "KO"}
    run(begin("add_labels", "Added labels to", labels=given), HANDLERS_OF_MANY)
    assert query("SELECT kind, count(*) FROM document_label GROUP BY kind ORDER BY kind") == [
        ("cell", 12),
        ("edit", 12),
        ("gene", 24),
    ]


def test_a_job_of_another_kind_and_one_that_runs_tell_nothing(twelve: None) -> None:
    number, other = begin("take_back", "Restored"), enqueue("index", {})
    with read() as session:
        assert what_became_of(session, number) is None and what_became_of(session, other) is None
        assert what_became_of(session, 99) is None


def test_the_command_takes_many_as_a_job(twelve: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotate.cli.articles.AT_ONCE", 3)
    remove([2])
    names = [str(number) for number in range(1, 7)]
    assert main(["articles", "tag", "pilot", *names]) == 3
    assert main(["articles", "remove", *names[:2]]) == 3
    kinds = Counter(kind for (kind,) in query("SELECT kind FROM job"))
    assert kinds == {"label": 1} and query("SELECT count(*) FROM article_tag") == [(5,)]
