"""Where the names of the vocabularies stand in a text, and what that says of each token."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from model.entities.lexicon import Lexicon
from model.entities.texts.spelling import Agreement, agreement, is_plain_word, is_short
from model.entities.texts.tokens import Tokens
from model.entity_types import EntityType
from model.names import Folded

_LETTER = {EntityType.GENE: "g", EntityType.CELL_LINE: "l", EntityType.CELL_TYPE: "t", EntityType.ORGANISM: "o"}
# What may be glued to a name behind it: TP53KO, p53null, MEFs.
_BEHIND = re.compile(r"(?:KO|KI|KD|null|fl|s)(?![a-z0-9])")
# What may be glued to it before: siTP53, shTP53, ΔF508, hTERT.
_BEFORE = re.compile(r"(?:si|sh|sg|[hmrΔ])$")
# Two words in capitals before a place, or behind it: a title in capitals, as symbols of a list have commas between
# them. So is a word before a colon: PATIENTS: three of them.
_CAPITALS_BEFORE = re.compile(r"(?<![^\s(])(?:[A-Z]{2,}\s+){2}$")
_CAPITALS_BEHIND = re.compile(r":|(?:\s+[A-Z]{2,}\b){2}")
_NEAR = 60  # characters in which two such words are looked for


@dataclass(frozen=True, slots=True)
class Hit:
    """A name of a vocabulary in a text: offsets, number in the lexicon, agreement, rank and how many bear it."""

    start: int
    end: int
    key: int
    agreement: Agreement
    rank: int
    entries: int


def hits_of(text: str, folded: Folded, lexicon: Lexicon, kind: EntityType) -> list[Hit]:
    """The names of a lexicon that stand in a text as whole words and in a case that can be meant, in order."""
    found = []
    for start, end, key in lexicon.find(folded):
        written = text[start:end]
        too_plain = len(written) < 4 and is_plain_word(written)
        if not is_whole_word(text, start, end) or (kind is not EntityType.ORGANISM and too_plain):
            continue
        names = lexicon.names(key)
        # A common noun in capitals is a symbol, but in a title in capitals.
        noun = kind is EntityType.ORGANISM and all(name.spelling.islower() for name in names)
        if noun and written.isupper() and not _among_capitals(text, start, end):
            continue
        agrees, rank = max((agreement(written, name.spelling), -name.rank) for name in names)
        if kind is EntityType.GENE and agrees is Agreement.FOLDED and is_short(written):
            continue
        found.append(Hit(start, end, key, agrees, -rank, len(names)))
    return sorted(found, key=lambda hit: (hit.start, -hit.end))


def _among_capitals(text: str, start: int, end: int) -> bool:
    before = _CAPITALS_BEFORE.search(text, max(0, start - _NEAR), start)
    return before is not None or _CAPITALS_BEHIND.match(text, end) is not None


def longest(hits: Iterable[Hit]) -> list[Hit]:
    """Of hits that overlap the longest, of equally long ones the first; in order."""
    taken: list[Hit] = []
    occupied: set[int] = set()
    for hit in sorted(hits, key=lambda hit: (hit.start - hit.end, hit.start)):
        places = range(hit.start, hit.end)
        if occupied.isdisjoint(places):
            occupied.update(places)
            taken.append(hit)
    return sorted(taken, key=lambda hit: hit.start)


def marks_of(sentences: Sequence[Tokens], hits: Mapping[EntityType, Sequence[Hit]]) -> list[list[str]]:
    """What the vocabularies say of each token, for the tagger: kind, agreement, rank and place within the name."""
    marks: dict[int, str] = {}
    for kind, found in hits.items():
        letter = _LETTER[kind]
        for hit in longest(found):
            word = f"{letter}{int(hit.agreement)}{hit.rank}{'m' if hit.entries > 3 else ''}"
            for place in range(hit.start, hit.end):
                begins = "B" if place == hit.start else "I"
                marks[place] = f"{marks.get(place, '')} {begins}{word} {begins}{letter}"
    return [[marks.get(start, "").strip() for start in tokens.starts] for tokens in sentences]


def is_whole_word(text: str, start: int, end: int) -> bool:
    """True for a whole word, but for what may be glued to a name: siTP53, TP53KO."""
    if start and text[start - 1].isalnum() and not _BEFORE.search(text, max(0, start - 2), start):
        return False
    return end == len(text) or not text[end].isalnum() or _BEHIND.match(text, end) is not None
