"""Components of our own: scripts that are written as modules, joined into the one that Streamlit takes."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import streamlit as st

# For those who hear the page: on it, and not seen.
SPOKEN_ONLY = """{
  position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%);
  font-size: var(--small);
}"""
# From the click to the server's disk: what every component needs that stores what people say. Each stands after those
# that it imports.
_TO_THE_DISK = ("storage.js", "posting.js", "outbox.js", "between_clicks.js", "mounting.js")
OUTBOX = tuple(Path(__file__).parent / name for name in _TO_THE_DISK)
# Which keys are meant for a component that listens to the whole page.
OWN_KEYS = Path(__file__).parent / "own_keys.js"
# What has a colour of its own wherever sentences stand with what they do.
ROLE_COLOURS = Path(__file__).parent / "role_colours.css"
_CONTROLS = Path(__file__).parent / "controls.css"

# Between the scripts only; the one export that stays is the function that Streamlit calls.
_IMPORT = re.compile(r'^import \{[^}]+\} from "[./\w]+\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default )", re.MULTILINE)


def joined(paths: Iterable[Path]) -> str:
    """The scripts as one module, since Streamlit takes no module that imports others."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    return _EXPORT.sub("", _IMPORT.sub("", text))


def component(name: str, holder: str, scripts: Iterable[Path], styles: Iterable[Path | str] = ()) -> Any:
    """What mounts a component that draws within `holder`, an element. At import: a name may be taken once."""
    sheets = (style if isinstance(style, str) else style.read_text(encoding="utf-8") for style in (_CONTROLS, *styles))
    return st.components.v2.component(name, html=holder, css="\n".join(sheets), js=joined(scripts))
