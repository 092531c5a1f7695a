"""Nobody but pages of this site gets beyond the gate: by Host, by Origin, as a websocket or as a request."""

from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from pages.parts.server import site_gate
from pages.parts.server.site_gate import SiteGate

SITE = "http://127.0.0.1:8501"
STREAM = "ws://127.0.0.1:8501/stream"
# A page of another port on this host has this host's cookies.
ELSEWHERE = [
    "http://127.0.0.1:8502",
    "http://127.0.0.1",
    "https://127.0.0.1:8501",
    "http://localhost:8501",
    "http://evil.example",
    "http://127.0.0.1:8501.evil.example",
    "http://evil@127.0.0.1:8501",
    "null",
    "",
    None,
]
OTHER_NAMES = ["evil.example", "127.0.0.1.evil.example:8501", "evil.example@127.0.0.1", "127.0.0.1:x", "", "10.0.0.1"]


@pytest.fixture
def asked() -> list[str]:
    """The methods of the requests that got through."""
    return []


@pytest.fixture
def client(asked: list[str]) -> TestClient:
    """A site with the gate before it, which answers whatever gets through."""

    async def answer(request: Request) -> PlainTextResponse:
        asked.append(request.method)
        return PlainTextResponse("in")

    async def open_socket(socket: WebSocket) -> None:
        asked.append("websocket")
        await socket.accept()
        await socket.close()

    routes = [
        WebSocketRoute("/stream", open_socket),
        Route("/{rest:path}", answer, methods=["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]),
    ]
    return TestClient(Starlette(routes=routes, middleware=[Middleware(SiteGate)]), base_url=SITE)


def origin(given: str | None) -> dict[str, str]:
    return {} if given is None else {"origin": given}


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_what_could_change_something_is_taken_of_this_very_site_alone(client, asked, method):
    assert client.request(method, "/api", headers=origin(SITE)).status_code == 200
    assert client.request(method, "/api", headers=origin(SITE.upper())).status_code == 200
    for elsewhere in ELSEWHERE:
        answer = client.request(method, "/api", headers=origin(elsewhere))
        assert answer.status_code == 403 and SITE in answer.text, elsewhere
    twice = [("origin", SITE), ("origin", "http://evil.example")]
    assert client.request(method, "/api", headers=twice).status_code == 403
    assert asked == [method] * 2


def test_a_websocket_is_opened_to_this_very_site_alone(client, asked):
    with client.websocket_connect(STREAM, headers=origin(SITE)):
        pass
    for elsewhere in ELSEWHERE:
        with pytest.raises(WebSocketDisconnect), client.websocket_connect(STREAM, headers=origin(elsewhere)):
            pass
    assert asked == ["websocket"]


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST"])
def test_no_route_answers_under_another_name(client, asked, method):
    for host in OTHER_NAMES:
        for path in ("/", "/healthz", "/metrics", "/login"):
            answer = client.request(method, path, headers={"host": host, "origin": f"http://{host}"})
            assert answer.status_code == 403, (host, path)
    assert client.request(method, "/", headers={"host": "localhost:8501", "origin": "http://localhost:8501"}).is_success
    assert asked == [method]


def test_reading_needs_no_origin_since_links_lead_here_from_other_sites(client):
    assert client.get("/review", headers=origin("http://evil.example")).status_code == 200


# What browsers send to Streamlit's ways into and out of a login of an identity provider: from this site, and from
# others.
OURS: list[dict[str, str]] = [
    {"sec-fetch-site": "same-origin"},
    {"sec-fetch-site": "same-origin", "referer": f"{SITE}/review"},
    {"referer": f"{SITE}/review?article=1"},
]
FOREIGN: list[dict[str, str]] = [
    {},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site", "referer": f"{SITE}/"},
    {"sec-fetch-site": "none"},
    {"referer": "http://evil.example/"},
    {"referer": f"{SITE}.evil.example/"},
    {"referer": "http://127.0.0.1:8502/"},
    {"referer": "http://[evil"},
]


@pytest.mark.parametrize(
    ("path", "words"),
    [("/auth/login?provider=one", "No login begins"), ("/auth/logout", "No logout begins")],
    ids=["in", "out"],
)
def test_a_link_of_another_site_logs_nobody_in_or_out(client, asked, path, words):
    for headers in FOREIGN:
        for method in ("GET", "HEAD"):
            assert client.request(method, path, headers=headers).status_code == 403, headers
        assert client.get(path, headers=headers).text.startswith(f"{words} by a link of another site.")
    assert asked == []
    for headers in OURS:
        assert client.get(path, headers=headers).status_code == 200, headers
    assert asked == ["GET"] * len(OURS)


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST"])
def test_streamlits_own_numbers_are_given_to_nobody(client, asked, method):
    assert client.request(method, "/_stcore/metrics", headers=origin(SITE)).status_code == 404
    assert client.request(method, "/_stcore/metrics?families=session_events").status_code == 404
    assert client.get("/_stcore/health").status_code == 200 and asked == ["GET"]


def test_behind_a_proxy_with_https_the_origin_is_that_of_https(client, monkeypatch):
    monkeypatch.setenv("KEYLINE_HTTPS", "1")
    assert client.post("/api", headers=origin(SITE)).status_code == 403
    assert client.post("/api", headers=origin(SITE.replace("http:", "https:"))).status_code == 200


def test_a_flood_of_refusals_is_one_line_of_the_log_a_minute(client, monkeypatch):
    lines: list[Any] = []
    monkeypatch.setattr(site_gate.logs, "warning", lambda name, **details: lines.append(details))
    for _ in range(100):
        client.post("/api", headers=origin("http://evil.example"))
    ((line),) = lines
    assert line["path"] == "/api" and "evil.example" in line["reason"]
