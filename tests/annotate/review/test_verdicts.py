"""Verdicts: on disk before they are acknowledged, stored once, refused one by one."""

import random
import re
import threading
import time

import pytest
from itsdangerous import BadSignature, TimestampSigner

import db.review.verdicts
import db.rows
from annotate.project.acting import Actor
from annotate.project.home import DamagedSecret, home, read, signing_secret
from annotate.project.names import clean_name
from annotate.review.events import MAX_COMMENT
from annotate.review.verdicts import MAX_EVENTS, SIGNATURE_SECONDS, Expired, Signed, check_signature, record, sign
from tests.support.copies import Copy
from tests.support.making import comment, contents, judge, paper, query, reading, store, verdict
from tests.support.oracle import assert_sound

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def article(home) -> int:
    """A stored article of three sentences."""
    store(paper(pmid="1"))
    return 1


def current(article_id: int = 1) -> list[tuple[str, int, str]]:
    with read() as session:
        found = db.review.verdicts.current_verdicts(session, article_id=article_id)
        return [(name, position, row.value) for row, name, position in found]


def test_an_acknowledged_verdict_is_on_disk(article):
    event = verdict(
        1, "accept", time=1_700_000_000, shown={"rank": 2, "cosine": 0.5, "ranking": "hybrid", "model": "v1"}
    )
    assert record("Anna", article, [event]) == ([event["id"]], [])
    # Another connection sees what is committed, nothing else.
    rows = query("SELECT event_id, value, origin, rank, cosine, ranking, version, given_at FROM verdict")
    assert rows == [(event["id"], "accept", "proposed", 2, 0.5, "hybrid", "v1", "2023-11-14T22:13:20.000Z")]


def test_nothing_is_acknowledged_where_the_commit_fails(article, monkeypatch):
    from sqlalchemy.orm import Session

    def fail(self):
        raise OSError("disk full")

    with monkeypatch.context() as patched:
        patched.setattr(Session, "flush", fail)
        patched.setattr(db.rows, "add_new", lambda *given: fail(None))
        with pytest.raises(OSError, match="disk full"):
            record("Anna", article, [verdict(0)])
    assert query("SELECT count(*) FROM verdict") == [(0,)]
    assert query("SELECT count(*) FROM annotator") == [(0,)]


@pytest.mark.parametrize("shown", [None, {"rank": 3, "cosine": 0.1 + 0.2, "ranking": "live", "model": "v1", "set": 7}])
def test_an_event_that_is_sent_again_is_acknowledged_and_stored_once(article, shown):
    event, words = verdict(1, shown=shown), comment(1, "why?")
    for _ in range(3):
        assert record("Anna", article, [event, words, event]) == ([event["id"], words["id"], event["id"]], [])
    assert query("SELECT count(*) FROM verdict") == [(1,)]
    assert query("SELECT count(*) FROM comment") == [(1,)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (verdict(0), verdict(0, "reject")),
        (verdict(0), verdict(1)),
        (verdict(0), verdict(0, shown={"rank": 1})),
        (comment(0, "why?"), comment(0, "why not?")),
        (comment(0, "why?"), comment(None, "why?")),
        (reading(True), reading(False)),
    ],
)
def test_an_id_that_stands_for_something_else_is_refused_and_nothing_is_changed(article, first, second):
    judge("Anna", article, first)
    before = contents("verdict", "comment", "reading")
    other = verdict(2)
    stored, ((refused),) = record("Anna", article, [second | {"id": first["id"]}, other])
    assert (stored, refused["id"]) == ([other["id"]], first["id"]) and "used for something else" in refused["reason"]
    assert record("Ben", article, [first])[0] == []  # nor does it stand for what another says
    after = contents("verdict", "comment", "reading")
    assert {table: rows[: len(before[table])] for table, rows in after.items()} == before
    assert record("Anna", article, [first]) == ([first["id"]], [])


def test_a_sentence_that_was_not_shown_as_a_proposal_is_an_added_one(article):
    judge("Anna", article, verdict(0), verdict(1, shown={"rank": 1}), verdict(2, shown="no"))
    assert query("SELECT origin, rank FROM verdict ORDER BY id") == [("added", None), ("proposed", 1), ("added", None)]


GOOD_ID = "0123456789abcdef"
DEEP: list = []
for _ in range(200):
    DEEP = [DEEP]
