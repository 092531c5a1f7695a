"""A topic by examples: a name, what counts in plain words, and sentences of both kinds, written as a topic's file."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from annotate.project.files.plain_yaml import read_yaml
from annotate.topics.file import Topic, read_topic
from annotate.topics.schema import FEWEST_EXAMPLES

# Points for a standard deviation of the cosine to what counts: chosen on training parts (docs/measurements/ranking.md).
COSINE_WEIGHT = 0.2
SHOWN = 5  # sentences of either kind in the guideline
COPIED = ("kinds", "pieces", "facets")  # of the present topic: its kinds of names, and what these need
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)])\s+")


@dataclass(frozen=True, slots=True)
class ByExamples:
    """What people write: `about` says what counts, `accepted` and `rejected` are sentences; `kinds`: whether it has the
    kinds of names of the present topic."""

    name: str = ""
    about: str = ""
    accepted: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    kinds: bool = False


def sentences_in(text: str) -> tuple[str, ...]:
    """The sentences of a text, one a line, each once, without bullets and numbers before them."""
    lines = (" ".join(_BULLET.sub("", line).split()) for line in text.splitlines())
    return tuple(dict.fromkeys(filter(None, lines)))


def text_of(given: ByExamples, present: Topic) -> str:
    """The text of the topic's file. Raises ValueError that says what is missing."""
    for what, words in (("a name", given.name), ("what counts", given.about)):
        if not words.strip():
            raise ValueError(f"Write {what}.")
    for which, sentences in (("count", given.accepted), ("do not count", given.rejected)):
        if len(sentences) < FEWEST_EXAMPLES:
            raise ValueError(f"Write at least {FEWEST_EXAMPLES} sentences that {which}; there are {len(sentences)}.")
    if both := [sentence for sentence in given.accepted if sentence in given.rejected]:
        raise ValueError(f"A sentence counts or does not; both lists have: {both[0]}")
    fields = read_yaml(present.text) if given.kinds else {}
    about = " ".join(given.about.split())
    written: dict[str, Any] = {
        "form": 1,
        "name": " ".join(given.name.split()),
        "about": about,
        "guideline": _guideline(about, given),
        "examples": {
            "accepted": [{"sentence": sentence} for sentence in given.accepted],
            "rejected": [{"sentence": sentence} for sentence in given.rejected],
        },
        **{name: fields[name] for name in COPIED if name in fields},
        "queries": {"generic": {"what counts": about}},
        "cosine": {"named": COSINE_WEIGHT, "fine_tuned": 1.0, "generic": COSINE_WEIGHT},
    }
    return str(yaml.safe_dump(written, sort_keys=False, allow_unicode=True, width=10**6))


def written_by_examples(topic: Topic) -> ByExamples | None:
    """What people typed to make this topic by examples; None where the topic holds more, such as patterns."""
    form = topic.file
    accepted, rejected = (
        tuple(one.sentence for one in part) for part in (form.examples.accepted, form.examples.rejected)
    )
    found = ByExamples(form.name, form.about, accepted, rejected, bool(form.kinds))
    try:
        again = read_topic(text_of(found, topic)).file
    except ValueError:
        return None
    # Another release may have weighed the cosine otherwise.
    return found if again.model_copy(update={"cosine": form.cosine}) == form else None


def _guideline(about: str, given: ByExamples) -> str:
    lists = ("These count:", _listed(given.accepted), "These do not count:", _listed(given.rejected))
    return "\n\n".join((f"**{about}**", *lists)) + "\n"


def _listed(sentences: Sequence[str]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences[:SHOWN])
