"""What an article edited, where and how, as proposals for a curator: ranked, with a probability and the sentences."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from math import exp, sqrt

from model.entities.edits import EditKind, edit_shares, find_edits, sentence_weight
from model.entities.kinds import EntityType, Mention
from model.entities.texts.symbols import end_of_list, is_product, symbols_in, whole_symbol, with_shared_stem
from model.names import fold_name

NEAR = 40  # characters between a name and a word for an edit
MOST = 5  # proposals of a kind
NEAR_WEIGHT, BESIDE_WEIGHT = 4.0, 16.0  # of an edit near a name, and of one at it; to be named at all weighs 1
_GENOTYPE = re.compile(r"\s?[\[(]?(?:[-−–]\s?/\s?[-−–+]|fl(?:ox)?/fl|\+/[-−–])")
_ACT_BEHIND = re.compile(
    r"[\s\-−–]*(?:gene|locus|double|homozygous|mouse|mice|cell)?[\s\-−–]*"
    r"(?:knock|KO\b|KI\b|KD\b|null|deficien|mutant|delet|disrupt|silenc|edit|ablat|deplet|depriv|s[ih]RNA"
    r"|down-?regulat|RNAi\b|RNA interference)", re.IGNORECASE,
)  # fmt: skip
_ACT_BEFORE = re.compile(
    r"(?:knock\w*[\s\-−–]?(?:out|in|down)s?|delet\w+|disrupt\w+|ablat\w+|silenc\w+|edit\w+|deplet\w+|inactivat\w+|target\w+"
    r"|down-?regulat\w+|suppress\w+|interfer\w+|loss|mutation\w*|KO|KD|KI|lack\w*|absence|\b(?:si|sh|ds)RNAs?|morpholinos?"
    r"|RNAi|RNA interference(?:\s\(RNAi\))?)\s+"
    r"(?:of|in|at|on|with|against|targeting|for)?\s*(?:the|both|its|endogenous)?\s*(?:expression of\s+)?"
    r"(?:human|mouse)?\s*"
    r"(?:gene|locus|lncRNA|circRNA)?\s*$|(?:^|[\s(])(?:si|sh|sg|ds)[-\s]?$", re.IGNORECASE,
)  # fmt: skip
# Between names that were edited together: A and B, A, B and C, A/B.
_TOGETHER = re.compile(r"\s*(?:\([^()]{1,40}\)|(?:[-−–]\s?/\s?[-−–]))?\s*(?:,\s*and|,|/|and|&|or)\s*(?:the\s)?")
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
class _Evidence:
    """What was seen of one name."""

    names: dict[str, float] = field(default_factory=dict)
    identifiers: dict[str, int] = field(default_factory=dict)
    sums: list[float] = field(default_factory=list)
    sentences: dict[int, float] = field(default_factory=dict)

    def add(self, name: str, identifiers: Iterable[str], sentence: int, weights: Sequence[float]) -> None:
        """Takes in one place of the name, with a weight for each way in which it speaks for a label."""
        self.names[name] = self.names.get(name, 0) + 1
        for identifier in identifiers:
            self.identifiers[identifier] = self.identifiers.get(identifier, 0) + 1
        self.sums = [old + new for old, new in zip_longest(self.sums, weights, fillvalue=0.0)]
        self.sentences[sentence] = self.sentences.get(sentence, 0) + sum(weights)

    @property
    def score(self) -> float:
        """What speaks for it, where saying the same again adds less: what an article measures is named more often
        than what it edited."""
        return sum(sqrt(part) for part in self.sums)


def propose_labels(
    sentences: Sequence[str], mentions: Sequence[Sequence[Mention]], titles: int = 1
) -> dict[str, list[Proposal]]:
    """Proposals by kind (gene, cell, edit), the likeliest first, at most MOST of each.

    `mentions` are those of each sentence, by offsets in it; the first `titles` sentences are the title.
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
    for number, (text, its) in enumerate(zip(sentences, mentions, strict=True)):
        words = find_edits(text)
        acts = [(word.start, word.end) for word in words if word.kind is not EditKind.OE]
        # A title tells what was found ("acts by suppressing ..."): it names genes, and no word for an edit counts.
        weight = 0.0 if number < titles else sentence_weight(text)
        spans = [span for span in _spans(text, its) if not any(w.start <= span[0] and span[1] <= w.end for w in words)]
        for (start, end, identifiers, trust), beside in zip(spans, _all_beside(text, spans), strict=True):
            near = min((max(a - end, start - b, 0) for a, b in acts), default=NEAR + 1) <= NEAR
            weights = (trust, NEAR_WEIGHT * trust * near * weight, BESIDE_WEIGHT * trust * beside * weight)
            name = text[start:end]
            found[same.get(fold_name(name), fold_name(name))].add(name, identifiers, number, weights)
            for other in with_shared_stem(text, start, end):
                found[fold_name(other)].add(other, (), number, weights)
    return found


_Span = tuple[int, int, tuple[str, ...], float]


def _spans(text: str, mentions: Sequence[Mention]) -> list[_Span]:
    """What may be a gene in a sentence, in order: half-open offsets, identifiers, and how far it is believed."""
    spans: list[_Span] = []
    for m in mentions:
        if m.type is EntityType.GENE:
            start, end, same = whole_symbol(text, m.start, m.end)
            spans.append((start, end, m.identifiers if same else (), 1.0))
    taken = [(m.start, m.end) for m in mentions if m.type is not EntityType.ORGANISM]
    taken += [(start, end) for start, end, *_ in spans]
    for start, end in symbols_in(text):
        if all(end <= a or b <= start for a, b in taken):
            if is_product(text[start:end]):
                spans.append((start, end, (), 1.0))
            elif _beside(text, start, end) > 0:
                spans.append((start, end, (), 0.5))
    return sorted(spans)


def _all_beside(text: str, spans: Sequence[_Span]) -> list[float]:
    """`_beside` of each span; names that stand in one list share the greatest."""
    found = [_beside(text, start, end) for start, end, *_ in spans]
    for order in (range(1, len(spans)), range(len(spans) - 1, 0, -1)):
        for at in order:
            if _TOGETHER.fullmatch(text[spans[at - 1][1] : spans[at][0]]):
                found[at] = found[at - 1] = max(found[at], found[at - 1])
    return found


def _beside(text: str, start: int, end: int) -> float:
    """How plainly the name is what was edited: by a genotype glued to it, or the act right behind or before it."""
    behind = end_of_list(text, start, end)
    if _GENOTYPE.match(text, behind):
        return 1.0
    return float(bool(_ACT_BEHIND.match(text, behind)) or bool(_ACT_BEFORE.search(text[max(0, start - 60) : start])))


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
        name = _shown(evidence.names)
        identifiers = sorted(evidence.identifiers, key=lambda one: -evidence.identifiers[one])[:1]
        told = sorted(evidence.sentences, key=lambda at: -evidence.sentences[at])[:3]
        proposals.append(Proposal(kind, name, tuple(identifiers), probability, tuple(told)))
    return proposals


def _shown(names: Mapping[str, float]) -> str:
    """What it is called most often, a symbol before a whole name."""
    return max(names, key=lambda name: (bool(_WRITTEN_SHORT.fullmatch(name)), names[name], len(name)))


def _sentences_of(kind: EditKind, sentences: Sequence[str]) -> tuple[int, ...]:
    weights = {
        number: sum(word.weight for word in find_edits(text) if word.kind is kind)
        for number, text in enumerate(sentences)
    }
    return tuple(sorted((n for n in weights if weights[n]), key=lambda n: -weights[n])[:3])
