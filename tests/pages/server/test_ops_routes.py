"""Routes for whoever runs the server: well or not in a word, metrics for this machine alone, requests observed."""

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient

import annotate.operations.health
import annotate.project.logs
from annotate.operations.prometheus import exposition
from annotate.review.article_view import ENDPOINT
from annotate.review.verdicts import sign
from db.engine import engine
from pages.parts.server.ops_routes import HEALTH_ENDPOINT, METRICS_ENDPOINT, OPS_ROUTES, observed
from pages.parts.server.routes import ROUTES
from tests.support.making import query, store_proposed, verdict
from tests.support.schema import HEAD

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """The routes as the app has them, whose health is worked out anew each time."""
    annotate.operations.health._last.clear()
    monkeypatch.setattr(annotate.operations.health, "KEEP_SECONDS", 0.0)
    with TestClient(Starlette(routes=observed((*ROUTES, *OPS_ROUTES))), client=("127.0.0.1", 1234)) as made:
        yield made


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict]]:
    found: list[tuple[str, dict]] = []
    monkeypatch.setattr(annotate.project.logs, "event", lambda name, **details: found.append((name, details)))
    return found


def test_a_healthy_app_tells_its_schema_and_nothing_else(client):
    answer = client.get(HEALTH_ENDPOINT)
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "schema": HEAD})
    assert client.post(HEALTH_ENDPOINT).status_code == 405


def test_nobody_needs_to_be_logged_in_to_ask(client, monkeypatch):
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    assert client.get(HEALTH_ENDPOINT).status_code == 200


@pytest.mark.sqlite
def test_a_database_that_cannot_be_read_is_told(client, home):
    client.get(HEALTH_ENDPOINT)
    path = home / "keyline.sqlite"
    engine(path).dispose()
    engine(path, read_only=True).dispose()
    for part in home.glob("keyline.sqlite*"):
        part.unlink()
    path.write_bytes(b"this is no database at all" * 100)
    answer = client.get(HEALTH_ENDPOINT)
    assert (answer.status_code, answer.json()) == (503, {"status": "database not readable"})


