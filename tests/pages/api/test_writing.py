"""What programs write by the API: stored once, answered when it is on disk, refused in words; nobody else gets in."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from annotate.jobs import lifecycle
from annotate.jobs.lifecycle import OtherWork
from annotate.project.acting import OPERATOR, acting
from pages.parts.api import reviewing, token_gate
from pages.parts.api.application import application
from pages.parts.server import slow_bodies
from pages.parts.server.signed_requests import MAX_BODY_BYTES
from tests.support.api import SITE, program, token_of
from tests.support.making import comment, query, reading, store_proposed, verdict
from tests.support.team import cheap_hashes, team

ARTICLE = b"A title\n\nThe gene is known. It was measured."


@pytest.fixture
def client(home: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A program of Zoe's, three proposed articles, and jobs that no process works on."""
    monkeypatch.setattr(lifecycle, "_start_process", lambda job_id, attempt: None)
    monkeypatch.setattr(lifecycle, "reap", lambda: None)
    monkeypatch.setattr("pages.parts.api.jobs.reap", lambda: None)
    with acting(OPERATOR):
        store_proposed(3)
    return program(token_of("Zoe"), raise_server_exceptions=False)


def send(client: Any, *events: Any) -> dict[str, Any]:
    answer = client.post("/articles/1/events", json={"events": events})
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def test_events_are_stored_once_however_often_they_are_sent(client: Any) -> None:
    events = [verdict(0), verdict(1, "reject"), comment(0, "why?"), reading()]
    for _ in range(3):
        assert send(client, *events) == {"stored": [event["id"] for event in events], "refused": []}
    assert query(
        "SELECT name, value FROM verdict JOIN annotator ON annotator.id = annotator_id ORDER BY verdict.id"
    ) == [
        ("Zoe", "accept"),
        ("Zoe", "reject"),
    ]
    assert query("SELECT count(*) FROM comment") == query("SELECT count(*) FROM reading") == [(1,)]


def test_a_bad_event_hinders_no_other_and_is_told_with_its_reason(client: Any) -> None:
    good, no_such, odd = verdict(0), verdict(99), verdict(1, "perhaps")
    told = send(client, good, no_such, odd, "text", {"id": "x"}, good | {"sentence": 1})
    assert told["stored"] == [good["id"]]
    assert [refused["reason"] for refused in told["refused"]] == [
        "the article has no sentence 99",
        "the verdict is none of accept, reject, unsure, withdrawn",
        "not an event",
        "an event needs an id of 8 to 64 letters or digits",
        "this id was used for something else, which stands; nothing was changed",
    ]
    assert "events of a program: 5" in query("SELECT summary FROM history WHERE kind = 'refused'")[0][0]


def test_nothing_is_acknowledged_that_the_database_did_not_take(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any) -> None:
        raise OperationalError("commit", {}, Exception("disk full"))

    monkeypatch.setattr(reviewing, "record", away)
    answer = client.post("/articles/1/events", json={"events": [verdict(0)]})
    assert (answer.status_code, answer.json()) == (503, {"error": "the database is busy, away or full; try again"})


def test_what_broke_is_told_by_an_id_and_not_by_its_words(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise KeyError("a secret of /srv/keyline")

    monkeypatch.setattr(reviewing, "record", broken)
    answer = client.post("/articles/1/events", json={"events": [verdict(0)]})
    assert answer.status_code == 500 and "tell an admin this error" in answer.json()["error"]
    assert "secret" not in answer.text


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'{"events": 1}', b'{"events": ["x"]', b"\xff", b"[" * 100_000, b'{"events": null}']
)
def test_a_body_that_is_none_is_refused(client: Any, body: bytes) -> None:
    answer = client.post("/articles/1/events", content=body)
    assert answer.status_code in (400, 422) and answer.json()["error"]


def test_bodies_and_lists_have_their_limits(client: Any) -> None:
    assert client.post("/articles/1/events", content=b"x" * (MAX_BODY_BYTES + 1)).status_code == 413
    assert client.post("/articles/1/events", json={"events": [verdict(0)] * 501}).status_code == 422
    large = {"file": ("a.txt", b"x" * (token_gate.MAX_FORM_BYTES + 1))}
    answer = client.post("/imports", files=large, data={"id": "import-0001"})
    assert answer.status_code == 413 and "bytes" in answer.json()["error"]
    assert query("SELECT count(*) FROM verdict") == query("SELECT count(*) FROM job") == [(0,)]


