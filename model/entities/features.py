"""What the tagger sees of each token: its letters and shape, its neighbours, what the vocabularies say of it, and how
the rest of the document uses it.

Features that follow from one word stand as a group, whose weights a tagger sums once a word and place.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from model.entities.texts.tokens import Tokens

WINDOW = 3
_OFFSETS = (-3, -2, -1, 1, 2, 3)
_UPPER, _LOWER, _DIGIT = re.compile("[A-Z]"), re.compile("[a-z]"), re.compile(r"\d")
_REPEATED = re.compile(r"(.)\1+")
_INDICATORS = frozenset(
    "gene genes protein proteins mrna mrnas expression promoter transcript transcripts receptor receptors allele "
    "alleles polymorphism polymorphisms locus knockout deficient null mutant mutants mutation mutations antibody "
    "antibodies kinase encoding encodes phosphorylation overexpression inhibitor inhibitors siRNA shRNA signaling "
    "signalling activity levels variants cells cell line lines patients syndrome".lower().split()
)


# Of a word, how far it stands from the token, and the style: stands for all features that depend on nothing else.
Group = tuple[str, int, str]
Row = list[str | Group]


def features_of(sentences: Sequence[Tokens], marks: Sequence[Sequence[str]], style: str) -> list[list[Row]]:
    """The features of each token of each sentence of one document: names of features, and groups of such.

    `marks` are what the vocabularies say of each token ("" for nothing, else words apart by blanks); `style` is the
    corpus whose way of marking is learned or followed.
    """
    around = _neighbours(sentences)
    counts = Counter(word for tokens in sentences for word in tokens.words)
    return [_sentence(tokens, mark, style, around, counts) for tokens, mark in zip(sentences, marks, strict=True)]


def expanded(row: Row) -> list[str]:
    """The features of a row, with each group of features written out."""
    found: list[str] = []
    for feature in row:
        if isinstance(feature, str):
            found.append(feature)
        else:
            found += members(feature)
    return found


def members(group: Group) -> list[str]:
    """The features that a group stands for."""
    word, offset, style = group
    lower, short = word.lower(), _short_shape(word)
    if abs(offset) == WINDOW:
        return [f"{offset}l={lower}"]
    if offset:
        return [f"{offset}l={lower}", f"{offset}T={short}", f"{offset}e={lower[-3:]}"]
    own = [f"w={word}", f"l={lower}", f"S={_shape(word)}", f"T={short}", f"z={min(len(word), 12)}"]
    own += [f"p{size}={lower[:size]}" for size in (2, 3, 4) if len(lower) > size]
    own += [f"e{size}={lower[-size:]}" for size in (2, 3, 4, 5) if len(lower) > size]
    return [*own, f"s={style}", f"s{style}={short}", f"s{style}={lower}"]


def _sentence(
    tokens: Tokens,
    marks: Sequence[str],
    style: str,
    around: Mapping[str, frozenset[str]],
    counts: Mapping[str, int],
) -> list[Row]:
    words, size = tokens.words, len(tokens)
    lower = [word.lower() for word in words]
    wholes = _wholes(tokens)
    rows = []
    for at, word in enumerate(words):
        row: Row = [(word, 0, style)]
        row += [(words[at + offset], offset, "") for offset in _OFFSETS if 0 <= at + offset < size]
        if at:
            row.append(f"b={lower[at - 1]}_{lower[at]}")
        if at + 1 < size:
            row.append(f"n={lower[at]}_{lower[at + 1]}")
        row.append(f"W={wholes[at]}")
        row.append(f"glue{int(tokens.glued[at])}{int(at + 1 < size and tokens.glued[at + 1])}")
        for offset in (-1, 0, 1):
            place = at + offset
            if 0 <= place < size and marks[place]:
                row += [f"{offset}{mark}" for mark in marks[place].split()]
        row += [f"{style}~{mark}" for mark in marks[at].split()]
        if len(word) > 1 and not word.islower():
            row.append(f"c={min(counts[word], 4)}")
            row += [f"d={each}" for each in around.get(word, ())]
        rows.append(row)
    return rows


@lru_cache(maxsize=200_000)
def _shape(word: str) -> str:
    return _DIGIT.sub("0", _LOWER.sub("a", _UPPER.sub("A", word)))[:12]


@lru_cache(maxsize=200_000)
def _short_shape(word: str) -> str:
    return _REPEATED.sub(r"\1", _shape(word))


def _wholes(tokens: Tokens) -> list[str]:
    """The short shape of what stands between blanks around each token: A0 of the "p" in p53."""
    found: list[str] = []
    at = 0
    while at < len(tokens):
        end = at + 1
        while end < len(tokens) and tokens.glued[end]:
            end += 1
        found += [_short_shape("".join(tokens.words[at:end])[:20])] * (end - at)
        at = end
    return found


def _neighbours(sentences: Sequence[Tokens]) -> dict[str, frozenset[str]]:
    """By name-like word, the telling words that stand right before or after it anywhere in the document."""
    found: dict[str, set[str]] = {}
    for tokens in sentences:
        lower = [word.lower() for word in tokens.words]
        for at, word in enumerate(lower):
            if word in _INDICATORS:
                for place in range(max(0, at - 3), min(len(lower), at + 3)):
                    name = tokens.words[place]
                    if place != at and len(name) > 1 and not name.islower():
                        found.setdefault(name, set()).add(f"{'<' if place > at else '>'}{word}")
    return {word: frozenset(near) for word, near in found.items()}
