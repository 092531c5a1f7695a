"""The document labels of an article: a form behind a button, its fields called as the topic's kinds are."""

import streamlit as st

from annotate.articles.document_labels import Labels, choices_with, parse_labels, write_names
from annotate.topics.file import Topic
from annotate.topics.label_columns import label_columns


def labels_title(topic: Topic) -> str:
    """What the labels are called together: "Genes, cells and edit"; "" for a topic without kinds."""
    names = [kind.title for kind in topic.file.kinds]
    rest = [name[:1].lower() + name[1:] for name in names[1:]]
    return " and ".join(filter(None, (", ".join([*names[:1], *rest[:-1]]), *rest[-1:])))


def label_fields(topic: Topic, stored: Labels, form: str) -> None:
    """Draws a field a kind of the topic."""
    for kind in topic.file.kinds:
        key, names = f"{kind.key}_{form}", stored.of(kind.key)
        if kind.choices:
            options = list(dict.fromkeys(choices_with(topic, stored)[kind.key]))
            st.multiselect(kind.title, options, list(names), key=key)
        else:
            st.text_input(kind.title, write_names(names), key=key, help=kind.example or None)


def labels_in(topic: Topic, stored: Labels, form: str) -> Labels:
    """What the form holds. Raises ValueError for what cannot be stored."""
    values = {key: st.session_state[f"{key}_{form}"] for key in topic.keys}
    given = {key: ";".join(value) if isinstance(value, list) else value or "" for key, value in values.items()}
    return parse_labels(given, choices_with(topic, stored))


def columns_text(topic: Topic) -> str:
    """The columns of a file of labels in words: `causes (warm baths), effect (A, B)`; "" for a topic without kinds."""
    columns, parts = label_columns(topic), []
    for kind in topic.file.kinds:
        meaning = ", ".join(choice.key for choice in kind.choices) or kind.example
        parts.append(f"{columns[kind.key]} ({meaning})" if meaning else columns[kind.key])
    return f"{', '.join(parts)}. Names separated by semicolons, synonyms after a bar |" if parts else ""
