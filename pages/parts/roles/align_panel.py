"""The panel Align: two articles side by side, each sentence linked to the one of the other that does the same."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

import db.articles
import db.roles
from annotate.project.home import read
from annotate.roles.alike import NotRead, aligned
from annotate.roles.view import role_name, stored_roles
from db.articles import SentenceText
from pages.parts.frame.page import end_with, number_in_address
from pages.parts.shared.scripts import component

MOST = 500  # articles in the boxes, the newest
_HERE = Path(__file__).parent
_HOLDER = '<div class="aligned"></div>'
_mount = component("aligned_articles", _HOLDER, [_HERE / "aligned.js"], [_HERE / "aligned.css"])


def align_panel(_: str) -> None:
    """Draws the boxes that choose two articles, first the ones of the address, and below them the two."""
    asked = [each for name in ("article", "other") if (each := number_in_address(name)) is not None]
    with read() as session:
        all_ids = db.roles.read_ids(session)
        read_ids = list(dict.fromkeys([*(each for each in asked if each in all_ids), *all_ids[-MOST:]]))
        titles = db.articles.titles(session, read_ids)
    if len(read_ids) < 2:
        end_with("Align needs two articles whose roles have been read.")
    left, right = st.columns(2)
    one = left.selectbox("One article", read_ids, format_func=titles.__getitem__, key="one")
    others = [each for each in read_ids if each != one]
    other = right.selectbox("The other", others, format_func=titles.__getitem__, key="other")
    try:
        with read() as session:
            links = aligned(session, one, other)
            sides = [
                _side_of(db.articles.sentences(session, [each]), stored_roles(session, each), own)
                for each, own in zip((one, other), links, strict=True)
            ]
    except NotRead as error:
        st.warning(f"{str(error).capitalize()}.")
        return
    _mount(key=f"align_{one}_{other}", data={"sides": sides})


def _side_of(sentences: Sequence[SentenceText], roles: np.ndarray | None, links: Sequence[int]) -> list[dict[str, Any]]:
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
