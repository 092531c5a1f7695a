"""Killed while writing: what was acknowledged is there, once; one version proposes; each commit is synced to disk."""

import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter

import pytest
from sqlalchemy import text

import db.registry
import db.rows
from annotate.project.home import database, read, write
from annotate.project.rights import Right
from annotate.proposing.encoder_versions import proposing_version, register_encoder
from annotate.registry.versions import model_folder, verified_folder
from annotate.review.article_view import ENDPOINT
from annotate.review.verdicts import record, sign
from db.engine import BUSY_TIMEOUT_MS, engine, sqlite_module, wal_is_safe
from db.tables import Promotion
from db.values import Kind
from tests.support.browser import serving
from tests.support.copies import Copy
from tests.support.figures import times
from tests.support.making import paper, query, store, verdict
from tests.support.oracle import assert_sound
from tests.support.paths import ROOT
from tests.support.wire import post

pytestmark = [pytest.mark.usefixtures("home"), pytest.mark.sqlite, pytest.mark.timeout(3600)]

# Says what it is about to store and what was acknowledged, one line each.
RECORDER = """
import sys
from annotate.review.verdicts import record
record("Anna", 1, [])  # imports and opens everything
print("ready", flush=True)
for number in range(100_000):
    event = {"id": f"{sys.argv[1]}-{number:08d}", "kind": "verdict", "sentence": number % 3, "value": "accept"}
    print(f"sent {event['id']}", flush=True)
    stored, refused = record("Anna", 1, [event])
    print(f"stored {stored[0]}", flush=True)
"""


def killed_after_a_while(code: str, argument: str, lines: int, seconds: float) -> list[list[str]]:
    """Runs the code in a process, kills it so many lines and seconds after it said that it is ready; returns the words
    of each line after that."""
    process = Copy(code, argument)
    assert process.stdout.readline() == "ready\n"
    said = [process.stdout.readline() for _ in range(lines)]
    time.sleep(seconds)
    assert process.poll() is None, "it ended by itself"
    process.kill()
    said += process.stdout.read().splitlines(keepends=True)
    process.wait()
    return [line.split() for line in said if line.endswith("\n")]


def resend(event_ids: list[str]) -> int:
    """Sends verdicts again, as a page does that heard no answer; returns how many rows came of it."""
    before = query("SELECT count(*) FROM verdict")[0][0]
    events = [verdict(int(event_id[-8:]) % 3) | {"id": event_id} for event_id in event_ids]
    assert record("Anna", 1, events) == (event_ids, [])
    return query("SELECT count(*) FROM verdict")[0][0] - before


def test_a_process_killed_while_it_records_loses_and_doubles_nothing(record_property):
    store(paper(pmid="1"))
    generator = random.Random(0)
    sent, acknowledged, unheard = [], [], 0
    for number in range(times(3, 200)):
        lines = killed_after_a_while(
            RECORDER, f"round{number:04d}", generator.randrange(20), generator.uniform(0, 0.02)
        )
        said = {what: [event_id for word, event_id in lines if word == what] for what in ("sent", "stored")}
        sent += said["sent"]
        acknowledged += said["stored"]
        assert_sound(acknowledged, sent)
        stored = {row[0] for row in query("SELECT event_id FROM verdict")}
        unanswered = [event_id for event_id in said["sent"] if event_id not in said["stored"]]
        assert len(unanswered) <= 1
        there = [event_id for event_id in unanswered if event_id in stored]
        unheard += len(there)
        # Whatever was stored, heard of or not, is one row however often it comes again.
        assert resend([*said["stored"][-3:], *there]) == 0
        assert resend(unanswered) == len(unanswered) - len(there)
        assert resend(unanswered) == 0
    assert_sound(sent, sent)
    assert len(acknowledged) > times(3, 200)
    record_property("kills", times(3, 200))
    record_property("acknowledged", len(acknowledged))
    record_property("stored_without_an_answer", unheard)


def test_the_app_killed_while_it_saves_loses_and_doubles_nothing(home, record_property):
    store(paper(pmid="1"))
    generator = random.Random(1)
    token = sign("Anna", 1)
    waiting: list[dict] = []
    sent, acknowledged = [], []
    with serving(home) as server:
        for _ in range(times(2, 20)):
            kill_at = time.monotonic() + generator.uniform(0.2, 1.0)
            while True:
                waiting.append(verdict(len(sent) % 3))
                sent.append(waiting[-1]["id"])
                try:
                    if time.monotonic() > kill_at and server.process.poll() is None:
                        # It dies while it answers, not between two requests.
                        wait = generator.randrange(10) / 1000
                        subprocess.Popen(["sh", "-c", f"sleep {wait}; kill -9 {server.process.pid}"])
                    status, answer = post(server, ENDPOINT, token=token, events=waiting)
                except OSError:
                    break
                assert (status, answer["refused"]) == (200, [])
                acknowledged += answer["stored"]
                waiting = [event for event in waiting if event["id"] not in answer["stored"]]
            server.process.wait()
            assert_sound(acknowledged, sent)
            server.start()  # the events that nobody answered go with the next request
        status, answer = post(server, ENDPOINT, token=token, events=waiting)
    assert (status, answer["refused"]) == (200, [])
    assert_sound(sent, sent)
    assert query("SELECT count(*) FROM verdict") == [(len(sent),)]
    record_property("kills_of_the_app", times(2, 20))
    record_property("acknowledged_by_the_app", len(acknowledged))


