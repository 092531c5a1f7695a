"""What the columns of document labels mean under the project's topic."""

from annotate.topics.file import Topic
from annotate.topics.label_columns import label_columns


def columns_told(topic: Topic) -> str:
    """The columns of a file of labels in words: `causes (warm baths), effect (A, B)`; "" for a topic without kinds."""
    columns, told = label_columns(topic), []
    for kind in topic.file.kinds:
        meaning = ", ".join(choice.key for choice in kind.choices) or kind.example
        told.append(f"{columns[kind.key]} ({meaning})" if meaning else columns[kind.key])
    return f"{', '.join(told)}. Names apart by semicolons, synonyms behind a bar" if told else ""