@pytest.mark.sqlite
def test_a_database_that_takes_no_writes_is_told(client, home):
    from db.engine import sqlite_module

    client.get(HEALTH_ENDPOINT)
    blocker = sqlite_module.connect(home / "keyline.sqlite", isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    answer = client.get(HEALTH_ENDPOINT)
    assert (answer.status_code, answer.json()["status"]) == (503, "database not writable")
    assert time.monotonic() - began < 12  # as long as a click would wait
    blocker.close()
    assert client.get(HEALTH_ENDPOINT).status_code == 200


def test_a_data_folder_that_was_moved_away_is_told_and_none_is_made_in_its_place(client, home):
    store_proposed(1)
    message = json.dumps({"token": sign("Anna", 1), "events": [verdict(0)]})
    home.rename(home.with_name("aside"))
    answer = client.get(HEALTH_ENDPOINT)
    assert (answer.status_code, answer.json()) == (503, {"status": "data folder moved away"})
    assert client.post(ENDPOINT, content=message).status_code == 503 and not home.exists()
    home.with_name("aside").rename(home)
    assert client.get(HEALTH_ENDPOINT).status_code == client.post(ENDPOINT, content=message).status_code == 200


def test_a_signing_key_that_became_a_folder_is_told(client, home):
    store_proposed(1)
    message = json.dumps({"token": sign("Anna", 1), "events": [verdict(0)]})
    (home / "secret.key").unlink()
    (home / "secret.key").mkdir()
    answer = client.get(HEALTH_ENDPOINT)
    assert (answer.status_code, answer.json()) == (503, {"status": "signing key damaged"})
    answer = client.post(ENDPOINT, content=message)
    assert answer.status_code == 503 and "secret.key cannot be read" in answer.json()["error"]


def test_a_full_disk_is_told(client, monkeypatch):
    usage = annotate.operations.health.shutil.disk_usage(Path.cwd())
    monkeypatch.setattr(annotate.operations.health.shutil, "disk_usage", lambda path: usage._replace(free=1_000_000))
    answer = client.get(HEALTH_ENDPOINT)
    assert (answer.status_code, answer.json()) == (503, {"status": "disk full"})


def test_many_who_ask_at_once_make_it_look_once(client, monkeypatch):
    monkeypatch.setattr(annotate.operations.health, "KEEP_SECONDS", 60.0)
    looked: list[int] = []
    real = annotate.operations.health._examine
    monkeypatch.setattr(annotate.operations.health, "_examine", lambda: looked.append(1) or real())
    assert {client.get(HEALTH_ENDPOINT).status_code for _ in range(50)} == {200}
    assert len(looked) == 1


def test_metrics_are_there_only_when_asked_for_and_only_on_this_machine(client, monkeypatch):
    monkeypatch.delenv("KEYLINE_METRICS", raising=False)
    assert client.get(METRICS_ENDPOINT).status_code == 404
    monkeypatch.setenv("KEYLINE_METRICS", "1")
    answer = client.get(METRICS_ENDPOINT)
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert "keyline_articles 0.0" in answer.text
    for header in ("X-Forwarded-For", "Forwarded", "X-Real-IP"):  # by a proxy that does not block it
        assert client.get(METRICS_ENDPOINT, headers={header: "192.0.2.7"}).status_code == 404
    for peer in ("192.0.2.7", "10.0.0.2", "nobody"):  # by another machine, which leaves such headers out
        elsewhere = TestClient(client.app, client=(peer, 1234))
        assert elsewhere.get(METRICS_ENDPOINT).status_code == 404
    assert TestClient(client.app, client=("::1", 1234)).get(METRICS_ENDPOINT).status_code == 200


def test_a_save_is_counted_timed_and_logged_without_what_it_said(client, logged):
    store_proposed(1)
    before = exposition().decode()
    events = [verdict(0), verdict(99)]
    answer = client.post(ENDPOINT, content=json.dumps({"token": sign("Anna", 1), "events": events}))
    assert (len(answer.json()["stored"]), len(answer.json()["refused"])) == (1, 1)
    ((name, details),) = [entry for entry in logged if entry[0] == "request"]
    assert name == "request" and 0 < details.pop("seconds") < 5
    assert details == {"method": "POST", "route": ENDPOINT, "status": 200}
    after = exposition().decode()
    sample = f'keyline_request_seconds_count{{route="{ENDPOINT}",status="200"}}'
    assert number(after, sample) - number(before, sample) == 1
    for metric in ("keyline_events_stored_total", "keyline_events_refused_total"):
        assert number(after, metric) - number(before, metric) == 1


def number(told: str, sample: str) -> float:
    found = [line for line in told.splitlines() if line.startswith(sample)]
    return float(found[0].rpartition(" ")[2]) if found else 0.0


def test_a_route_that_fails_is_logged_as_such_and_fails_on(logged):
    async def broken(_: Request) -> JSONResponse:
        raise RuntimeError("broken")

    with TestClient(Starlette(routes=observed([Route("/broken", broken)])), raise_server_exceptions=False) as client:
        assert client.get("/broken").status_code == 500
    assert logged[0][1]["status"] == 500


def test_a_client_that_hangs_up_is_no_error_of_ours(logged):
    async def save(request: Request) -> JSONResponse:
        return JSONResponse(len(await request.body()))

    async def hang_up() -> dict[str, str]:
        return {"type": "http.disconnect"}

    async def send(_: object) -> None:
        raise AssertionError("nobody listens")

    ((route),) = observed([Route("/save", save, methods=["POST"])])
    assert isinstance(route, Route)
    scope = {"type": "http", "method": "POST", "path": "/save", "headers": []}
    with pytest.raises(AssertionError, match="nobody listens"):
        asyncio.run(route.app(scope, hang_up, send))
    assert logged[0][1]["status"] == 499


def test_an_id_that_cannot_be_sent_back_hinders_no_other_event(client):
    store_proposed(1)
    good = verdict(1)
    body = json.dumps({"token": sign("Anna", 1), "events": [verdict(0) | {"id": "\ud800"}, good]})
    answer = client.post(ENDPOINT, content=body)
    assert (answer.status_code, answer.json()["stored"]) == (200, [good["id"]])
    assert answer.json()["refused"][0]["id"] == "?"
    assert query("SELECT event_id FROM verdict") == [(good["id"],)]


def test_those_who_ask_every_few_seconds_are_not_logged(client, logged):
    client.get(HEALTH_ENDPOINT)
    client.get(METRICS_ENDPOINT)
    assert [entry for entry in logged if entry[0] == "request"] == []


def test_every_route_of_the_app_is_observed_and_keeps_its_methods():
    for before, after in zip(ROUTES, observed(ROUTES), strict=True):
        assert isinstance(before, Route) and isinstance(after, Route)
        assert (after.path, after.methods) == (before.path, before.methods)
        assert after.endpoint is not before.endpoint
