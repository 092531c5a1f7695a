"""Buttons of files that are made when a person asks for them, and who may ask for which.

The browser asks a route for the file (`pages.parts.server.routes`), so that no run of a page stands in its way.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import streamlit as st

from annotate.project.acting import Actor, Forbidden, current_actor, demand
from annotate.project.home import look_up
from annotate.project.refusals import note_refusal
from annotate.project.rights import Right
from pages.parts.shared.scripts import component

ENDPOINT = "/api/file"
CSV, JSON_LINES = "text/csv", "application/jsonl"
_HERE = Path(__file__).parent
_OFFERED = "offered_files"

_FILES = (_HERE / "file_buttons.js", _HERE / "file_buttons.css")
_mount = component("file_buttons", '<div class="files"></div>', _FILES[:1], _FILES[1:])


@dataclass(frozen=True, slots=True)
class File:
    """A file to offer: `label` is on its button, `media` its MIME type, `right` what asking for it takes.

    `make` returns its content, and raises ValueError with the reason where there is none; `note` writes down that it
    was taken out, before it leaves.
    """

    label: str
    name: str
    media: str
    right: Right
    make: Callable[[], str | bytes]
    note: Callable[[], None] | None = None
    help: str = ""

    def content(self) -> bytes:
        """The file, for the acting person. Raises Forbidden where they lack the right now, and what `make` raises."""
        try:
            look_up(demand, self.right)
        except Forbidden as error:
            note_refusal(error)
            raise
        made = self.make()
        if self.note:
            self.note()
        return made.encode() if isinstance(made, str) else made


@dataclass(eq=False)
class _Tab:
    """What one browser tab was offered: kept for as long as its session lives."""

    token: str
    files: dict[str, tuple[Actor, File]] = field(default_factory=dict)


_tabs: WeakValueDictionary[str, _Tab] = WeakValueDictionary()


def offer(files: Sequence[File], *, key: str, stacked: bool = False, disabled: bool = False) -> None:
    """Draws a button for each file, side by side or `stacked`; `key` names the place on the page."""
    tab: _Tab | None = st.session_state.get(_OFFERED)
    if tab is None:
        tab = st.session_state[_OFFERED] = _Tab(secrets.token_urlsafe(24))
        _tabs[tab.token] = tab
    shown: list[dict[str, Any]] = []
    for file in files:
        wanted = f"{key}/{file.name}"
        if disabled:
            tab.files.pop(wanted, None)
        else:
            tab.files[wanted] = (current_actor(), file)
        shown.append({"wanted": wanted, "label": file.label, "name": file.name, "help": file.help})
    _mount(
        key=f"files_{key}",
        data={"endpoint": ENDPOINT, "token": tab.token, "files": shown, "stacked": stacked, "disabled": disabled},
    )


def offered(token: str, wanted: str) -> tuple[Actor, File]:
    """Who was offered this file, and the file. Raises LookupError where the tab is gone or the button off."""
    if tab := _tabs.get(token):
        return tab.files[wanted]
    raise LookupError(token)
