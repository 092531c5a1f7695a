"""What the columns of document labels mean under the project's topic."""

from annotate.topics.file import Topic
from annotate.topics.schema import Slot


def columns_told(topic: Topic) -> str:
    """The columns of a file of labels in words: `genes (Interventions: warm baths), edit (A, B)`."""
    told = []
    for slot in Slot:
        kind = topic.kind_in(slot)
        if kind is None:
            continue
        name = "" if kind.plural.lower() == slot or kind.choices else kind.plural
        rest = ", ".join(choice.key for choice in kind.choices) or kind.example
        meaning = ": ".join(filter(None, (name, rest)))
        told.append(f"{slot} ({meaning})" if meaning else str(slot))
    several = ". Names apart by semicolons, synonyms behind a bar" if told else ""
    return (", ".join(told) or "genes, cells, edit, to which this topic gives no meaning") + several