MALFORMED = {
    "not a dict": [None, 7, "verdict", ["id"], True, 1.5, DEEP],
    "no id": [
        {"kind": "verdict", "sentence": 0, "value": "accept"},
        *({**verdict(0), "id": i} for i in (None, 7, [], {})),
    ],
    "a bad id": [
        {**verdict(0), "id": i} for i in ("", "short", "x" * 65, "has space!", "é" * 12, "a/../../b", "12345678\n")
    ],
    "a bad kind": [{**verdict(0), "kind": k} for k in (None, 1, [], {}, "delete", "VERDICT", ["verdict"])],
    "a bad value": [
        verdict(0, v) for v in (None, 1, True, [], {}, "key", "ACCEPT", "accept ", ["accept"], float("nan"))
    ],
    "no such sentence": [
        verdict(p) for p in (3, -1, 2**31, 2**70, 10**400, 0.0, "0", None, True, [], {}, float("nan"))
    ],
    "a bad comment": [comment(0, w) for w in (None, 5, [], {}, "x" * (MAX_COMMENT + 1), "x" * 1_000_000)],
    "a comment outside": [comment(p, "x") for p in (9, "0", True, [], 1.0)],
    "a bad reading": [reading(v) for v in (None, 1, 0, "true", [], {})],
}


@pytest.mark.parametrize("why", MALFORMED)
def test_a_malformed_event_is_refused_and_hinders_no_other(article, why):
    for event in MALFORMED[why]:
        before, after = verdict(0), verdict(2, "reject")
        stored, refused = record("Anna", article, [before, event, after])
        assert stored == [before["id"], after["id"]], str(event)[:80]
        given = event.get("id") if isinstance(event, dict) else None
        assert [entry["id"] for entry in refused] == [given if isinstance(given, str) else None]
        assert refused[0]["reason"]
    assert current() == [("Anna", 0, "accept"), ("Anna", 2, "reject")]
    assert query("SELECT count(*) FROM verdict") == [(2 * len(MALFORMED[why]),)]
    assert query("SELECT (SELECT count(*) FROM comment) + (SELECT count(*) FROM reading)") == [(0,)]


SHOWN = [
    {"rank": 10**30},
    {"rank": 2**63},
    {"rank": -(2**63) - 1},
    {"rank": 10**5000},
    {"rank": True},
    {"rank": "1"},
    {"rank": [1]},
    {"cosine": float("nan")},
    {"cosine": float("inf")},
    {"cosine": 10**400},
    {"cosine": 10**30},
    {"cosine": {}},
    {"ranking": "x" * 1000},
    {"ranking": "\ud800"},
    {"model": "a\x00b"},
    {"model": 7},
]


def test_odd_explanations_are_left_out_or_kept_and_never_hinder_a_verdict(article):
    for number, shown in enumerate(SHOWN):
        events = [verdict(0), verdict(1, shown=shown), verdict(2)]
        assert record("Anna", article, events) == ([event["id"] for event in events], []), f"case {number}"
    rows = query("SELECT DISTINCT rank, cosine, ranking, version FROM verdict")
    assert rows == [(None, None, None, None)]


def test_an_impossible_time_becomes_the_present(article):
    moments = [float("nan"), float("inf"), -float("inf"), 10**400, -(10**20), "soon", None, [], {}]
    judge("Anna", article, *(verdict(0, time=moment) for moment in moments))
    for given_at, stored_at in query("SELECT given_at, stored_at FROM verdict"):
        assert given_at[:16] <= stored_at[:16] and given_at.startswith("20") and given_at.endswith("Z")


def test_more_events_than_one_request_may_hold_are_not_acknowledged(article):
    events = [verdict(0) for _ in range(MAX_EVENTS + 3)]
    stored, refused = record("Anna", article, events)
    assert stored == [event["id"] for event in events[:MAX_EVENTS]]
    assert refused == []  # the page sends again what is neither stored nor refused


def test_events_about_an_article_that_is_not_there_are_refused_and_not_an_error(article):
    stored, refused = record("Anna", 99, [verdict(0), comment(0, "x"), comment(None, "x"), reading()])
    assert stored == [] and len(refused) == 4
    assert query("SELECT (SELECT count(*) FROM comment) + (SELECT count(*) FROM reading)") == [(0,)]


