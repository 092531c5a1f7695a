"""Texts read aloud to people who do not see the screen: changes on it, and the content of a figure."""

from collections.abc import Sequence
from pathlib import Path

from pages.parts.shared.scripts import SPOKEN_ONLY, component

KEY = "aloud"  # page.css takes what has it out of the page's rows

_HOLDER = '<p role="status" aria-live="polite"></p>'
_mount = component("read_aloud", _HOLDER, [Path(__file__).parent / "aloud.js"], [f"p {SPOKEN_ONLY}"])


def read_aloud(text: str, *, key: str, first: bool = False, replaced: Sequence[str] = ()) -> None:
    """Reads the text aloud where it is another than in the run before; `first`: also as the page opens.

    `replaced` are the beginnings of the keys of buttons that give way to others of such a key: where one that had the
    focus is gone, its successor gets it, so that a person at the keyboard goes on from there.
    """
    _mount(key=f"{KEY}_{key}", data={"text": text, "first": first, "replaced": list(replaced)}, height=1)
