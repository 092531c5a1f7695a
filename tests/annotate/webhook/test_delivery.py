"""Events to a webhook: each at least once and in order, signed, kept over restarts, and never in the way of a save."""

import hashlib
import hmac
import json
import threading
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

import db.jobs
import db.rows
from annotate.gold.snapshots import freeze
from annotate.operations.backup import restore, write_backup
from annotate.project.acting import Actor, Forbidden, acting
from annotate.project.home import home, write
from annotate.project.rights import Right
from annotate.registry.versions import roll_back
from annotate.webhook import webhook_events as events
from annotate.webhook import webhook_progress as progress
from annotate.webhook.delivery import NoWebhook, SendingNow, deliver, send_test, skip_waiting
from annotate.webhook.webhook_settings import WebhookSettings, choose, new_secret
from db.base import utc_now
from db.tables import Assignment
from db.values import Kind
from tests.support.making import (
    SENTENCES,
    judge,
    paper,
    propose_with,
    query,
    reading,
    store,
    verdict,
    version_without_weights,
)
from tests.support.webhook_receiver import Receiver, receiver

LATER = timedelta(hours=2)


@pytest.fixture
def hooked(home, monkeypatch):
    """Three articles, and a receiver that is told of what comes from now on; its secret is `secret`."""
    monkeypatch.setenv("KEYLINE_WEBHOOK_PRIVATE", "1")
    store(*(paper(pmid=str(pmid)) for pmid in (1, 2, 3)))
    judge("Anna", 1, verdict(1))
    with receiver() as made:
        choose(address=made.address)
        made.secret = new_secret()
        assert deliver() == 0
        yield made


def of_verdicts(hooked: Receiver) -> list[int]:
    return [came.event["data"]["verdict"] for came in hooked.came]


def test_what_comes_from_now_on_is_told_once_and_in_order(hooked):
    judge("Anna", 1, verdict(0, "reject"), reading())
    judge("Bert", 2, verdict(1))
    version = version_without_weights("tiny")
    propose_with(version)
    propose_with(version_without_weights("other"))
    freeze("first", "majority")
    assert deliver() == 6
    said = ["verdict.stored", "article.read_in_full", "verdict.stored"]
    assert hooked.names == [*said, "version.promoted", "version.promoted", "gold.frozen"]
    assert deliver() == 0
    roll_back(Kind.ENCODER, by="Mara")
    assert deliver() == 1 and hooked.came[-1].event["data"]["reason"] == "rolled back"


def test_an_event_tells_who_said_what_of_which_sentence_and_no_text(hooked):
    judge("Anna", 1, verdict(0, "reject"))
    deliver()
    (came,) = hooked.came
    told = came.event["data"]
    assert (came.event["id"], came.event["event"]) == ("verdict-2", "verdict.stored")
    assert {name: told[name] for name in ("annotator", "article", "key", "sentence", "value", "role")} == {
        "annotator": "Anna", "article": 1, "key": "pmid:1", "sentence": 0, "value": "reject", "role": "annotator"
    }  # fmt: skip
    assert not any(sentence.encode() in came.raw for sentence in SENTENCES) and b"Article 1" not in came.raw


def test_the_signature_is_of_the_time_and_the_body_by_the_secret_that_was_shown(hooked):
    judge("Anna", 1, verdict(0))
    deliver()
    (came,) = hooked.came
    parts = dict(part.split("=") for part in came.headers["Keyline-Signature"].split(","))
    expected = hmac.new(hooked.secret.encode(), parts["t"].encode() + b"." + came.raw, hashlib.sha256).hexdigest()
    assert parts["v1"] == expected and came.headers["Keyline-Delivery"] == "verdict-2"
    assert new_secret() != hooked.secret
    kept = b"".join(path.read_bytes() for path in home().rglob("*") if path.is_file())
    assert hooked.secret.encode() not in kept


