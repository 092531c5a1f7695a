"""What ABS can write: words and MeSH terms of a corpus, and the symbols that begin and end each facet."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from model.finding.pseudo_queries import WORDS

PADDING, UNKNOWN = "<padding>", "<unknown>"
_CODE = re.compile(r"^([DC]\d{6,9}):")
MESH = "mesh"  # the facet whose words are MeSH terms
MESH_PREFIX = "mesh_"


def mesh_word(term: str) -> str:
    """A MeSH term as one word: its code where the text has one ("D000123:Name" becomes mesh_d000123), else its name."""
    code = _CODE.match(term)
    return MESH_PREFIX + (code[1] if code else re.sub(r"\W+", "_", term.strip())).lower()


def mesh_name(term: str) -> str:
    """A MeSH term without its code."""
    return _CODE.sub("", term)


def begin_of(facet: str) -> str:
    """The symbol that tells the decoder which facet to write."""
    return f"<{facet}>"


def end_of(facet: str) -> str:
    """The symbol with which a facet ends."""
    return f"</{facet}>"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words by number: padding, unknown, begin and end of each facet, then the words."""

    facets: tuple[str, ...]
    words: tuple[str, ...]
    numbers: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbers", {word: number for number, word in enumerate([*self.symbols, *self.words])})

    @property
    def symbols(self) -> tuple[str, ...]:
        """The tokens that are no words: padding, unknown, and the begin and end of each facet."""
        return (PADDING, UNKNOWN, *(mark(facet) for facet in self.facets for mark in (begin_of, end_of)))

    def __len__(self) -> int:
        return len(self.symbols) + len(self.words)

    def written(self, facet: str, words: Sequence[str]) -> list[int]:
        """Begin symbol, the words that it has, end symbol."""
        known = [self.numbers[word] for word in words if word in self.numbers]
        return [self.numbers[begin_of(facet)], *known, self.numbers[end_of(facet)]]

    def read(self, numbers: Iterable[int]) -> list[str]:
        """The distinct words behind numbers, in order, symbols left out."""
        first = len(self.symbols)
        return list(dict.fromkeys(self.words[number - first] for number in numbers if number >= first))


def vocabulary_of(
    facets: Sequence[str], texts: Iterable[str], mesh: Iterable[str], most: int, least: int = 2
) -> Vocabulary:
    """The most frequent words of texts and MeSH words, at most `most` together, each at least `least` times there."""
    counts = Counter(word for text in texts for word in WORDS.findall(text.lower()))
    counts.update(mesh)
    chosen = [word for word, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])) if count >= least]
    return Vocabulary(tuple(facets), tuple(chosen[:most]))