def test_comments_lose_control_characters_and_outer_space_alone(article):
    judge("Anna", article, comment(0, "  Tab\there\x1f\x00,\nα > 0.5 = \u202e\ud800?  "), comment(None, "On the whole"))
    assert query("SELECT sentence_id, text FROM comment ORDER BY id") == [
        (1, "Tab\there,\nα > 0.5 = ?"),
        (None, "On the whole"),
    ]


def test_an_empty_comment_withdraws_the_one_before(article):
    judge("Anna", article, comment(0, "first"), comment(1, "other"), comment(0, "   "))
    judge("Ben", article, comment(0, "mine"))
    with read() as session:
        assert [(name, row.text) for row, name in db.review.verdicts.current_comments(session, [1])] == [
            ("Anna", "other"),
            ("Ben", "mine"),
        ]


def test_the_latest_verdict_counts_and_a_withdrawn_one_is_gone(article):
    judge("Anna", article, verdict(0, "accept"), verdict(1, "accept"), verdict(0, "reject"))
    assert current() == [("Anna", 1, "accept"), ("Anna", 0, "reject")]
    judge("Anna", article, verdict(0, "withdrawn"))
    assert current() == [("Anna", 1, "accept")]
    judge("Anna", article, verdict(0, "unsure"))
    assert current() == [("Anna", 1, "accept"), ("Anna", 0, "unsure")]
    assert query("SELECT count(*) FROM verdict") == [(5,)]  # nothing is ever overwritten


def test_the_order_of_storing_counts_and_not_the_clock_of_the_page(article):
    judge("Anna", article, verdict(0, "accept", time=2_000_000_000), verdict(0, "reject", time=1_000_000_000))
    assert current() == [("Anna", 0, "reject")]


def test_two_annotators_keep_their_own_verdicts(article):
    judge("Anna", article, verdict(0, "accept"))
    judge("Ben", article, verdict(0, "reject"), verdict(1, "unsure"))
    judge("Anna", article, verdict(0, "withdrawn"))
    assert current() == [("Ben", 0, "reject"), ("Ben", 1, "unsure")]
    with read() as session:
        assert db.review.verdicts.annotators(session) == ["Anna", "Ben"]
        assert db.review.verdicts.verdict_counts(session, [1]) == {1: 2}


def test_an_article_counts_as_read_as_long_as_it_has_no_more_text(article):
    judge("Anna", article, reading())
    with read() as session:
        assert db.review.verdicts.read_in_full(session) == [(1, "Anna")]
    store(paper(body=("One more sentence.",), pmid="1"))
    with read() as session:
        assert db.review.verdicts.read_in_full(session) == []
    judge("Anna", article, reading())
    judge("Ben", article, reading(), reading(False))
    with read() as session:
        assert db.review.verdicts.read_in_full(session) == [(1, "Anna")]


def test_eight_annotators_at_once_lose_nothing(article):
    events = {f"annotator {n}": [verdict(i % 3, ("accept", "reject")[i % 2]) for i in range(50)] for n in range(8)}
    acknowledged: list[str] = []
    slowest: list[float] = []

    def work(name: str) -> None:
        for event in events[name]:
            started = time.monotonic()
            acknowledged.extend(record(name, article, [event])[0])
            slowest.append(time.monotonic() - started)

    threads = [threading.Thread(target=work, args=(name,)) for name in events]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sent = {event["id"] for given in events.values() for event in given}
    assert len(acknowledged) == 400 and set(acknowledged) == sent
    assert {row[0] for row in query("SELECT event_id FROM verdict")} == sent
    assert query("SELECT count(*), count(DISTINCT event_id) FROM verdict") == [(400, 400)]
    assert query(
        "SELECT name, count(*) FROM verdict JOIN annotator a ON a.id = annotator_id GROUP BY 1 ORDER BY 1"
    ) == [(name, 50) for name in sorted(events)]
    assert max(slowest) < 10


