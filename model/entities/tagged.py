"""What a tagger found, put right: names cut at a bracket, and symbols that it found in one place and not in another."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from model.entities.kinds import Mention
from model.entities.marking import stands_alone

_SYMBOL = re.compile(r"(?=\S*[A-Z0-9])\S{2,}")
_NO_BRACKET = re.compile(r"[^\s()](?:[^()]*[^\s()])?")
ENOUGH = 0.5  # of the places of a name that a tagger must have found, for the others to be taken, too


def parted(text: str, mention: Mention) -> list[Mention]:
    """A mention that holds one bracket of a pair is two names: "cytochrome P450 (CYP" of "cytochrome P450 (CYP)"."""
    written = text[mention.start : mention.end]
    if written.count("(") == written.count(")"):
        return [mention]
    parts = [(mention.start + part.start(), mention.start + part.end()) for part in _NO_BRACKET.finditer(written)]
    return [replace(mention, start=start, end=end) for start, end in parts if end - start > 1]


def repeated(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """The places where a symbol stands that was recognised elsewhere in the text, without those known: a text means
    one thing by a name (Gale 1992). May overlap other mentions.

    Words and long names are left to the tagger: "raptor" may be a bird in one place, and TP53 is none.
    """
    by_name: dict[str, list[Mention]] = defaultdict(list)
    for mention in mentions:
        by_name[text[mention.start : mention.end]].append(mention)
    found = []
    for name, known in by_name.items():
        if not _SYMBOL.fullmatch(name):
            continue
        places = [m.span() for m in re.finditer(re.escape(name), text) if stands_alone(text, *m.span())]
        if len(known) < ENOUGH * len(places):
            continue
        taken = {(m.start, m.end) for m in known}
        probability = fmean(m.probability for m in known)
        found += [Mention(a, b, known[0].type, (), probability) for a, b in places if (a, b) not in taken]
    return found
