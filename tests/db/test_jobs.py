"""Job rows: one active job of a kind, and changes only from the states named."""

import threading

import pytest
from sqlalchemy.exc import IntegrityError

import db.jobs
import db.rows
from annotate.project.home import read, write
from annotate.project.rights import Right
from db.tables import Job


def insert(kind: str) -> int | None:
    with write(Right.SYSTEM) as session:
        return db.jobs.insert_job(session, kind, {"of": kind})


def test_a_second_active_job_of_a_kind_is_refused(home):
    first = insert("train")
    assert first is not None
    assert insert("train") is None
    assert insert("import") is not None
    with write(Right.SYSTEM) as session:
        assert db.jobs.change(session, first, from_states=("queued",), state="running")
    assert insert("train") is None
    with write(Right.SYSTEM) as session:
        assert db.jobs.finish(session, first, "done", result={"child": "v1"})
    second = insert("train")
    assert second is not None and second > first


def test_a_refused_job_leaves_its_transaction_usable(home):
    with write(Right.SYSTEM) as session:
        assert db.jobs.insert_job(session, "train", {}) is not None
        assert db.jobs.insert_job(session, "train", {}) is None
        assert db.jobs.insert_job(session, "import", {}) is not None
    with read() as session:
        assert [job.kind for job in db.jobs.active(session)] == ["train", "import"]


def test_the_database_itself_refuses_two_active_jobs(home):
    values = {"payload": {}, "progress": {}, "result": {}, "cancel_requested": False}
    with pytest.raises(IntegrityError), write(Right.SYSTEM) as session:
        session.add_all([Job(kind="train", state="queued", **values), Job(kind="train", state="running", **values)])


def test_of_many_at_once_one_gets_the_job(home):
    insert("import")  # the database is there
    found: list[int | None] = []
    threads = [threading.Thread(target=lambda: found.append(insert("train"))) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(number is not None for number in found) == 1


def test_a_finished_job_does_not_change_any_more(home):
    job_id = insert("train")
    with write(Right.SYSTEM) as session:
        assert db.jobs.finish(session, job_id, "failed", error="no gold")
        assert not db.jobs.finish(session, job_id, "done")
        assert not db.jobs.change(session, job_id, from_states=db.jobs.ACTIVE, cancel_requested=True)
        assert not db.jobs.change(session, 99, from_states=db.jobs.ACTIVE, state="running")
    with read() as session:
        job = db.rows.get(session, Job, job_id)
        assert (job.state, job.error, job.cancel_requested) == ("failed", "no gold", False)
        assert job.finished_at.endswith("Z")