def test_a_file_of_whoever_may_not_import_is_refused_before_it_comes(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with cheap_hashes():
        team()
    large = {"file": ("a.txt", b"x" * (token_gate.MAX_FORM_BYTES + 1))}
    for name, status in (("Anna", 403), ("Cora", 413)):
        answer = program(token_of(name)).post("/imports", files=large, data={"id": "import-0001"})
        assert answer.status_code == status and answer.json()["error"], name


def test_a_body_that_does_not_come_is_given_up_unless_it_is_a_file() -> None:
    assert "/api/v1/imports".startswith(slow_bodies.UPLOADS) and not "/api/v1/articles".startswith(slow_bodies.UPLOADS)


def test_a_job_begins_once_for_each_id(client: Any) -> None:
    asked = {"id": "propose-0001", "kind": "propose", "article_ids": [1, 2]}
    first, again = client.post("/jobs", json=asked), client.post("/jobs", json=asked)
    assert first.status_code == again.status_code == 202 and first.json()["id"] == again.json()["id"]
    assert (first.json()["state"], first.json()["asked_by"]) == ("queued", "Zoe")
    busy = client.post("/jobs", json=asked | {"id": "propose-0002"})
    assert busy.status_code == 409 and "running already" in busy.json()["error"]
    other = client.post("/jobs", json={"id": "propose-0001", "kind": "index"})
    assert (other.status_code, other.json()["error"]) == (422, "this id was used for another job")
    assert client.get(f"/jobs/{first.json()['id']}").json()["title"] == "Proposing"
    cancelled = client.post(f"/jobs/{first.json()['id']}/cancel")
    assert cancelled.json()["state"] == "cancelled" and client.post("/jobs", json=asked).json()["state"] == "cancelled"
    assert [job["kind"] for job in client.get("/jobs").json()["rows"]] == ["propose"]
    assert issubclass(OtherWork, ValueError)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"kind": "experiment"}, "not understood"),
        ({"kind": "vocabulary", "paths": ["/etc/passwd"]}, "not understood"),
        ({"kind": "import", "identifiers": ["10.1/x"]}, "neither PMID, PMCID nor DOI: 10.1/X"),
        ({"kind": "import", "identifiers": ["1"], "match": "("}, "no regular expression"),
        ({"kind": "train", "settings": {"epochs": 0}}, "epochs"),
        ({"kind": "train", "settings": {"nothing": 1}}, "nothing"),
        ({"kind": "evaluate", "versions": []}, "not understood"),
        ({"kind": "evaluate", "versions": ["a\0b"]}, "half of a surrogate pair"),
        ({"kind": "propose", "article_ids": [1, 99]}, "there is no article 99"),
        ({"kind": "propose", "article_ids": [1] * 5_001}, "not understood"),
        ({"kind": "index", "id": "short"}, "not understood"),
    ],
)
def test_a_job_that_is_none_is_refused(client: Any, asked: dict[str, Any], reason: str) -> None:
    answer = client.post("/jobs", json={"id": "request-0001"} | asked)
    assert answer.status_code == 422 and reason in answer.json()["error"]
    assert query("SELECT count(*) FROM job") == [(0,)]


def test_paths_of_the_server_are_never_read(client: Any) -> None:
    asked = {"id": "request-0001", "kind": "import", "identifiers": ["1"], "paths": ["/etc/passwd"]}
    assert client.post("/jobs", json=asked).status_code == 202
    assert "passwd" not in str(query("SELECT payload FROM job"))


def test_an_upload_is_imported_once_for_each_id(client: Any, home: Path) -> None:
    form = {"file": ("my paper.txt", ARTICLE)}
    for _ in range(2):
        answer = client.post("/imports", files=form, data={"id": "import-0001", "propose": "false"})
        assert answer.status_code == 202, answer.text
    ((kind, payload),) = query("SELECT kind, payload FROM job")
    payload = json.loads(payload) if isinstance(payload, str) else payload
    assert kind == "import" and list(payload["names"].values()) == ["my paper.txt"] and payload["propose"] is False
    (path,) = payload["paths"]
    assert Path(path).read_bytes() == ARTICLE and Path(path).is_relative_to(home)
    busy = client.post("/imports", files=form, data={"id": "import-0002"})
    assert busy.status_code == 409 and len(list((home / "uploads").iterdir())) == 1


def test_an_upload_sent_twice_at_once_begins_one_job(client: Any, home: Path) -> None:
    answers: list[Any] = []

    def post() -> None:
        form = {"file": ("a.txt", ARTICLE)}
        answers.append(client.post("/imports", files=form, data={"id": "import-0001"}))

    threads = [threading.Thread(target=post) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json()["id"] for answer in answers}) == 1 and len(list((home / "uploads").iterdir())) == 1


