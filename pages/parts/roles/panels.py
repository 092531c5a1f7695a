"""The panels of roles: More like this, of which a function can be made, and Align, two articles side by side."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st
from sqlalchemy.orm import Session

import db.articles
import db.roles
from annotate.project.home import read
from annotate.roles.alike import NotRead, aligned, alike
from annotate.roles.own import NotPossible, create
from annotate.roles.view import role_name, stored_roles
from pages.parts.frame.messages import keep_error
from pages.parts.frame.page import end_with, link_to, number_in_address
from pages.parts.frame.text import shown
from pages.parts.roles.own_tab import choose_from, chosen_from, forget_choices
from pages.parts.shared.scripts import ROLE_COLOURS, component

LIKE, PROBLEM, MADE = "like", "function_error", "function_made"
MOST = 500  # articles in the boxes, the newest
_HERE = Path(__file__).parent
_HOLDER = '<div class="aligned"></div>'
_SCRIPTS = [_HERE.parent / "review" / "elements.js", _HERE / "aligned.js"]
_mount = component("aligned_articles", _HOLDER, _SCRIPTS, [ROLE_COLOURS, _HERE / "aligned.css"])


def alike_panel(by: str) -> None:
    """Draws the sentence of the address, those like it, and the field that names a function of the chosen ones."""
    article_id, position = number_in_address("article"), number_in_address("sentence")
    if article_id is None or position is None:
        end_with("Choose a sentence in Review, and then More like this.", "review", "Review", icon="touch_app")
    weight, where = st.columns([3, 1], vertical_alignment="center")
    share = weight.slider("From meaning (0) to role (100)", 0, 100, 50, 10, key="share", format="%d %%")
    library = where.toggle("All articles", key="where")
    with read() as session:
        asked = db.articles.sentences_at(session, {(article_id, position)}).get((article_id, position))
        try:
            found = alike(session, article_id, position, share / 100, library=library) if asked else []
        except NotRead as error:
            st.warning(f"{str(error).capitalize()}.")
            return
    if asked is None:
        st.error("There is no such sentence. The address may be of another database.")
        return
    st.markdown(f"**{shown(asked.text)}**")
    choose_from(found, f"{LIKE}_{asked.id}")
    if problem := st.session_state.pop(PROBLEM, None):
        st.error(shown(problem), icon=":material/error:")
    if made := st.session_state.pop(MADE, None):
        message = f"{made} is a role now: Roles lists more sentences that may have it."
        st.success(shown(message), icon=":material/check:")
        link_to("functions", "Roles")
    with st.form("name_function", border=True):
        st.caption("Do the chosen sentences do the same as this one? Name their role, and Keyline proposes others.")
        st.text_input("Name of the role", key="function_name", max_chars=60, placeholder="names the reagent")
        st.form_submit_button("Name the role", on_click=_name, args=(by, asked.id))


def _name(by: str, sentence_id: int) -> None:
    """Makes a function of a sentence and those that are chosen."""
    named = st.session_state.function_name
    with keep_error(PROBLEM, errors=(NotPossible, ValueError)):
        key = f"{LIKE}_{sentence_id}"
        create(by, named, [sentence_id, *chosen_from(key)])
        forget_choices(key)
        st.session_state[MADE] = named


def align_panel(_: str) -> None:
    """Draws the boxes that choose two articles, first the ones of the address, and below them the two."""
    asked = [each for name in ("article", "other") if (each := number_in_address(name)) is not None]
    with read() as session:
        all_ids = db.roles.read_ids(session)
        read_ids = list(dict.fromkeys([*(each for each in asked if each in all_ids), *all_ids[-MOST:]]))
        titles = db.articles.titles(session, read_ids)
    if len(read_ids) < 2:
        end_with("Align needs two articles in which Keyline has read the roles.", "functions", "Roles")
    left, right = st.columns(2)
    one = left.selectbox("One article", read_ids, format_func=titles.__getitem__, key="one")
    others = [each for each in read_ids if each != one]
    other = right.selectbox("The other", others, format_func=titles.__getitem__, key="other")
    try:
        with read() as session:
            links = aligned(session, one, other)
            sides = [_side(session, each, own) for each, own in zip((one, other), links, strict=True)]
    except NotRead as error:
        st.warning(f"{str(error).capitalize()}.")
        return
    _mount(key=f"align_{one}_{other}", data={"sides": sides})


def _side(session: Session, article_id: int, links: Sequence[int]) -> list[dict[str, Any]]:
    """An article as the component shows it: its sentences that do something, each with its section, text, role and the
    position of its counterpart, or -1."""
    sentences, roles = db.articles.sentences(session, [article_id]), stored_roles(session, article_id)
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