def test_one_double_click_from_two_tabs_is_one_row(article):
    event = verdict(0)
    results: list = []
    threads = [threading.Thread(target=lambda: results.append(record("Anna", 1, [event]))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [([event["id"]], [])] * 8
    assert query("SELECT count(*) FROM verdict") == [(1,)]


def test_a_signature_names_the_annotator_and_the_article(article):
    assert check_signature(sign("Anna", 7)) == (Actor("Anna", operator=True), 7)


def test_a_token_of_a_question_opens_no_article_and_the_other_way_round():
    for own, other in (tuple(Signed), tuple(Signed)[::-1]):
        token = sign("Anna", 7, own)
        assert check_signature(token, own)[1] == 7
        with pytest.raises(BadSignature):
            check_signature(token, other)


def test_an_old_signature_is_expired_and_not_forged(monkeypatch):
    token = sign("Anna", 7)
    now = TimestampSigner("k").get_timestamp()
    monkeypatch.setattr(TimestampSigner, "get_timestamp", lambda self: now + SIGNATURE_SECONDS - 5)
    assert check_signature(token)[1] == 7
    monkeypatch.setattr(TimestampSigner, "get_timestamp", lambda self: now + SIGNATURE_SECONDS + 5)
    with pytest.raises(Expired):
        check_signature(token)


def test_a_changed_signature_is_refused():
    token = sign("Anna", 7)
    other = "B" if token[-5] == "A" else "A"
    for changed in ("", "x", token[:-5] + other + token[-4:], "A" + token, token * 2, token.replace(".", ",")):
        with pytest.raises(BadSignature):
            check_signature(changed)


def test_a_signature_of_another_secret_or_purpose_is_refused(home):
    from itsdangerous import URLSafeTimedSerializer

    sign("Anna", 7)
    for secret, salt in ((b"x" * 32, "review"), (signing_secret(), "other")):
        with pytest.raises(BadSignature):
            check_signature(URLSafeTimedSerializer(secret, salt=salt).dumps(["Anna", 7]))
    with pytest.raises(BadSignature):  # genuine, but something else
        check_signature(URLSafeTimedSerializer(signing_secret(), salt="review").dumps(7))


def test_the_secret_is_made_once_for_its_owner_alone():
    secret = signing_secret()
    assert len(secret) == 32 and signing_secret() == secret
    assert (home() / "secret.key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in home().iterdir()] == ["secret.key"]


def test_a_secret_is_never_seen_half_written():
    """Of many at once all get the same 32 bytes; an empty key would let anybody sign."""
    found: list[bytes] = []
    threads = [threading.Thread(target=lambda: found.append(signing_secret())) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1 and len(found[0]) == 32


def test_an_empty_secret_signs_nothing():
    home().mkdir(parents=True)
    (home() / "secret.key").write_bytes(b"")
    with pytest.raises(DamagedSecret, match="delete it"):
        sign("Anna", 7)


# Records verdicts one by one and prints each id once it is acknowledged; every third event is sent twice.
RECORDER = """
import sys
from annotate.review.verdicts import record
for number in range(100_000):
    event = {"id": f"{sys.argv[1]}-{number:08d}", "kind": "verdict", "sentence": number % 3, "value": "accept"}
    for _ in range(1 + (number % 3 == 0)):
        stored, refused = record("Anna", 1, [event])
    assert (stored, refused) == ([event["id"]], [])
    print(stored[0], flush=True)
"""


def test_a_kill_at_any_moment_loses_and_doubles_nothing_that_was_acknowledged(article):
    generator = random.Random(0)
    acknowledged: list[str] = []
    for number in range(4):
        process = Copy(RECORDER, f"round{number}")
        acknowledged.append(process.stdout.readline().strip())
        time.sleep(generator.uniform(0, 0.3))
        process.kill()
        acknowledged += [line for line in process.stdout.read().split("\n") if re.fullmatch(r"round\d-\d{8}", line)]
        process.wait()
        # What was committed without an acknowledgement is at most the one event under way; sent again, it is one row.
        stored = [row[0] for row in query("SELECT event_id FROM verdict ORDER BY id")]
        assert len(stored) == len(set(stored))
        assert set(acknowledged) <= set(stored) and len(stored) <= len(acknowledged) + number + 1
    assert len(acknowledged) > 4
    assert_sound(acknowledged)
    event = verdict(int(acknowledged[-1][-8:]) % 3) | {"id": acknowledged[-1]}
    assert record("Anna", article, [event]) == ([event["id"]], [])
    assert query("SELECT count(*) FROM verdict WHERE event_id = :id", id=event["id"]) == [(1,)]


@pytest.mark.parametrize("name", ["", "  ", "a:b", "a;b", "a|b", "x" * 61, "a\x00b", "a\u202eb"])
def test_a_name_that_would_break_the_export_is_refused(name):
    with pytest.raises(ValueError, match="a name is"):
        clean_name(name)


def test_a_name_is_tidied():
    assert clean_name("  Anna \n Müller ") == "Anna Müller"
