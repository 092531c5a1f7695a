"""Jobs: one of a kind, cancelled when asked, begun again when their process died, a reason on the row at the end."""

import os

import psutil
import pytest

import db.jobs
import db.rows
from annotate.jobs import job_process
from annotate.jobs.lifecycle import (
    AlreadyRunning,
    cancel,
    enqueue,
    log_tail,
    reap,
    run,
    run_here,
    start,
    without_folders,
)
from annotate.jobs.monitor import Cancelled, Monitor
from annotate.project.acting import OPERATOR, Actor, Forbidden, acting
from annotate.project.home import read, write
from annotate.project.notes import Noted, note
from annotate.project.rights import Right, Role
from annotate.team import people
from annotate.work import HANDLERS
from db.tables import Job
from tests.support.making import query
from tests.support.team import add, browser, cheap_hashes
from tests.support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("home")


def row(job_id: int):
    with read() as session:
        return db.rows.get(session, Job, job_id)


def ended(job_id: int, seconds: float = 120):
    """The job's row once it is no longer active."""

    def job_if_ended():
        reap()
        job = row(job_id)
        return job if job.state not in db.jobs.ACTIVE else None

    return wait_until(job_if_ended, seconds)


def quiet(progress) -> None:
    """Shows nothing."""


def test_a_job_that_ends_well_leaves_its_result():
    seen: list[dict] = []

    def handler(payload, monitor):
        monitor.report("counting", 3, 4, note="x")
        return {"got": payload["number"]}

    assert run_here("train", {"number": 7}, {"train": handler}, seen.append) == {"got": 7}
    job = row(1)
    assert (job.state, job.result, job.error) == ("done", {"got": 7}, None)
    assert job.progress == {"stage": "counting", "done": 3, "total": 4, "note": "x"} == seen[0]
    assert job.created_at <= job.started_at <= job.finished_at
    assert job.pid == os.getpid()


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("no gold: α"), "no gold: α"),
        (MemoryError(), "the work needs more memory than there is"),
        (SystemExit(3), "3"),
        (OSError("caf\udce9.txt, or \0"), r"caf\udce9.txt, or \u0000"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
def test_a_job_that_fails_keeps_the_error_text_and_raises_it(error, text):
    def handler(payload, monitor):
        monitor.report("half way", 1, 2)
        raise error

    with pytest.raises(type(error)):
        run_here("train", {}, {"train": handler}, quiet)
    assert (row(1).state, row(1).error, row(1).progress["stage"]) == ("failed", text, "half way")
    with pytest.raises(type(error)):  # and the next one may start
        run_here("train", {}, {"train": handler}, quiet)


def test_a_job_whose_command_is_interrupted_is_cancelled():
    def handler(payload, monitor):
        monitor.keep({"stored": 3})
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_here("train", {}, {"train": handler}, quiet)
    assert (row(1).state, row(1).error, row(1).result) == ("cancelled", None, {"stored": 3})


@pytest.mark.postgresql
def test_a_job_whose_numbers_are_none_ends():
    def handler(payload, monitor):
        monitor.report("training", 1, 2, loss=float("nan"), name="a\0")
        return {"loss": float("inf")}

    run_here("train", {}, {"train": handler}, quiet)
    job = row(1)
    assert (job.state, job.result, job.progress["loss"], job.progress["name"]) == (
        "done",
        {"loss": None},
        None,
        r"a\u0000",
    )


def test_what_a_job_does_is_done_by_whoever_asked_for_it():
    def handler(payload, monitor):
        with write(Right.GOLD) as session:
            note(session, Noted.SNAPSHOT, "froze")
        return {}

    with acting(Actor("Ada", operator=True)):
        number = enqueue("train", {})
    run(number, {"train": handler}, quiet)
    assert query("SELECT done_by FROM history") == [("Ada",)]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("[Errno 28] No space left: '/srv/keyline/uploads/ab/00001.xml'", "[Errno 28] No space left: '00001.xml'"),
        ("Got 404 from https://www.ebi.ac.uk/europepmc/rest", "Got 404 from https://www.ebi.ac.uk/europepmc/rest"),
        ("neither CSV nor/or text, 1/2", "neither CSV nor/or text, 1/2"),
    ],
)
def test_an_error_for_everybody_names_files_without_the_folders_of_the_machine(said, kept):
    assert without_folders(said) == kept


def test_a_second_job_of_a_kind_is_refused_and_another_kind_is_not():
    enqueue("train", {})
    with pytest.raises(AlreadyRunning, match="a job to train is running already"):
        enqueue("train", {})
    with pytest.raises(AlreadyRunning):
        start("train", {})
    assert enqueue("import", {}) > 1
    assert query("SELECT count(*) FROM job") == [(2,)]


def test_a_job_runs_once():
    job_id = enqueue("train", {})
    assert run(job_id, {"train": lambda payload, monitor: {}}) == {}
    for number in (job_id, 99):
        with pytest.raises(AlreadyRunning, match=f"job {number} is not waiting"):
            run(number, {"train": lambda payload, monitor: {}})