def test_a_job_is_told_when_it_has_ended_whatever_ended_before_it(hooked):
    with write(Right.SYSTEM) as session:
        train = db.jobs.insert_job(session, "train", {}, "Mara")
        imported = db.jobs.insert_job(session, "import", {}, "Mara")
    assert deliver() == 0
    with write(Right.SYSTEM) as session:
        db.jobs.finish(session, imported, "done", result={"counts": {"articles_new": 3}})
    assert deliver() == 1 and hooked.names == ["import.ended"]
    assert hooked.came[0].event["data"]["counts"] == {"articles_new": 3}
    with write(Right.SYSTEM) as session:
        db.jobs.finish(session, train, "failed", error="SECRET SENTENCE")
    assert deliver() == 1 and hooked.names[-1] == "job.ended"
    told = hooked.came[-1].event["data"]
    assert told == {"job": train, "kind": "train", "state": "failed", "asked_by": "Mara"}
    assert deliver() == 0


def test_an_article_is_told_when_its_expert_has_finished_it_and_not_when_it_is_left(hooked):
    later = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    with write(Right.SYSTEM) as session:
        ids = [assign(session, article_id, later) for article_id in (1, 2, 3)]
    assert deliver() == 0
    with write(Right.SYSTEM) as session:
        db.rows.change(session, Assignment, ids[1], ending="finished", ended_at=utc_now())
        db.rows.change(session, Assignment, ids[0], ending="left", ended_at=utc_now())
    assert deliver() == 1
    assert (hooked.names, hooked.came[0].event["data"]["article"]) == (["article.finished"], 2)
    assert progress.load().open["assignment"] == [ids[2]]


def assign(session, article_id: int, until: str) -> int:
    row = Assignment(
        article_id=article_id, annotator_id=1, strategy="order", reason="", waiting=1, at_random=False,
        with_proposals=True, leased_until=until,
    )  # fmt: skip
    session.add(row)
    session.flush()
    return row.id


def test_what_is_not_taken_comes_again_later_and_later_and_nothing_overtakes_it(hooked):
    hooked.answers = [500, 204, 503, 204]
    judge("Anna", 1, verdict(0))
    judge("Anna", 2, verdict(0))
    assert deliver() == 0 and progress.load().problem == "the receiver answered 500"
    assert deliver() == 0 and len(hooked.came) == 1  # too early
    assert deliver(datetime.now(UTC) + timedelta(seconds=6)) == 1
    assert progress.load().failures == 1
    assert deliver(datetime.now(UTC) + timedelta(seconds=6)) == 1
    assert of_verdicts(hooked) == [2, 2, 3, 3] and progress.load().failures == 0


def test_the_wait_doubles_up_to_an_hour_and_a_clock_set_back_does_not_stretch_it(hooked):
    hooked.answers = [500] * 30
    judge("Anna", 1, verdict(0))
    waits = []
    for _ in range(12):
        deliver(datetime.now(UTC) + LATER)
        kept = progress.load()
        waits.append(datetime.fromisoformat(kept.next_try) - datetime.fromisoformat(kept.last_bad))
    seconds = [round(wait.total_seconds()) for wait in waits]
    assert seconds == [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]
    hooked.answers = []
    assert deliver(datetime.now(UTC) - timedelta(days=1)) == 1


def test_a_receiver_that_died_after_it_took_one_gets_it_again(hooked, monkeypatch):
    judge("Anna", 1, verdict(0))

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("annotate.webhook.delivery.note_sent", killed)
        deliver()
    assert deliver() == 1
    assert [came.event["id"] for came in hooked.came] == ["verdict-2", "verdict-2"]


