"""All of it together: from a text to its mentions with offsets and identifiers."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from model.entities import cells, gene_rules
from model.entities.features import features_of
from model.entities.gene_rules import CELLS_BEHIND
from model.entities.genes import GeneNormaliser, Organisms
from model.entities.kinds import Mention
from model.entities.lexicon import Lexicon
from model.entities.marking import Hit, hits_of, is_whole_word, longest, marks_of
from model.entities.memory import Memory
from model.entities.tagger import Tagger, spans_of
from model.entities.texts.media import media_in
from model.entities.texts.spelling import NOT_GENES, is_plain_word
from model.entities.texts.tokens import Tokens, sentences_of
from model.entity_types import EntityType
from model.names import fold, fold_name

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
        places = [m.span() for m in re.finditer(re.escape(name), text) if is_whole_word(text, *m.span())]
        if len(known) < ENOUGH * len(places):
            continue
        taken = {(m.start, m.end) for m in known}
        probability = fmean(m.probability for m in known)
        found += [Mention(a, b, known[0].type, (), probability) for a, b in places if (a, b) not in taken]
    return found


ALL_TYPES = tuple(EntityType)


@dataclass(frozen=True, slots=True)
class Taught:
    """What corpora taught: a tagger for some types, the style in which each reads, and the memory of names."""

    taggers: Mapping[EntityType, Tagger] = field(default_factory=dict)
    styles: Mapping[EntityType, str] = field(default_factory=dict)
    memory: Memory = field(default_factory=Memory)


UNTAUGHT = Taught()


class Recogniser:
    """Finds and identifies entities. Holds the lexicons and taggers, is made once and never changed."""

    def __init__(self, lexicons: Mapping[EntityType, Lexicon], taught: Taught = UNTAUGHT) -> None:
        self._lexicons = dict(lexicons)
        self._taught = taught
        gene = self._lexicons.get(EntityType.GENE)
        self._genes = GeneNormaliser(gene, taught.memory) if gene is not None else None

    def recognise(self, text: str, title_end: int = 0, types: Collection[EntityType] = ALL_TYPES) -> list[Mention]:
        """The mentions of these types in a text, in order; mentions of one type do not overlap.

        `title_end` is where the title ends, 0 without one: an organism of the title weighs more.
        """
        folded = fold(text)
        hits = {kind: hits_of(text, folded, lexicon, kind) for kind, lexicon in self._lexicons.items()}
        tagged = self._tagged(text, hits, types)
        found = {
            kind: tagged[kind] if kind in tagged else self._by_rules(text, kind, hits)
            for kind in EntityType
            if kind in types or kind is EntityType.ORGANISM
        }
        media = media_in(text)
        found = {
            kind: [m for m in its if not any(a <= m.start and m.end <= b for a, b in media)]
            for kind, its in found.items()
        }
        organisms = [self._organism(text, mention) for mention in found[EntityType.ORGANISM]]
        known = Organisms(text, [(m.start, m.identifiers[0]) for m in organisms if m.identifiers], title_end)
        mentions = organisms if EntityType.ORGANISM in types else []
        shares = known.shares({"9606", "10090"}, {})
        for kind in (EntityType.CELL_LINE, EntityType.CELL_TYPE):
            mentions += [self._cell(text, mention, shares) for mention in found.get(kind, ())]
        genes = found.get(EntityType.GENE, [])
        if self._genes is not None:
            named = self._genes.identify(text, [(m.start, m.end) for m in genes], known)
            genes = [replace(m, identifiers=names) for m, names in zip(genes, named, strict=True)]
        mentions += genes
        return sorted(mentions, key=lambda mention: (mention.start, mention.end))

    def _tagged(
        self, text: str, hits: Mapping[EntityType, Sequence[Hit]], types: Collection[EntityType]
    ) -> dict[EntityType, list[Mention]]:
        taggers = {
            kind: tagger
            for kind, tagger in self._taught.taggers.items()
            if kind in types or kind is EntityType.ORGANISM
        }
        if not taggers:
            return {}
        sentences = sentences_of(text)
        marks = marks_of(sentences, hits)
        found: dict[EntityType, list[Mention]] = {kind: [] for kind in taggers}
        for style in {self._taught.styles[kind] for kind in taggers}:
            features = features_of(sentences, marks, style)
            for kind in (kind for kind in taggers if self._taught.styles[kind] == style):
                for tokens, (labels, inside) in zip(sentences, taggers[kind].tag(features), strict=True):
                    found[kind] += _mentions(tokens, labels, inside, kind)
        if EntityType.GENE in found:
            genes = [part for mention in found[EntityType.GENE] for part in parted(text, mention)]
            found[EntityType.GENE] = _united(genes, repeated(text, genes))
        if EntityType.ORGANISM in found:
            # What is no common noun is an organism for every tagger: Xenopus, rhesus monkeys. "patient" and "yeast" are
            # left to the tagger (BioRED, development part: identifiers .976 against .961).
            named = self._by_rules(text, EntityType.ORGANISM, hits)
            proper = [m for m in named if text[m.start].isupper() or " " in text[m.start : m.end]]
            found[EntityType.ORGANISM] = _united(found[EntityType.ORGANISM], proper)
        return found

    def _by_rules(self, text: str, kind: EntityType, hits: Mapping[EntityType, Sequence[Hit]]) -> list[Mention]:
        found = hits.get(kind, ())
        if kind is EntityType.GENE and found:
            found = gene_rules.meant(text, found, self._lexicons[kind])
        elif kind is EntityType.CELL_LINE:
            genes = {(hit.start, hit.end) for hit in hits.get(EntityType.GENE, ())}
            found = [hit for hit in found if _may_be_line(text, hit, (hit.start, hit.end) in genes)]
        return [Mention(hit.start, hit.end, kind) for hit in longest(found)]

    def _organism(self, text: str, mention: Mention) -> Mention:
        written = text[mention.start : mention.end]
        folded = fold_name(written)
        learned = self._taught.memory.of_name(EntityType.ORGANISM, folded)
        lexicon = self._lexicons.get(EntityType.ORGANISM)
        key = lexicon.key_of(folded) if lexicon is not None else None
        if key is None and lexicon is not None and folded.endswith("s"):
            key = lexicon.key_of(folded[:-1])
        if lexicon is not None and key is not None and (names := lexicon.names(key)):
            best = min(names, key=lambda name: (name.rank, name.row))
            return replace(mention, identifiers=(lexicon.identifier(best.row),))
        return replace(mention, identifiers=tuple(name for name, _ in learned.most_common(1)))

    def _cell(self, text: str, mention: Mention, shares: Mapping[str, float]) -> Mention:
        lexicon = self._lexicons.get(mention.type)
        if lexicon is None:
            return mention
        written = text[mention.start : mention.end]
        identifier = cells.identify(written, mention.type, lexicon, self._taught.memory, shares)
        return replace(mention, identifiers=(identifier,) if identifier else ())


def _mentions(tokens: Tokens, labels: Sequence[str], inside: NDArray[np.float64], kind: EntityType) -> list[Mention]:
    return [
        Mention(tokens.starts[first], tokens.ends[last - 1], kind, (), float(inside[first:last].min()))
        for first, last, name in spans_of(labels)
        if name == kind
    ]


def _united(tagged: Sequence[Mention], named: Sequence[Mention]) -> list[Mention]:
    """The tagged mentions, and the named ones that overlap none of them; in order."""
    more = [m for m in named if all(m.end <= other.start or other.end <= m.start for other in tagged)]
    return sorted([*tagged, *more], key=lambda mention: mention.start)


def _may_be_line(text: str, hit: Hit, is_gene: bool) -> bool:
    """Whether a hit may be a cell line. A short name, a number, a word, or a gene's name is one only before "cells"."""
    written = text[hit.start : hit.end]
    unsure = is_gene or len(written) < 4 or is_plain_word(written) or written.isdigit() or hit.agreement < 2
    letters = sum(letter.isalpha() for letter in written)
    unsure = unsure or letters == len(written) or written in NOT_GENES
    return not unsure or CELLS_BEHIND.match(text, hit.end) is not None
