"""Real processes of jobs, killed and misbehaving: a training ends with the weights of one that nothing interrupted.

The long form kills the training 20 times instead of 3.
"""

import os
import random
import signal
import threading
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

import psutil
import pytest

import annotate.jobs.lifecycle
import annotate.retraining.retrain
import db.jobs
import db.registry
import db.rows
from annotate.evaluation.evaluate_version import evaluate
from annotate.gold.label_sets import current_label_set
from annotate.jobs import job_process
from annotate.jobs.lifecycle import AlreadyRunning, enqueue, log_tail, reap, run_here, start
from annotate.jobs.monitor import Monitor
from annotate.jobs.repeating import repeating
from annotate.project.home import folder, read, write
from annotate.project.rights import Right
from annotate.proposing.encoder_versions import find_version, promote_encoder, proposing_version
from annotate.registry.versions import NotPromotable, verified_folder
from annotate.retraining.retrain import train
from annotate.retraining.setting_values import payload_of
from annotate.work import HANDLERS
from db.tables import ModelVersion
from model.proposing.ranking import Ranking
from tests.annotate.jobs.test_lifecycle import ended, quiet, row
from tests.annotate.retraining.test_retrain import SETTINGS, labelled  # noqa: F401 (a fixture)
from tests.support.copies import Copy
from tests.support.figures import milliseconds, times
from tests.support.job_starter import KILLABLE
from tests.support.killable_worker import DIE_IN_WRITE
from tests.support.making import judge, query, store_proposed, verdict
from tests.support.waiting import wait_until

KILLS = max(2, times(3, 20))  # one of them inside the writing of a checkpoint
STEPS_AN_EPOCH = 3


@pytest.fixture
def slow_worker(monkeypatch):
    """Jobs are run by tests.support.killable_worker, and their logs are read whole."""
    monkeypatch.setattr(annotate.jobs.lifecycle, "WORKER", KILLABLE)
    monkeypatch.setattr(annotate.jobs.lifecycle, "LOG_CHARACTERS", 10_000_000)


def steps_of(job_id: int) -> dict[int, list[tuple[int, float]]]:
    """{attempt: [(step, time)]} from the log of a job that trains."""
    found = defaultdict(list)
    for line in log_tail(job_id).splitlines():
        if line.startswith("step ") and len(words := line.split()) == 4:
            found[int(words[1])].append((int(words[2]), float(words[3])))
    return found


def processes_of(job_id: int) -> set[int]:
    """The ids of all processes that any attempt at a job has started and that are still there."""
    wanted, found = job_process.mark(job_id, 0).rpartition(":")[0] + ":", set()
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get(job_process.MARK, "").startswith(wanted):
                found.add(process.pid)
    return found


def assert_same(one: ModelVersion, again: ModelVersion) -> None:
    """Two versions of the same weights, labels and validation scores."""
    assert again.manifest == one.manifest  # the SHA-256 of every file, weights among them
    verified_folder(again)
    with read() as session:
        curves = [db.registry.curve(session, version.id) for version in (one, again)]
    assert one.trained_on == again.trained_on
    assert [e for e in curves[0] if "score" in e] == [e for e in curves[1] if "score" in e]


