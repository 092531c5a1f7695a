"""Two articles side by side: a click on a sentence goes to its counterpart."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from annotate.roles.view import role_name
from db.articles import SentenceText
from pages.parts.shared.scripts import joined

_HERE = Path(__file__).parent
# Registered at import, not per run: a component's name may be taken once.
_mount = st.components.v2.component(
    "aligned_articles",
    html='<div class="aligned"></div>',
    css=(_HERE / "aligned.css").read_text(encoding="utf-8"),
    js=joined([_HERE / "aligned.js"]),
)


def side_of(sentences: Sequence[SentenceText], roles: np.ndarray | None, links: Sequence[int]) -> list[dict[str, Any]]:
    """An article as the component shows it: its sentences that do something, each with its section, text, role and the
    position of its counterpart, or -1."""
    if roles is None:
        return []
    return [
        {
            "number": sentence.position,
            "section": sentence.section,
            "text": sentence.text,
            "role": role_name(row),
            "link": link,
        }
        for sentence, row, link in zip(sentences, roles, links, strict=True)
        if row.any()
    ]


def aligned_view(one: list[dict[str, Any]], other: list[dict[str, Any]], *, key: str) -> None:
    """Mounts the two sides."""
    _mount(key=key, data={"sides": [one, other]})