def test_a_queued_job_that_is_cancelled_never_begins():
    job_id = enqueue("train", {})
    cancel(job_id)
    assert row(job_id).state == "cancelled"
    with pytest.raises(AlreadyRunning):
        run(job_id, {"train": lambda payload, monitor: {}})
    assert enqueue("train", {}) == job_id + 1


def test_a_running_job_stops_where_it_asks(monkeypatch):
    monkeypatch.setattr("annotate.jobs.monitor.REPORT_SECONDS", 0.0)

    def handler(payload, monitor):
        monitor.stop_if_cancelled()
        cancel(monitor.job_id)
        monitor.report("on", 5, 10)
        monitor.stop_if_cancelled()
        raise AssertionError("went on")

    with pytest.raises(Cancelled):
        run_here("train", {}, {"train": handler}, quiet)
    job = row(1)
    assert (job.state, job.error, job.progress["done"]) == ("cancelled", None, 5)
    cancel(1)
    assert row(1).state == "cancelled"


def test_progress_is_written_now_and_then_and_at_every_stage(monkeypatch):
    writes: list[dict] = []
    real = Monitor.flush

    def flush(self):
        writes.append(dict(self.progress))
        real(self)

    monkeypatch.setattr(Monitor, "flush", flush)

    def handler(payload, monitor):
        for number in range(100):
            monitor.report("one", number, 100)
        monitor.report("two")
        return {}

    run_here("train", {}, {"train": handler}, quiet)
    assert [(entry["stage"], entry["done"]) for entry in writes] == [("one", 0), ("two", 0)]


def test_a_payload_that_cannot_be_stored_is_refused_at_once():
    with pytest.raises(TypeError):
        enqueue("train", {"path": object()})
    with pytest.raises(ValueError, match=r"no character: /new/caf\\udce9"):
        enqueue("import", {"paths": ["/new/caf\udce9.txt"]})
    assert query("SELECT count(*) FROM job") == [(0,)]


def test_a_job_in_its_own_process_outlives_the_caller_and_logs(tmp_path):
    path = tmp_path / "articles" / "a.txt"
    path.parent.mkdir()
    path.write_text("A title\n\nHere we deleted TP53. The assay was measured.\n")
    job_id = start("import", {"paths": [str(path.parent)]})
    with pytest.raises(AlreadyRunning):
        start("import", {"paths": []})
    job = ended(job_id)
    assert (job.state, job.error) == ("done", None), log_tail(job_id)
    assert job.result["counts"]["stored"] == 1
    assert job.pid != os.getpid()
    assert query("SELECT count(*) FROM article") == [(1,)]


def test_a_job_in_its_own_process_that_fails_says_why(tmp_path):
    job = ended(start("import", {"paths": [str(tmp_path / "none")]}))
    assert job.state == "failed"
    assert "no such file or folder" in job.error
    psutil.wait_procs([psutil.Process(job.pid)] if psutil.pid_exists(job.pid) else [], timeout=30)
    assert "no such file or folder" in log_tail(job.id)  # printed last of all


def test_every_handler_is_known_by_the_name_of_a_kind():
    kinds = {"import", "propose", "train", "evaluate", "report", "experiment", "simulate", "encoder", "backup"}
    kinds |= {"entities", "functions", "llm", "vocabulary", "triage", "index", "encoders", "find-train"}
    kinds |= {"related", "related-train", "label", "assign", "remove"}
    assert set(HANDLERS) == kinds


def test_a_job_that_an_earlier_release_left_ends_with_a_reason_and_disturbs_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with cheap_hashes():
        add("Mats", Role.MAINTAINER)
    with acting(OPERATOR):
        with write(Right.SYSTEM) as session:
            job_id = db.jobs.insert_job(session, "find-words", {}, "Mats")
        with pytest.raises(ValueError, match="find-words: the part of Keyline that does this is switched off"):
            run(job_id, HANDLERS)
        assert row(job_id).state == "failed"
        with write(Right.SYSTEM) as session:  # at work still, in a process of that release
            db.rows.change(session, Job, job_id, state="running", **job_process.identity(os.getpid()))
        reap()
        assert enqueue("train", {}) and row(job_id).state == "running"


@pytest.mark.parametrize("way", ["demoted", "disabled"])
def test_a_job_of_somebody_who_lost_the_right_before_it_began_is_not_done(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with cheap_hashes():
        mats = add("Mats", Role.MAINTAINER)
    with acting(browser("Mats")[1]):
        kept, lost = enqueue("train", {}), enqueue("evaluate", {})
    with acting(OPERATOR):
        assert run(kept, {"train": lambda payload, monitor: {"done": 1}}) == {"done": 1}
        people.disable(mats) if way == "disabled" else people.set_role(mats, Role.CURATOR)
        with pytest.raises(Forbidden, match="Mats, who asked for it, may not evaluate and make reports"):
            run(lost, {"evaluate": lambda payload, monitor: {}})
    ((state, error),) = query("SELECT state, error FROM job WHERE id = :id", id=lost)
    assert state == "failed" and "may not" in error
    with acting(OPERATOR):  # what nobody with an account asked for is done
        assert run(enqueue("train", {}), {"train": lambda payload, monitor: {}}) == {}