def test_a_dead_receiver_takes_neither_disk_nor_a_saves_time(hooked):
    choose(address="http://127.0.0.1:9/nobody")
    judge("Anna", 1, verdict(0))
    deliver()
    size = (home() / "webhook" / "progress.json").stat().st_size
    for _ in range(20):
        judge("Anna", 1, verdict(0), verdict(1, "reject"))
        deliver(datetime.now(UTC) + LATER)
    assert (home() / "webhook" / "progress.json").stat().st_size < size + 20
    assert sorted(path.name for path in (home() / "webhook").iterdir()) == ["progress.json"]
    assert "cannot be reached" in progress.load().problem
    choose(address=hooked.address)
    assert deliver(datetime.now(UTC) + LATER) == 41


def test_a_save_does_not_wait_while_the_receiver_holds_a_request(hooked):
    held, release = threading.Event(), threading.Event()
    hooked.before = lambda: (held.set(), release.wait(60))
    judge("Anna", 1, verdict(0))
    sender = threading.Thread(target=deliver)
    sender.start()
    assert held.wait(60)
    judge("Bert", 2, verdict(0))  # stored while the request is open
    assert query("SELECT count(*) FROM verdict") == [(3,)]
    assert deliver() == 0  # another process's round is not waited for
    with pytest.raises(SendingNow, match="try again in a moment"):
        skip_waiting()
    release.set()
    sender.join(60)
    assert sorted(set(of_verdicts(hooked))) == [2, 3]


def test_many_rows_of_one_kind_let_nothing_later_pass(hooked, monkeypatch):
    monkeypatch.setattr(events, "AT_ONCE", 2)
    for _ in range(5):
        judge("Anna", 1, verdict(0))
    freeze("first", "majority")
    assert deliver() == 6
    assert hooked.names == ["verdict.stored"] * 5 + ["gold.frozen"]


def test_a_clock_set_back_between_two_verdicts_loses_none(hooked):
    judge("Anna", 1, verdict(0))
    judge("Anna", 1, verdict(2))
    with write(Right.SYSTEM) as session:
        session.execute(text("UPDATE verdict SET stored_at = '2001-01-01T00:00:00.000Z' WHERE id = 3"))
    assert deliver() == 2 and of_verdicts(hooked) == [2, 3]


@pytest.mark.parametrize("damage", ["", "{", '{"after": 3}', '{"open": {"job": ["x"]}}', '{"more": 1}'])
def test_a_damaged_file_begins_anew_from_now_on(hooked, damage):
    judge("Anna", 1, verdict(0))
    (home() / "webhook" / "progress.json").write_text(damage)
    assert deliver() == 0
    judge("Anna", 1, verdict(0))
    assert deliver() == 1


def test_kinds_that_are_not_wanted_are_passed_over(hooked):
    choose(verdicts=False)
    judge("Anna", 1, verdict(0), reading())
    assert deliver() == 1 and hooked.names == ["article.read_in_full"]
    choose(verdicts=True)
    assert deliver() == 0


def test_a_backup_that_was_restored_knows_fewer_rows(hooked):
    kept = progress.load()
    kept.after["verdict"], kept.open["job"], kept.open["assignment"] = 99, [98], [97]
    progress.keep(kept)
    deliver()
    judge("Anna", 1, verdict(0))
    assert deliver() == 1 and progress.load().open == {"job": [], "assignment": []}


@pytest.mark.sqlite
def test_after_a_restored_backup_no_id_stands_for_another_event(hooked, tmp_path, monkeypatch):
    with write(Right.SYSTEM) as session:
        job_id = db.jobs.insert_job(session, "index", {})
    judge("Anna", 2, verdict(0))
    assert deliver() == 1
    for number in (1, 2):  # the second time, of a backup that was made after the first
        write_backup(tmp_path / f"{number}.tar")
        judge("Anna", 2, verdict(1))
        with write(Right.SYSTEM) as session:
            db.jobs.finish(session, job_id, "done")
        deliver()
        monkeypatch.setenv("KEYLINE_HOME", str(tmp_path / f"restored-{number}"))
        restore(tmp_path / f"{number}.tar")
        judge("Anna", 2, verdict(0, "reject"))
        choose(verdicts=True)
        assert deliver() > 0
    came = {one.event["id"]: json.dumps(one.event["data"], sort_keys=True) for one in hooked.came}
    assert len(came) == len({(one.event["id"], json.dumps(one.event["data"], sort_keys=True)) for one in hooked.came})
    of_restored = [one.event["id"] for one in hooked.came if one.event["id"].count("-") == 2]
    assert len(of_restored) == len(set(of_restored)) >= 4
    assert {name.split("-")[0] for name in of_restored} == {"verdict", "job"}


