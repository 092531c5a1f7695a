"""Sentences with a box each: the chosen ones are read by the key of the list."""

from collections.abc import Sequence

import streamlit as st

from annotate.roles.alike import Alike
from annotate.roles.own import Example
from pages.parts.frame.templates import render


def choose_from(sentences: Sequence[Alike], key: str) -> None:
    """Shows sentences that are alike, best first, each with a box to choose it."""
    for one in sentences:
        box, text = st.columns([1, 24])
        box.checkbox("Choose", key=f"{key}_{one.sentence_id}", label_visibility="collapsed")
        likeness = f"{100 * max(0.0, min(1.0, one.likeness)):.0f} %"
        told = {"text": one.text, "role": one.role, "article": one.article_id, "title": one.title}
        text.html(render("like_sentence.html.j2", likeness=likeness, **told))


def chosen_from(key: str) -> list[int]:
    """The ids of the sentences of a list that are chosen now."""
    begin = f"{key}_"
    return [
        int(name.removeprefix(begin))
        for name, value in st.session_state.items()
        if isinstance(name, str) and name.startswith(begin) and value is True
    ]


def forget_choices(key: str) -> None:
    """Nothing of the list is chosen any more."""
    for sentence_id in chosen_from(key):
        st.session_state[f"{key}_{sentence_id}"] = False


def example_rows(examples: Sequence[Example]) -> list[dict[str, str]]:
    """The verdicts on sentences, as rows of a table."""
    return [
        {"sentence": one.text, "has it": "yes" if one.has_it else "no", "said by": one.said_by, "at": one.said_at}
        for one in examples
    ]
