"""What every answer tells the browser, whatever the way in, and what is never answered."""

from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from pages.parts.server.routes import ROUTES
from pages.parts.server.security_headers import HEADERS, SecurityHeaders


def asset(_: Any) -> PlainTextResponse:
    """A file that may be kept."""
    return PlainTextResponse("x", headers={"Cache-Control": "public, max-age=31536000, immutable"})


def client(scheme: str = "http") -> TestClient:
    app = SecurityHeaders(Starlette(routes=[*ROUTES, Route("/static/x.js", asset)]))
    return TestClient(app, base_url=f"{scheme}://testserver", follow_redirects=False)


@pytest.mark.parametrize("path", ["/login", "/nothing/here", "/healthz", "/"])
def test_every_answer_says_what_browsers_may_do_with_it(home: Path, path: str) -> None:
    headers = client().get(path).headers
    assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"
    policy = headers["content-security-policy"]
    assert all(part in policy for part in ("base-uri 'none'", "frame-ancestors 'none'"))
    assert "object-src 'none'" in policy or "default-src 'none'" in policy
    assert "access-control-allow-origin" not in headers and "charset=utf-8" in headers.get(
        "content-type", "charset=utf-8"
    )


def test_over_https_browsers_are_told_to_stay_there(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = "max-age=31536000; includeSubDomains"
    assert client("https").get("/login").headers["strict-transport-security"] == told
    assert "strict-transport-security" not in client().get("/login").headers
    monkeypatch.setenv("KEYLINE_HTTPS", "1")
    assert client().get("/login").headers["strict-transport-security"] == told


def test_a_file_that_says_how_long_it_may_be_kept_is_kept() -> None:
    assert client().get("/static/x.js").headers["cache-control"].endswith("immutable")
    assert HEADERS["Cache-Control"] == "no-store"


@pytest.mark.parametrize("method", ["TRACE", "TRACK", "PUT", "DELETE"])
def test_a_method_that_no_route_has_is_refused(home: Path, method: str) -> None:
    assert client().request(method, "/login").status_code == 405
