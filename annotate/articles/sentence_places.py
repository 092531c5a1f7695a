"""Where in its article a sentence stands: the part that its section belongs to, and the tenth of the text."""

import re
from collections.abc import Sequence

import numpy as np

from annotate.articles.document import SectionKind

PARTS = ("abstract", "introduction", "methods", "results", "discussion", "other")
DECILES = tuple(f"{10 * i}–{10 * i + 10}" for i in range(10))  # percent of its sentences
_TITLES = {
    "introduction": r"introduction|background",
    "methods": r"methods?\b|materials|procedures?\b|protocols?\b|experimental (?:section|design|model)|methodology",
    "results": r"results?\b|findings?\b",
    "discussion": r"discussion|conclusions?\b|concluding",
}
_TITLE = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _TITLES.items()), re.IGNORECASE)


def part_of(kind: str, titles: Sequence[str]) -> str:
    """Which of PARTS a section is, from its kind and the titles around it, outermost first.

    The first title that says counts: "Cell culture" within "Methods" is methods, "Results and Discussion" results.
    """
    if kind == SectionKind.ABSTRACT:
        return "abstract"
    if kind != SectionKind.BODY:
        return "other"
    for title in titles:
        if found := _TITLE.search(title):
            return str(found.lastgroup)
    return "other"


def deciles(count: int) -> np.ndarray:
    """The tenth of the article, 0 to 9, in which each of its sentences stands; shape (count,)."""
    return np.arange(count) * 10 // max(count, 1)
