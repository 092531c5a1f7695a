"""The page that Streamlit begins with gets our picture and name; every other answer stays as it is."""

import base64
import hashlib
import re
from pathlib import Path

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.testclient import TestClient

from pages.parts.frame.streamlit_internals import PAGE_ICON, PAGE_TITLE
from pages.parts.server.first_page import _HEAD, FirstPage
from pages.parts.server.security_headers import HEADERS
from tests.support.paths import ROOT

FILE = b'<script src="./static/app.js"></script>'
PAGE = b"<html>" + PAGE_ICON + PAGE_TITLE + FILE + b"x" * 2000 + b"</html>"


@pytest.fixture
def client() -> TestClient:
    """A site that answers with Streamlit's page in several ways, packed where the browser takes that."""

    async def parts(request: Request) -> StreamingResponse:
        async def halves():
            yield PAGE[:20]
            yield PAGE[20:]

        return StreamingResponse(halves(), media_type="text/html")

    async def page(request: Request) -> Response:
        return HTMLResponse(PAGE)

    async def data(request: Request) -> Response:
        return Response(PAGE, media_type="application/octet-stream")

    routes = [Route("/parts", parts), Route("/data", data), Route("/{rest:path}", page)]
    return TestClient(Starlette(routes=routes, middleware=[Middleware(FirstPage), Middleware(GZipMiddleware)]))


@pytest.mark.parametrize("path", ["/page", "/parts"])
def test_a_browser_that_opens_a_page_gets_our_picture_and_name(client, path):
    answer = client.get(path, headers={"accept": "text/html,*/*;q=0.8", "accept-encoding": "gzip"})
    assert "<title>Keyline</title>" in answer.text
    assert '<link rel="icon" type="image/svg+xml" href="data:image/svg+xml,' in answer.text
    assert "shortcut" not in answer.text and answer.text.endswith("x</html>")
    assert int(answer.headers.get("content-length", len(answer.content))) == len(answer.content)


@pytest.mark.parametrize(
    ("path", "base", "file"),
    [
        ("/one", "", "./static/app.js"),
        ("/one/two", "", "../static/app.js"),
        ("/one/two/three", "", "../../static/app.js"),
        ("/one%2Ftwo", "", "./static/app.js"),  # of one part, for the browser that asks
        ("/base/one", "base", "./static/app.js"),
        ("/base/one/two", "/base/", "../static/app.js"),
    ],
)
def test_files_are_found_from_an_address_of_several_parts(client, monkeypatch, path, base, file):
    monkeypatch.setattr(st, "get_option", {"server.baseUrlPath": base}.get)
    answer = client.get(path, headers={"accept": "text/html"})
    assert f'src="{file}"' in answer.text
    assert int(answer.headers["content-length"]) == len(answer.content)


def test_what_is_no_page_or_not_asked_for_as_one_stays_as_it_is(client):
    assert client.get("/data", headers={"accept": "text/html"}).content == PAGE
    assert client.get("/page", headers={"accept": "*/*"}).content == PAGE


def test_a_file_of_a_page_is_sent_whole_and_a_question_about_it_is_left_alone(client, tmp_path):
    path = tmp_path / "index.html"
    path.write_bytes(PAGE)
    site = Starlette(routes=[Route("/", lambda request: FileResponse(path))], middleware=[Middleware(FirstPage)])
    with TestClient(site) as file:
        sent = file.get("/", headers={"accept": "text/html", "range": "bytes=0-80"})
        assert (sent.status_code, sent.text.endswith("x</html>"), "<title>Keyline" in sent.text) == (200, True, True)
        assert int(sent.headers["content-length"]) == len(sent.content)
        assert file.head("/", headers={"accept": "text/html"}).headers["content-length"] == str(len(PAGE))


def test_the_style_is_there_before_anything_is_drawn_and_streamlit_is_told_where_the_app_lies(client):
    text = client.get("/page", headers={"accept": "text/html"}).text
    assert ".stMainBlockContainer {" in text and "STYLE" not in text
    assert "window.__streamlit = { BACKEND_BASE_URL: location.origin }" in text
    assert text.index("<style>") < text.index("</style>") < text.index("<script>")


def test_the_proxy_s_policy_lets_its_script_run():
    (script,) = re.findall(rb"<script>(.*)</script>", _HEAD, re.DOTALL)
    allowed = f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'"
    assert allowed in (ROOT / "docs" / "deploy" / "nginx.conf").read_text()


def test_a_browser_that_has_streamlit_s_page_gets_ours_all_the_same(tmp_path):
    (tmp_path / "index.html").write_bytes(PAGE)
    routes = [Mount("/", StaticFiles(directory=tmp_path, html=True))]
    with TestClient(Starlette(routes=routes, middleware=[Middleware(FirstPage)])) as site:
        first = site.get("/", headers={"accept": "text/html"})
        known = {"if-none-match": first.headers["etag"], "if-modified-since": first.headers["last-modified"]}
        again = site.get("/", headers={"accept": "text/html", **known})
    assert (again.status_code, again.content) == (200, first.content)


def test_the_app_s_policy_names_the_scripts_of_the_page_and_lets_no_other_text_run():
    policy = {each.split()[0]: each.split()[1:] for each in HEADERS["Content-Security-Policy"].split("; ")}
    scripts = re.findall(
        rb"<script>(.*?)</script>", (Path(st.__file__).parent / "static" / "index.html").read_bytes(), re.S
    )
    scripts += re.findall(rb"<script>(.*?)</script>", _HEAD, re.S)
    hashes = [f"'sha256-{base64.b64encode(hashlib.sha256(each).digest()).decode()}'" for each in scripts]
    assert len(hashes) == 2 and policy["script-src"] == ["'self'", "blob:", *hashes]