# --- The proposing version ---

# Promotes two versions in turn, and rolls back every third time; says what it did.
PROMOTER = """
import sys
from annotate.project.home import read
from annotate.proposing.encoder_versions import promote_encoder
from annotate.registry.versions import roll_back
from db.values import Kind
ids = list(map(int, sys.argv[1].split(",")))
with read():
    print("ready", flush=True)
for number in range(100_000):
    if number % 3 == 2:
        print("rolled-back", roll_back(Kind.ENCODER, by="Mia"), flush=True)
    else:
        promote_encoder(ids[0], by="Mia", label_set_sha256="x", even_if_worse=True)
        print("promoted", ids[0], flush=True)
    ids.reverse()
"""


def test_exactly_one_version_proposes_after_a_kill_in_promotion_or_rollback(tiny_home, tiny_encoder, record_property):
    from model.encoder import encode, load

    base = proposing_version()
    ids = []
    for name in ("v1", "v2"):
        shutil.copytree(model_folder(base), model_folder(base).with_name(name))
        with write(Right.SYSTEM) as session:
            path = model_folder(base).with_name(name)
            ids.append(register_encoder(session, path, name=name, encoder="tiny", manifest=base.manifest).id)
    generator = random.Random(2)
    rows = 1
    for _ in range(times(3, 100)):
        with write(Right.SYSTEM) as session:  # so that the child begins by changing it
            db.rows.add(
                session, Promotion(kind=Kind.ENCODER, version_id=base.id, promoted_by="test", reason="to begin with")
            )
        rows += 1
        said = killed_after_a_while(
            PROMOTER, ",".join(map(str, ids)), generator.randrange(6), generator.uniform(0, 0.05)
        )
        with read() as session:
            found = db.registry.promotions(session, Kind.ENCODER)
            active = db.registry.encoder_in_use(session)
        # What was said has happened; at most one more that was not said yet.
        assert rows + len(said) <= len(found) <= rows + len(said) + 1
        rows = len(found)
        assert active is not None and active.id in (base.id, *ids)
        vectors = encode(load(verified_folder(active)), ["We edited TP53."])
        assert vectors.shape == (1, active.dimension)
    record_property("kills", times(3, 100))
    record_property("promotions", rows)
    assert query("PRAGMA integrity_check") == [("ok",)]


# --- Power loss ---


def test_every_connection_of_both_pools_syncs_each_commit():
    journal, synchronous = ("wal", 2) if wal_is_safe(sqlite_module.sqlite_version_info) else ("delete", 3)
    expected = {"journal_mode": journal, "synchronous": synchronous, "foreign_keys": 1, "busy_timeout": BUSY_TIMEOUT_MS}
    for read_only in (False, True):
        # One after the other, since two write connections cannot be in a transaction at once; all stay in the pool.
        pool = engine(database(), read_only=read_only).pool
        held = [pool.connect() for _ in range(4)]
        for connection in held:
            assert expected == {name: connection.cursor().execute(f"PRAGMA {name}").fetchone()[0] for name in expected}
        for connection in held:
            connection.close()


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace to see the calls to the kernel")
def test_each_commit_reaches_the_disk_before_it_is_acknowledged(tmp_path):
    store(paper(pmid="1"))
    code = RECORDER.replace("100_000", "20")
    trace = tmp_path / "trace"
    command = ["strace", "-f", "-y", "-e", "trace=fsync,fdatasync,write", "-s", "40", "-o", str(trace)]
    done = subprocess.run(
        [*command, sys.executable, "-c", code, "traced"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    if done.returncode and "ptrace" in done.stderr:
        pytest.skip("this machine does not let a process be traced")
    assert done.stdout.count("stored") == 20, done.stderr[-500:]
    syncs: Counter[str] = Counter()
    event_id = ""
    for line in trace.read_text().splitlines():
        if found := re.search(r'"sent (traced-\d+)', line):
            event_id = found[1]
        elif '"stored ' in line:
            event_id = ""
        elif event_id and re.search(r"f(data)?sync\(\d+<[^>]*keyline\.sqlite", line):
            syncs[event_id] += 1
    assert len(syncs) == 20 and min(syncs.values()) >= 1


def test_a_rolled_back_write_leaves_nothing_behind():
    store(paper(pmid="1"))
    with pytest.raises(ZeroDivisionError), write(Right.SYSTEM) as session:
        session.execute(text("UPDATE sentence SET start = 7"))
        1 / 0  # noqa: B018
    assert query("SELECT count(*) FROM sentence WHERE start = 7") == [(0,)]
