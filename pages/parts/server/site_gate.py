"""Who may ask at all: pages of this very site, under the names that it serves."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from annotate.project import logs
from pages.parts.frame.streamlit_internals import LOG_IN, LOG_OUT, NUMBERS, is_host_allowed

HTTPS = "KEYLINE_HTTPS"
# What changes nothing; a link on another site may well lead here.
READING = ("GET", "HEAD", "OPTIONS")
# Programs ask there, by a token of their own; what a browser sends along unasked is never looked at.
API = "/api/v1"
LOG_EVERY_SECONDS = 60.0
# Streamlit's ways in and out are GET, and yet change who is logged in.
NOT_FROM_ELSEWHERE = {
    LOG_IN: "No login begins by a link of another site. Open Keyline and log in there.",
    LOG_OUT: "No logout begins by a link of another site. Log out behind your name in Keyline.",
}
OTHER_NAME = "Keyline does not answer to this name. The person who runs it sets server.allowedHosts."


def is_https(scheme: str) -> bool:
    """Whether the browser speaks HTTPS: it does to the server itself, or to a proxy, as KEYLINE_HTTPS=1 says."""
    return scheme in ("https", "wss") or os.environ.get(HTTPS) == "1"


@dataclass
class SiteGate:
    """ASGI middleware: refuses, before Streamlit sees it, what another site or another name asks for: 403.

    The Host of every request must be one of server.allowedHosts. The Origin of every websocket, and of every request
    that could change something, must be there and be scheme, host and port of this site: cookies know no ports, so a
    page of another port on this host would otherwise act as the person who has Keyline open. Programs, which bear a
    token to the API, name no Origin; the page of another site would, and is refused there too. Streamlit's ways into a
    login and out of it are GET, which only this very site may send. Streamlit's own numbers are given to no one: 404;
    ours are at /metrics.
    """

    app: ASGIApp
    logged: float = -LOG_EVERY_SECONDS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes on what may be asked, refuses the rest."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
        elif scope["type"] == "http" and scope["path"] == NUMBERS:
            await PlainTextResponse("Not Found", 404)(scope, receive, send)
        elif reason := why_refused(scope):
            now = time.monotonic()
            if now - self.logged >= LOG_EVERY_SECONDS:  # a thousand attempts must not fill the disk
                self.logged = now
                logs.warning("refused before any page", path=scope["path"][:100], reason=reason)
            if scope["type"] == "websocket":
                await receive()  # "websocket.connect"; the answer before it is accepted is HTTP 403
                await send({"type": "websocket.close", "code": 1008})
            else:
                await PlainTextResponse(reason, 403)(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def why_refused(scope: Scope) -> str:
    """Why a request or websocket is refused, in a sentence; empty where it is accepted."""
    hosts = _values(scope, b"host")
    if len(hosts) != 1 or not is_host_allowed(hosts[0]):
        return OTHER_NAME
    site = f"{'https' if is_https(scope['scheme']) else 'http'}://{hosts[0]}".lower()
    if scope["type"] == "http" and scope["method"] in READING:
        return "" if _is_from_here(scope, site) else NOT_FROM_ELSEWHERE.get(scope["path"], "")
    given = [value.lower() for value in _values(scope, b"origin")]
    if given == [site] or (not given and scope["type"] == "http" and scope["path"].startswith(f"{API}/")):
        return ""
    shown = ascii(given[0][:100]) if given else "a site that it does not name"
    return f"This is {site}, and the request came from {shown}. Behind a proxy with HTTPS set KEYLINE_HTTPS=1."


def _is_from_here(scope: Scope, site: str) -> bool:
    """Whether a page of this site leads here. Browsers say so to HTTPS and to this machine; to others by Referer."""
    if origins := _values(scope, b"sec-fetch-site"):
        return origins == ["same-origin"]
    return [_site_of(value) for value in _values(scope, b"referer")] == [site]


def _site_of(address: str) -> str:
    """Scheme, host and port of an address; empty for none."""
    try:
        parts = urlsplit(address)
    except ValueError:  # a bracket that is not closed
        return ""
    return f"{parts.scheme}://{parts.netloc}".lower()


def _values(scope: Scope, name: bytes) -> Sequence[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]
