"""The document labels of an article: a form behind a button, its fields called as the topic's kinds are."""

import streamlit as st

from annotate.articles.document_labels import Labels, parse_labels, write_names
from annotate.topics.file import Topic
from annotate.topics.schema import Slot


def labels_title(topic: Topic) -> str:
    """What the labels are called together: "Genes, cells and edit"; "" for a topic without kinds."""
    names = [kind.name if kind.choices else kind.plural for kind in topic.file.kinds]
    rest = [name[:1].lower() + name[1:] for name in names[1:]]
    return " and ".join(filter(None, (", ".join([*names[:1], *rest[:-1]]), *rest[-1:])))


def label_fields(topic: Topic, stored: Labels, form: str) -> None:
    """Draws a field a kind of the topic."""
    for kind in topic.file.kinds:
        label, key = kind.name if kind.choices else kind.plural, f"{kind.stands_in}_{form}"
        if kind.choices:
            options = list(dict.fromkeys((*(choice.key for choice in kind.choices), *stored.edits)))
            st.multiselect(label, options, list(stored.edits), key=key)
        else:
            st.text_input(label, _of_slot(stored, kind.stands_in), key=key, help=kind.example or None)


def labels_in(topic: Topic, stored: Labels, form: str) -> Labels:
    """What the form holds; columns of which the topic has no kind stay as stored. Raises ValueError for what cannot be
    stored."""
    given = {str(slot): _of_slot(stored, slot) for slot in Slot}
    for kind in topic.file.kinds:
        value = st.session_state[f"{kind.stands_in}_{form}"]
        given[kind.stands_in] = ";".join(value) if isinstance(value, list) else value or ""
    # What another topic had as a choice is no reason to refuse the rest.
    known = topic.choices and (*topic.choices, *stored.edits)
    return parse_labels(given["genes"], given["cells"], given["edit"], known)


def _of_slot(stored: Labels, slot: str) -> str:
    names = {Slot.GENES: stored.genes, Slot.CELLS: stored.cells}.get(Slot(slot))
    return "; ".join(stored.edits) if names is None else write_names(names)
