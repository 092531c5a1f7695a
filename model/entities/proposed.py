"""What an article edited, where and how, as proposals for a curator: ranked, with a probability and the sentences."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from math import exp, sqrt

from model.entities.edited import EditKind, edit_shares, find_edits, genes_in, sentence_weight
from model.entities.kinds import Mention
from model.entities.texts.symbols import with_shared_stem
from model.entity_types import EntityType
from model.names import fold_name

NEAR = 40  # characters between a name and a word for an edit
MOST = 5  # proposals of a kind
UNEDITED = 0.4  # at most the probability of a gene that no word for an edit stands near: it is for people to confirm
NEAR_WEIGHT, AT_EDIT_WEIGHT = 4.0, 16.0  # of an edit near a name, and of one at it; to be named at all weighs 1
# A symbol rather than a word or a whole name: it is what a label is written as.
_WRITTEN_SHORT = re.compile(r"[^\s]*[A-Z0-9][^\s]*")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A label that an article may bear: the name to show, identifiers, a probability from 0 to 1, and the positions of
    the sentences that it comes from, the best first."""

    kind: str
    name: str
    identifiers: tuple[str, ...]
    probability: float
    sentences: tuple[int, ...]


@dataclass
class _Places:
    """How often a name stands in the text, and how much edits say of it there."""

    number: int = 0
    weight: float = 0.0


@dataclass
class _Evidence:
    """The evidence on one name."""

    names: dict[str, _Places] = field(default_factory=lambda: defaultdict(_Places))
    identifiers: dict[str, int] = field(default_factory=dict)
    sums: list[float] = field(default_factory=list)
    sentences: dict[int, float] = field(default_factory=dict)
    edited: bool = False  # whether it stands near a word for an edit anywhere

    def add(
        self, name: str, identifiers: Iterable[str], sentence: int, weights: Sequence[float], *, edited: bool = True
    ) -> None:
        """Takes in one place of the name, with a weight for each way in which it speaks for a label."""
        self.names[name].number += 1
        self.names[name].weight += sum(weights[1:])
        self.edited |= edited
        for identifier in identifiers:
            self.identifiers[identifier] = self.identifiers.get(identifier, 0) + 1
        self.sums = [old + new for old, new in zip_longest(self.sums, weights, fillvalue=0.0)]
        self.sentences[sentence] = self.sentences.get(sentence, 0) + sum(weights)

    @property
    def score(self) -> float:
        """What speaks for it; the same again adds less, since an article names its measured genes most often."""
        return sum(sqrt(part) for part in self.sums)


def propose_labels(
    sentences: Sequence[str], mentions: Sequence[Sequence[Mention]], titles: int = 1
) -> dict[str, list[Proposal]]:
    """Proposals by kind (gene, cell, edit), the likeliest first, at most MOST of each.

    `mentions` are each sentence's, by offsets in it; the first `titles` sentences are the title.
    """
    genes = _genes(sentences, mentions, titles)
    return {"gene": _ranked("gene", genes), "cell": _ranked("cell", _cells(sentences, mentions, titles)), "edit": [
        Proposal("edit", str(kind), (), share, _sentences_of(kind, sentences))
        for kind, share in sorted(edit_shares(sentences, titles).items(), key=lambda pair: -pair[1])
    ]}  # fmt: skip


