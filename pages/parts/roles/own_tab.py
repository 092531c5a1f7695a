"""Sentences to choose from, functions that the team named, and the model that tells functions."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import streamlit as st

import db.roles
from annotate.project.home import look_up, read
from annotate.roles.alike import Alike
from annotate.roles.model_files import compared
from annotate.roles.own import examples, proposed, say
from db.tables import ModelVersion
from db.values import Kind
from pages.parts.frame.messages import show_message
from pages.parts.frame.page import link_to
from pages.parts.frame.templates import render
from pages.parts.frame.text import local_time, shown
from pages.parts.shared.tables import show_table
from pages.parts.shared.trained_versions import versions_panel

NEAREST, UNTICKED = "nearest", "no_sentence_ticked"
MEASURES = {"accuracy": "roles right", "p_at_1": "nearest does the same", "triplet_accuracy": "of triplets right"}


def choose_from(sentences: Sequence[Alike], key: str) -> None:
    """Shows sentences that are alike, best first, each with a box to choose it; one stays chosen in another list."""
    for one in sentences:
        box, text = st.columns([1, 24])
        box.checkbox("Choose", key=f"{key}_{one.sentence_id}", label_visibility="collapsed", persist_state="page")
        likeness = f"{100 * max(0.0, min(1.0, one.likeness)):.0f}%"
        fields = {"text": one.text, "role": one.role, "article": one.article_id, "title": one.title}
        text.html(render("like_sentence.html.j2", likeness=likeness, **fields))
    if more := len(set(chosen_from(key)) - {one.sentence_id for one in sentences}):
        st.caption(f"Also chosen, but not in this list: {more:,}")


def chosen_from(key: str) -> list[int]:
    """The ids of the sentences that are chosen now, also ones that the list does not show."""
    begin = f"{key}_"
    return [
        int(name.removeprefix(begin))
        for name, value in st.session_state.items()
        if isinstance(name, str) and name.startswith(begin) and value is True
    ]


def forget_choices(key: str, answered: Collection[int] | None = None) -> None:
    """Nothing of the list is chosen any more, or none of the sentences that are answered."""
    for sentence_id in chosen_from(key):
        if answered is None or sentence_id in answered:
            st.session_state[f"{key}_{sentence_id}"] = False


def _say(by: str, function_id: int, has_it: bool) -> None:
    key = f"{NEAREST}_{function_id}"
    with read() as session:
        answered = {one.sentence_id for one in examples(session, function_id)}
    forget_choices(key, answered)  # another person was first
    if chosen := chosen_from(key):
        say(by, function_id, dict.fromkeys(chosen, has_it))
        forget_choices(key)
    else:
        st.session_state[UNTICKED] = "Tick a sentence first."


def own_tab(by: str) -> None:
    """Shows one function after another, as chosen."""
    named = {one.id: one for one in look_up(db.roles.own_functions)}
    if not named:
        st.info("The team has named no role yet. In Review choose More like this, tick similar sentences, and name it.")
        link_to("review", "Review")
        return
    number = st.selectbox("Role", list(named), format_func=lambda one: named[one].name, key="own_function")
    one = named[number]
    st.caption(shown(f"Named by {one.created_by}, {local_time(one.created_at)}"))
    with read() as session:
        answers = examples(session, number)
        nearest = proposed(session, number)
    st.subheader("Do these sentences have this role, too?")
    forget_choices(f"{NEAREST}_{number}", {one.sentence_id for one in answers})
    choose_from(nearest, f"{NEAREST}_{number}")
    if not nearest:
        st.caption("No similar sentence was found.")
    yes, no = st.columns(2)
    yes.button("The chosen ones have it", on_click=_say, args=(by, number, True), disabled=not nearest)
    no.button("They do not", on_click=_say, args=(by, number, False), disabled=not nearest)
    show_message(UNTICKED, st.warning, "check_box")
    st.subheader("Answers so far")
    show_table(
        [
            {
                "sentence": one.text,
                "has it": "yes" if one.has_it else "no",
                "annotator": one.said_by,
                "at": local_time(one.said_at),
            }
            for one in answers
        ]
    )


def figures_of(evaluations: Mapping[str, Mapping[str, Any]]) -> str:
    """The figures of a version in words, by file."""
    return "; ".join(
        f"{name}: " + ", ".join(f"{words} {100 * own[key]:.1f}%" for key, words in MEASURES.items() if key in own)
        for name, own in evaluations.items()
    )


def _columns(version: ModelVersion) -> dict[str, Any]:
    encoder = version.trained_on.get("encoder")
    return {
        "reads by": f"words and an encoder ({encoder})" if encoder else "words",
        "abstracts": version.trained_on.get("articles", 0),
        "figures": figures_of(version.metrics) or "not measured yet",
    }


def model_tab() -> None:
    """Shows the versions; a person who may promote chooses the one that reads roles."""
    if not compared():
        st.info("No model yet. Keyline trains one when it reads the first articles.")
        return
    versions_panel(Kind.ROLES, _columns)
    st.caption("After a promotion, the version reads all articles again, and rankings follow.")
