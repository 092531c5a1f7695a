"""What the project looks for: the topic, sentences that count and that do not, and the guideline behind a click."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from annotate.topics.file import Topic
from annotate.topics.guideline import blocks_of
from annotate.topics.schema import Example
from pages.parts.frame.text import shown

EXAMPLES = 2  # of each side
_SIGNS = {"b": "**", "i": "*", "kbd": "`"}


def show_topic(topic: Topic) -> None:
    """Draws the topic with two sentences of each side, and its whole guideline folded."""
    st.subheader(shown(topic.name))
    st.markdown(shown(topic.file.about))
    examples = topic.file.examples
    _examples("Key sentences, to accept", ":green[:material/check:]", examples.accepted)
    _examples("Not key, to reject", ":red[:material/close:]", examples.rejected)
    with st.expander("The whole guideline", icon=":material/menu_book:"):
        st.markdown(as_markdown(topic.file.guideline))


def _examples(title: str, sign: str, examples: Sequence[Example]) -> None:
    if not examples:
        return
    st.markdown(f"**{title}**")
    for one in examples[:EXAMPLES]:
        why = f"  \n:small[:gray[{shown(one.why)}]]" if one.why else ""
        st.markdown(f"{sign} {shown(one.sentence)}{why}")


def as_markdown(guideline: str) -> str:
    """The guideline with what it knows of Markdown, and all else as text."""
    return "\n\n".join(_block(block) for block in blocks_of(guideline))


def _block(block: dict[str, Any]) -> str:
    text = "".join(_run(text, tag) for text, tag in block["runs"])
    return {"h4": f"**{text}**", "li": f"- {text}"}.get(block["tag"], text)


def _run(text: str, tag: str) -> str:
    sign = _SIGNS.get(tag, "")
    return f"{sign}{text if tag == 'kbd' else shown(text)}{sign}"