def _genes(sentences: Sequence[str], mentions: Sequence[Sequence[Mention]], titles: int) -> dict[str, _Evidence]:
    found: dict[str, _Evidence] = defaultdict(_Evidence)
    same = _same(
        (text[m.start : m.end], m.identifiers)
        for text, its in zip(sentences, mentions, strict=True)
        for m in its
        if m.type is EntityType.GENE
    )
    for number, (text, genes) in enumerate(zip(sentences, genes_in(sentences, mentions), strict=True)):
        acts = [(word.start, word.end) for word in find_edits(text) if word.kind is not EditKind.OE]
        # A title tells what was found ("acts by suppressing ..."): it names genes, and no word for an edit counts.
        weight = 0.0 if number < titles else sentence_weight(text)
        for gene in genes:
            near = min((max(a - gene.end, gene.start - b, 0) for a, b in acts), default=NEAR + 1) <= NEAR
            at_edit = AT_EDIT_WEIGHT * gene.trust * gene.at_edit
            weights = (gene.trust, NEAR_WEIGHT * gene.trust * near * weight, at_edit * weight)
            name = text[gene.start : gene.end]
            for known in (name, *with_shared_stem(text, gene.start, gene.end)):
                identifiers = gene.identifiers if known == name else ()
                evidence = found[same.get(fold_name(known), fold_name(known))]
                evidence.add(known, identifiers, number, weights, edited=near or gene.at_edit)
    return found


def _same(named: Iterable[tuple[str, tuple[str, ...]]]) -> dict[str, str]:
    """Folded names that share an identifier, by the first one of them."""
    first: dict[str, str] = {}
    found: dict[str, str] = {}
    for name, identifiers in named:
        folded = fold_name(name)
        leader = found.get(folded) or next((first[i] for i in identifiers if i in first), folded)
        found[folded] = leader
        for identifier in identifiers:
            first.setdefault(identifier, leader)
    return found


# In every article: no label.
_SAYS_NOTHING = re.compile(r"(?:cell|eukaryot\w+ cell|animal|native cell|patient|participant)s?", re.IGNORECASE)
_CELL_WEIGHTS = {EntityType.CELL_LINE: 2.0, EntityType.CELL_TYPE: 1.0, EntityType.ORGANISM: 0.8}


def _cells(sentences: Sequence[str], mentions: Sequence[Sequence[Mention]], titles: int) -> dict[str, _Evidence]:
    found: dict[str, _Evidence] = defaultdict(_Evidence)
    for number, (text, its) in enumerate(zip(sentences, mentions, strict=True)):
        acts = [(word.start, word.end) for word in find_edits(text)]
        weight = sentence_weight(text) * (2.0 if number < titles else 1.0)
        for m in its:
            if m.type in _CELL_WEIGHTS and not _SAYS_NOTHING.fullmatch(text[m.start : m.end]):
                near = bool(acts)
                name = text[m.start : m.end]
                key = m.identifiers[0] if m.identifiers else fold_name(name).rstrip("s")
                found[key].add(name, m.identifiers, number, (_CELL_WEIGHTS[m.type] * (1 + 1.5 * near * weight),))
    return found


def _ranked(kind: str, found: Mapping[str, _Evidence]) -> list[Proposal]:
    """The probability falls with the distance to the best: it is right in four of five articles (docs/entities.md)."""
    best = sorted(found.values(), key=lambda evidence: -evidence.score)[:MOST]
    if not best:
        return []
    top = best[0].score
    proposals = []
    for evidence in best:
        share = evidence.score / (top + 1)
        probability = 1 / (1 + exp(-(7 * share - 4.5)))
        if not evidence.edited:
            probability = min(probability, UNEDITED)
        # The name under which it is edited, else its most frequent name; a symbol before a whole name.
        name, _ = max(
            evidence.names.items(),
            key=lambda one: (bool(_WRITTEN_SHORT.fullmatch(one[0])), one[1].weight, one[1].number, len(one[0])),
        )
        identifiers = sorted(evidence.identifiers, key=lambda one: -evidence.identifiers[one])[:1]
        strongest = sorted(evidence.sentences, key=lambda at: -evidence.sentences[at])[:3]
        proposals.append(Proposal(kind, name, tuple(identifiers), probability, tuple(strongest)))
    return proposals


def _sentences_of(kind: EditKind, sentences: Sequence[str]) -> tuple[int, ...]:
    weights = {
        number: sum(word.weight for word in find_edits(text) if word.kind is kind)
        for number, text in enumerate(sentences)
    }
    return tuple(sorted((n for n in weights if weights[n]), key=lambda n: -weights[n])[:3])
