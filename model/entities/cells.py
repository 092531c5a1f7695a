"""Which cell line or cell type a name means."""

import re
from collections.abc import Iterator, Mapping

from model.entities.lexicon import Lexicon
from model.entities.memory import Memory
from model.entities.texts.spelling import agreement
from model.entity_types import EntityType
from model.names import fold_name

_CELLS = re.compile(r"[\s-]+(?:cells?(?:[\s-]+lines?)?|lines?|clones?)$", re.IGNORECASE)
_SOURCE = re.compile(r"^(?:human|mouse|murine|rat|primary|cultured|wild[- ]type|WT|parental|h|m)[\s-]+", re.IGNORECASE)
_PIECE = re.compile(r"[\s/_-]+[^\s/_-]+$")
_FIRST_PIECE = re.compile(r"^[^\s/_-]+[\s/_-]+")


def variants(written: str) -> Iterator[str]:
    """How else a cell's name may be looked up, the best first: without "cells", its organism, its plural, a tail."""
    yield written
    bare = _SOURCE.sub("", _CELLS.sub("", written))
    if bare != written:
        yield bare
    if len(bare) > 3 and bare.endswith("s"):
        yield bare[:-1]
    yield f"{bare} cell"
    for shorter in (_PIECE.sub("", bare), _FIRST_PIECE.sub("", bare)):
        if shorter != bare and len(shorter) > 2:
            yield shorter


def identify(
    written: str, kind: EntityType, lexicon: Lexicon, memory: Memory, shares: Mapping[str, float]
) -> str | None:
    """The identifier of a cell's name; None where nothing is called so.

    What corpora taught wins; then the spelling, the official name, the organisms of the text (`shares`, 0 to 1), and of
    equals the accession that was given first.
    """
    for variant in variants(written):
        folded = fold_name(variant)
        if learned := memory.of_name(kind, folded):
            return learned.most_common(1)[0][0]
        key = lexicon.key_of(folded)
        if key is not None:
            scored = []
            for name in lexicon.names(key):
                entry = lexicon.entry(name.row)
                fit = agreement(variant, name.spelling) - name.rank + 2 * shares.get(entry.organism, 0)
                scored.append((-fit, len(entry.identifier), entry.identifier))
            if scored:
                return min(scored)[2]
    return None