def test_what_waits_can_be_skipped_and_a_webhook_that_was_taken_away_begins_anew(hooked):
    judge("Anna", 1, verdict(0))
    skip_waiting()
    assert deliver() == 0
    choose(address="")
    judge("Anna", 1, verdict(0))
    assert deliver() == 0 and progress.load() is None
    choose(address=hooked.address)
    assert deliver() == 0
    judge("Anna", 1, verdict(0))
    assert deliver() == 1


@pytest.mark.parametrize("named_late", [True, False])
def test_what_has_begun_before_an_address_is_named_or_the_rest_skipped_is_told_when_it_ends(hooked, named_late):
    with write(Right.SYSTEM) as session:
        held = assign(session, 2, (datetime.now(UTC) + timedelta(hours=1)).isoformat())
        train, ended = (db.jobs.insert_job(session, "train", {}, "Mara") for _ in range(2))
        db.jobs.finish(session, ended, "done")
    if named_late:
        progress.forget()
        assert deliver() == 0
    else:
        skip_waiting()
    with write(Right.SYSTEM) as session:
        db.rows.change(session, Assignment, held, ending="finished", ended_at=utc_now())
        db.jobs.finish(session, train, "done")
    assert deliver() == 2
    assert {came.event["id"] for came in hooked.came} == {f"assignment-{held}", f"job-{train}"}


def test_another_address_or_a_good_test_ends_the_wait_after_failures(hooked):
    judge("Anna", 1, verdict(0))
    hooked.answers = [500, 500]
    assert deliver() == 0 and deliver() == 0 and progress.load().next_try
    choose(gold=False)
    assert deliver() == 0 and len(hooked.came) == 2  # tried at once, and refused again
    assert deliver() == 0 and len(hooked.came) == 2
    assert send_test() == "" and deliver() == 1
    judge("Anna", 2, verdict(0))
    hooked.answers = [500]
    assert deliver() == 0 and deliver(at_once=True) == 1


def test_a_test_tells_nothing_and_says_how_it_went(hooked):
    assert send_test() == "" and hooked.names == ["test"]
    hooked.answers = [403]
    assert send_test() == "the receiver answered 403"
    hooked.answers = [302]
    assert send_test() == "the receiver answered 302"
    choose(address="")
    with pytest.raises(NoWebhook, match="name an address"):
        send_test()


def test_machines_behind_the_firewall_are_not_sent_to_unless_whoever_runs_keyline_says_so(hooked, monkeypatch):
    monkeypatch.delenv("KEYLINE_WEBHOOK_PRIVATE")
    with pytest.raises(ValueError, match="must begin with https://"):
        choose(address=hooked.address)
    judge("Anna", 1, verdict(0))
    assert deliver() == 0 and hooked.came == []  # the stored address is not allowed any more
    for host in ("127.0.0.1", "10.0.0.1", "[::1]", "[::ffff:169.254.169.254]", "localhost"):
        choose(address=f"https://{host}/hook")
        assert "which Keyline does not send to" in send_test()


def test_only_admins_may_set_it_test_it_and_skip(hooked, monkeypatch):
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with acting(Actor("Mara", 5, 0)):
        for do in (lambda: choose(gold=False), new_secret, send_test, skip_waiting):
            with pytest.raises(Forbidden):
                do()
    assert WebhookSettings.RIGHT is Right.OPERATE
