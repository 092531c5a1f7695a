"""The page that Streamlit begins with, as ours: picture, name, style, and where the app lies.

Streamlit sets the picture of each page as it is opened, and asks a font host on the Internet for it; it does so by the
link that its own page holds for it. Here that link gives way to one that it does not know. The style is there before
anything is drawn, so that nothing moves when it comes. Told where the app lies, Streamlit does not look for it below
the address of each page, where nothing answers. Its files, which it names from where the address is, are also found
from an address of several parts. Streamlit keeps a theme for each address, and reads it as it begins:
what people chose in the account menu is put there for all.
"""

import base64
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.parts.frame.streamlit_internals import PAGE_ICON, PAGE_TITLE
from pages.parts.frame.templates import SCALE

_HERE = Path(__file__).parent
_STYLE = SCALE.encode() + (_HERE.parent / "frame" / "page.css").read_bytes()
_HEAD = (_HERE / "first_page.html").read_bytes().strip().replace(b"STYLE", _STYLE)
_OURS = {PAGE_ICON: b"", PAGE_TITLE: _HEAD}
_BY_ADDRESS = b'"./'  # how Streamlit's page begins the address of a file: seen from an address of one part
# The page must come whole and unpacked, or there is nothing to replace in it; and it must come, also to a browser that
# has it: the mark by which it asks is Streamlit's file's, which stays the same where ours has changed.
_NOT_PASSED_ON = (b"accept-encoding", b"range", b"if-none-match", b"if-modified-since")


def script_hashes() -> list[str]:
    """The scripts that stand in the page itself, Streamlit's and ours, as a Content-Security-Policy names them."""
    page = (Path(st.__file__).parent / "static" / "index.html").read_bytes() + _HEAD
    scripts = re.findall(rb"<script>(.*?)</script>", page, re.DOTALL)
    return [f"'sha256-{base64.b64encode(hashlib.sha256(each).digest()).decode()}'" for each in scripts]


@dataclass
class FirstPage:
    """ASGI middleware: puts Keyline's own parts into the page that Streamlit begins with."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes everything on; changes what a browser that opens a page is answered."""
        asks = scope["type"] == "http" and scope["method"] == "GET"
        if not asks or "text/html" not in Headers(scope=scope).get("accept", ""):
            await self.app(scope, receive, send)
            return
        headers = [(name, value) for name, value in scope["headers"] if name not in _NOT_PASSED_ON]
        await self.app({**scope, "headers": headers}, receive, _Changed(send, _way_up(scope)))


def _way_up(scope: Scope) -> bytes:
    """How a file is named that lies where the app does, from the address that a browser asks for."""
    base = st.get_option("server.baseUrlPath").strip("/").encode()
    below = scope["raw_path"].lstrip(b"/").removeprefix(base).lstrip(b"/")
    return b'"' + (b"../" * below.count(b"/") or b"./")


@dataclass
class _Changed:
    """Sends an answer on; one of HTML whole, with its lines replaced."""

    send: Send
    way_up: bytes
    start: Message | None = None
    body: bytes = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and Headers(raw=message["headers"]).get(
            "content-type", ""
        ).startswith("text/html"):
            self.start = message
        elif self.start is None:
            await self.send(message)
        else:
            self.body += message.get("body", b"")
            if not message.get("more_body", False):
                for theirs, ours in _OURS.items():
                    self.body = self.body.replace(theirs, ours)
                self.body = self.body.replace(_BY_ADDRESS, self.way_up)
                headers = MutableHeaders(scope=self.start)
                if "content-length" in headers:
                    headers["content-length"] = str(len(self.body))
                await self.send(self.start)
                await self.send({"type": "http.response.body", "body": self.body})