@pytest.mark.timeout(900)
@pytest.mark.usefixtures("slow_worker", "labelled")
def test_a_training_that_is_killed_again_and_again_ends_with_the_weights_of_an_uninterrupted_one(
    tmp_path, monkeypatch, record_property
):
    monkeypatch.setattr(annotate.jobs.lifecycle, "ATTEMPTS", KILLS + 2)
    monkeypatch.setenv(DIE_IN_WRITE, str(tmp_path / "die"))
    generator = random.Random(4)
    settings = replace(SETTINGS, epochs=min(100, 16 * KILLS // STEPS_AN_EPOCH), evaluate_every=10, learning_rate=2e-4)
    first = ended(start("train", payload_of(settings, "tiny")), 300)
    assert (first.state, first.result.get("child")) == ("done", "v1"), log_tail(first.id)
    serving = proposing_version().id
    job_id = start("train", payload_of(settings, "tiny"))
    began = time.time()
    killed_at, resume_seconds, begun = [], [], set()
    for attempt in range(1, KILLS + 1):
        if attempt % 3 == 2:  # while it starts, reads labels, loads the encoder or its checkpoint
            time.sleep(generator.uniform(0.0, 3.0))
        else:
            wait_until(lambda attempt=attempt: steps_of(job_id).get(attempt))
            if killed_at:
                resume_seconds.append(steps_of(job_id)[attempt][0][1] - killed_at[-1])
            time.sleep(generator.uniform(0.0, 0.6))
        begun.add(row(job_id).pid)
        if attempt == KILLS // 2:
            (tmp_path / "die").touch()  # this time inside the writing of a checkpoint
            wait_until(lambda: not job_process.runs(row(job_id)))
        else:
            with suppress(ProcessLookupError):
                os.kill(row(job_id).pid, signal.SIGKILL)
        killed_at.append(time.time())
        if attempt == 1:
            judge("Berta", 1, verdict(2, "reject"))  # a label of another day is not this training's
        wait_until(lambda: not job_process.runs(row(job_id)))
        reap()
        assert row(job_id).attempts == attempt + 1
    job = ended(job_id, 300)
    assert (job.state, job.attempts, job.error) == ("done", KILLS + 1, None), log_tail(job_id)
    assert_same(find_version("v1"), find_version(job.result["child"]))
    steps = steps_of(job_id)
    trained = sorted(steps)  # the attempts that came as far as a step
    assert len(trained) >= KILLS - (KILLS + 1) // 3 + 1
    lost = [steps[a][-1][0] + 1 - steps[b][0][0] for a, b in pairwise(trained)]
    record_property("kills", KILLS)
    record_property("steps", steps[KILLS + 1][-1][0])
    record_property("steps_lost_at_each_kill", lost)
    record_property("seconds_to_the_next_step_at_most", round(max(resume_seconds, default=0), 1))
    record_property("seconds", round(time.time() - began))
    # What is lost is what was done since the last checkpoint: at 0.03 s a step, one every 0.2 s and the time it takes.
    assert max(lost) <= 20 and sum(number < 10 for number in lost) > len(lost) / 2
    assert proposing_version().id == serving
    assert not list(folder("checkpoints").iterdir()) and not list(folder("models").glob("*.partial"))
    wait_until(lambda: not any(psutil.pid_exists(pid) for pid in begun | {job.pid}))


@pytest.mark.usefixtures("labelled")
def test_a_training_killed_after_it_registered_its_version_makes_no_second_one(monkeypatch):
    class Killed(BaseException):
        pass

    def die(*arguments) -> None:
        raise Killed

    job_id = enqueue("train", {})
    with write(Right.SYSTEM) as session:
        db.jobs.change(session, job_id, from_states=("queued",), state="running")
    with monkeypatch.context() as patched:
        patched.setattr(annotate.retraining.retrain, "evaluate_both", die)
        with pytest.raises(Killed):
            train("tiny", SETTINGS, Monitor(job_id))
    with write(Right.SYSTEM) as session:
        db.jobs.change(session, job_id, from_states=("running",), attempts=2)
    result = train("tiny", SETTINGS, Monitor(job_id, attempt=2))
    assert result["child"] == "v1" and result["test"]["cosine"]["after"]["articles"] == 3
    assert query("SELECT count(*) FROM model_version WHERE kind = 'encoder'") == [(2,)]
    assert query("SELECT count(*) FROM model_version WHERE job_id IS NOT NULL") == [(1,)]


@pytest.mark.usefixtures("home", "slow_worker")
def test_a_killed_process_is_noticed_in_the_next_round(monkeypatch, record_property):
    monkeypatch.setattr(annotate.jobs.lifecycle, "ATTEMPTS", 1)
    job_id = start("evaluate", {"do": "well", "seconds": 600})
    wait_until(lambda: row(job_id).state == "running")
    with repeating("supervisor", 5, annotate.jobs.lifecycle.look_after):
        os.kill(row(job_id).pid, signal.SIGKILL)
        killed = time.monotonic()
        wait_until(lambda: row(job_id).state == "failed")
    record_property("seconds_until_noticed", round(time.monotonic() - killed, 2))
    assert "given up after 1 attempts" in row(job_id).error


@pytest.mark.usefixtures("home", "slow_worker")
def test_a_job_that_kills_its_process_each_time_fails_with_the_reason():
    job = ended(start("evaluate", {"do": "crash"}), 60)
    assert (job.state, job.attempts) == ("failed", 3)
    assert "given up after 3 attempts" in job.error


@pytest.mark.usefixtures("home", "slow_worker")
def test_a_job_above_its_memory_fails_with_the_reason(monkeypatch):
    monkeypatch.setenv(job_process.MEMORY, "1500")
    job = ended(start("evaluate", {"do": "hog"}), 60)
    assert (job.state, job.attempts) == ("failed", 1), log_tail(job.id)
    assert job.error.startswith("the work needs more memory than the 1500 MB that KEYLINE_JOB_MEMORY_MB allows")
    monkeypatch.setenv(job_process.MEMORY, "much")
    job = ended(start("evaluate", {"do": "hog"}), 60)
    assert (job.state, job.error) == ("failed", "KEYLINE_JOB_MEMORY_MB is 'much'; it must be a whole number above 0")


@pytest.mark.usefixtures("home", "slow_worker")
def test_a_job_that_hangs_is_stopped_with_all_that_it_started(monkeypatch):
    monkeypatch.setattr(annotate.jobs.lifecycle, "STALL_SECONDS", 1.0)
    job_id = start("evaluate", {"do": "hang"})
    wait_until(lambda: row(job_id).pid and row(job_id).reported_at)
    parent = psutil.Process(row(job_id).pid)
    wait_until(lambda: len(parent.children()) == 1)
    (helper,) = parent.children()
    job = ended(job_id, 30)
    assert job.state == "failed" and "made no progress" in job.error
    assert not parent.is_running() and not helper.is_running()


@pytest.mark.usefixtures("home", "slow_worker")
def test_clicks_are_saved_while_a_job_runs_out_of_memory_or_hangs(monkeypatch, record_property):
    monkeypatch.setenv(job_process.MEMORY, "1500")
    store_proposed(1)

    def clicks(while_active: int | None = None) -> list[float]:
        """The seconds that each of 200 clicks took, or of as many as go into the life of a job."""
        found: list[float] = []
        while row(while_active).state in db.jobs.ACTIVE if while_active else len(found) < 200:
            began = time.perf_counter()
            judge("Anna", 1, verdict(len(found) % 3))
            found.append(time.perf_counter() - began)
            time.sleep(0.005)
        return found

    before, during = milliseconds(clicks()), {}
    with repeating("supervisor", 0.2, annotate.jobs.lifecycle.look_after):
        for do, why, patience in (("hog", "needs more memory", 600), ("hang", "made no progress", 2)):
            monkeypatch.setattr(annotate.jobs.lifecycle, "STALL_SECONDS", patience)
            job_id = start("evaluate", {"do": do})
            during[do] = milliseconds(clicks(job_id))
            assert row(job_id).state == "failed" and why in row(job_id).error
            assert during[do]["max_ms"] < 5_000  # nobody waits for the job, however busy the machine is
    for name, figures in {"before": before, **during}.items():
        record_property(f"{name}_p99_ms", figures["p99_ms"])


@pytest.mark.usefixtures("home", "slow_worker")
def test_a_job_goes_on_when_the_app_that_started_it_is_killed():
    app = Copy(f"""
import annotate.jobs.lifecycle, os, time
os.setsid()
annotate.jobs.lifecycle.WORKER = {annotate.jobs.lifecycle.WORKER!r}
annotate.jobs.lifecycle.start("evaluate", {{"do": "well", "seconds": 2}})
time.sleep(600)
""")
    wait_until(lambda: query("SELECT count(*) FROM job WHERE state = 'running'") == [(1,)])
    os.killpg(app.pid, signal.SIGKILL)
    app.wait()
    job = ended(1, 60)
    assert (job.state, job.attempts, job.result) == ("done", 1, {"pid": job.pid})


@pytest.mark.usefixtures("home", "slow_worker")
def test_two_apps_that_start_at_once_begin_a_dead_job_again_once(tmp_path):
    job_id = enqueue("evaluate", {"do": "well", "seconds": 3})
    with write(Right.SYSTEM) as session:
        dead = {"state": "running", "host": job_process.HOST, "pid": 2**22 + 1, "process_started": 1.0}
        db.jobs.change(session, job_id, from_states=("queued",), **dead)
    code = f"""
import subprocess, sys, time
from pathlib import Path
import annotate.jobs.lifecycle
from annotate.jobs.repeating import repeating
annotate.jobs.lifecycle.subprocess = subprocess  # a copied job would bear no mark that the system sees
annotate.jobs.lifecycle.WORKER = {annotate.jobs.lifecycle.WORKER!r}
while not Path(sys.argv[1]).exists():
    time.sleep(0.001)
with repeating("supervisor", 0.01, annotate.jobs.lifecycle.look_after):
    time.sleep(600)
"""
    start_of_both = tmp_path / "start"
    apps = [Copy(code, str(start_of_both)) for _ in range(2)]
    try:
        start_of_both.touch()
        seen = set()
        deadline = time.monotonic() + 60
        while row(job_id).state in db.jobs.ACTIVE and time.monotonic() < deadline:
            seen |= processes_of(job_id)
            time.sleep(0.05)
    finally:
        for app in apps:
            app.kill()
            app.wait()
    job = row(job_id)
    assert (job.state, job.attempts) == ("done", 2), log_tail(job_id)
    assert seen == {job.pid} == {job.result["pid"]}


@pytest.mark.usefixtures("home")
def test_of_ten_clicks_by_three_maintainers_one_starts_a_training(monkeypatch):
    started: list[int] = []
    monkeypatch.setattr(annotate.jobs.lifecycle, "_start_process", lambda job_id, attempt: started.append(job_id))
    refused: list[str] = []

    def click() -> None:
        for _ in range(10):
            try:
                start("train", {})
            except AlreadyRunning as error:
                refused.append(str(error))

    threads = [threading.Thread(target=click) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert started == [1] and refused == ["a job to train is running already"] * 29
    assert query("SELECT count(*) FROM job") == [(1,)]


@pytest.mark.usefixtures("labelled")
def test_a_version_evaluated_on_older_labels_is_not_promoted_until_it_is_evaluated_again():
    run_here("train", payload_of(SETTINGS, "tiny"), HANDLERS, quiet)
    child, parent = find_version("v1"), find_version("tiny")

    def labels() -> str:
        with read() as session:
            return current_label_set(session).split_sha256["test"]

    (article,) = query("SELECT min(id) FROM article WHERE split = 'test'")[0]
    judge("Berta", article, verdict(1))
    with pytest.raises(NotPromotable, match="v1 was not evaluated on the present labels; evaluate it first"):
        promote_encoder(child.id, by="Anna", label_set_sha256=labels())
    assert proposing_version().id == parent.id
    for version in (parent, child):
        evaluate(version, Ranking.HYBRID, "test")
    promote_encoder(child.id, by="Anna", label_set_sha256=labels(), even_if_worse=True)
    assert proposing_version().id == child.id