def test_tables_of_gold_and_labels_are_read_and_errors_name_the_file(client: Any, home: Path) -> None:
    gold = {"file": ("gold.csv", b"pmid,sentence,label\n1,The gene is known.,1\n2,Unknown words.,1\n")}
    told = client.post("/imports/gold", files=gold, data={"whose": "Gold"}).json()
    assert (told["rows"], told["verdicts"], len(told["failures"])) == (2, 1, 1)
    assert client.post("/imports/gold", files=gold, data={"whose": "Gold"}).json()["verdicts"] == 0
    noted = query("SELECT summary FROM history WHERE kind = 'import'")
    assert {summary.partition(":")[0] for (summary,) in noted} == {"imported gold from gold.csv"}
    labels = client.post("/imports/labels", files={"file": ("l.csv", b"pmid,genes\n1,TP53\n")})
    assert labels.json()["articles"] == 1 and query("SELECT kind FROM job") == [("propose",)]
    for path, form in (("/imports/gold", {"whose": "Gold"}), ("/imports/labels", {})):
        answer = client.post(path, files={"file": ("my table.csv", b"\n")}, data=form)
        assert answer.status_code == 422 and answer.json()["error"].startswith("my table.csv")
    assert list((home / "uploads").iterdir()) == []


def test_a_short_disk_takes_no_upload(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.parts.api.jobs.disk_is_short", lambda: True)
    answer = client.post("/imports", files={"file": ("a.txt", ARTICLE)}, data={"id": "import-0001"})
    assert answer.status_code == 507 and answer.json()["error"]


def test_a_cookie_opens_nothing_and_a_page_of_another_site_gets_nowhere(client: Any) -> None:
    token = client.headers["Authorization"].removeprefix("Bearer ")
    anonymous = program()
    for cookies in ({"keyline_session": token}, {"Authorization": f"Bearer {token}"}):
        anonymous.cookies.update(cookies)
        assert anonymous.get("/articles").status_code == 401
    assert anonymous.get("/articles").headers["WWW-Authenticate"] == "Bearer"
    for origin, status in ((SITE, 200), ("http://evil.example", 403), ("null", 403)):
        answer = client.post("/articles/1/events", json={"events": []}, headers={"Origin": origin})
        assert answer.status_code == status, origin
    assert client.get("/articles", headers={"Host": "evil.example"}).status_code == 403
    assert "access-control-allow-origin" not in client.get("/articles", headers={"Origin": SITE}).headers


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic Zm9v", "keyline_x", "Bearer keyline_\x80"])
def test_what_is_no_token_is_refused(client: Any, header: str) -> None:
    answer = program().get("/articles", headers={"Authorization": header.encode("latin-1")})
    assert answer.status_code == 401 and "Bearer" in answer.json()["error"]


def test_a_token_that_is_used_too_often_waits(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_gate, "CALLS", 3)
    application.cache_clear()  # which keeps count
    assert [client.get("/me").status_code for _ in range(5)] == [200, 200, 200, 429, 429]
    assert program(token_of("Ben")).get("/me").status_code == 200
    late = client.get("/me")
    assert 0 < int(late.headers["Retry-After"]) <= 61 and late.json()["error"].startswith("more than 3 calls")


def test_the_documentation_is_open_and_asks_no_other_site(client: Any) -> None:
    page = program().get("/docs")
    assert page.status_code == 200 and "//cdn" not in page.text and "fonts.googleapis" not in page.text
    assert "<script>" not in page.text  # which the proxy's policy would not run
    script = program().get("/static-offline-docs/redoc.standalone.js")
    assert script.status_code == 200 and len(script.text) > 500_000
    assert "cdn.redoc.ly" not in script.text and script.text.count("data:image/svg+xml,%3Csvg") == 1
    specification = program().get("/openapi.json").json()
    assert specification["openapi"].startswith("3.") and "/gold" in specification["paths"]
    assert specification["components"]["securitySchemes"]["HTTPBearer"]["scheme"] == "bearer"


def test_a_sentence_is_proposed_and_who_did_is_told_to_those_who_see_all_labels(client: Any) -> None:
    assert 2 not in [row["sentence"] for row in client.get("/articles/1/proposals").json()["rows"]]
    for _ in range(2):
        told = client.post("/articles/1/proposals", json={"sentence": 2, "why": "by a program"})
        assert (told.status_code, told.json()) == (200, {"shown": True})
    by = {row["sentence"]: row["proposed_by"] for row in client.get("/articles/1/proposals").json()["rows"]}
    assert by[2] == {"Zoe": "by a program"} and by[0] == {}
    assert query("SELECT count(*) FROM history WHERE kind = 'proposed'") == [(1,)]
    problem = client.post("/articles/1/proposals", json={"sentence": 3})
    assert (problem.status_code, problem.json()["error"]) == (422, "article 1 has no sentence 3: it has 3, from 0")
    assert client.post("/articles/9/proposals", json={"sentence": 0}).status_code == 404
    assert client.post("/articles/1/proposals", json={"sentence": -1}).json()["fields"][0]["field"] == "body.sentence"
