"""The words for edits of a text, and its genes: one answer for proposed labels and for the colours in the text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from model.entities.kinds import Mention
from model.entities.texts.spelling import NOT_GENES
from model.entities.texts.symbols import end_of_list, is_product, symbols_in, whole_symbol
from model.entity_types import EntityType

_D = "[\\s\\-\u2010-\u2015\u2212]?"


class EditKind(StrEnum):
    """The kind of edit of a gene. Base editing, tags and corrected mutations are knock-ins: a sequence was written."""

    KO = "KO"
    KI = "KI"
    KD = "KD"
    OE = "OE"


@dataclass(frozen=True, slots=True)
class EditWord:
    """A word for an edit: half-open offsets, the kind, and how much it says (rare and plain words say more)."""

    start: int
    end: int
    kind: EditKind
    weight: float


# By kind, (weight, words). "Mutant" and "deletion" stand in texts on knock-ins, too, and say little. A knock-down often
# only confirms what a knock-out showed, so that the plain word for the latter says more.
_WORDS: dict[EditKind, tuple[tuple[float, str], ...]] = {
    EditKind.KO: (
        (2.5, rf"(?i:knock(?:ed|ing|s)?{_D}outs?|\bnull\b)|\b[cd]?KOs?\b|\b\w{1,40}KO\b|[-−–]/[-−–]"),
        (1.2, r"(?i:loss[- ]of[- ]function|frame-?shift\w*|ablat\w+|disrupt(?:ed|ion|ing)|inactivat\w+|deficien\w+)"),
        (1.0, r"(?i:\bdelet(?:ed|ions?|ing|e)\b|\black(?:s|ing|ed)?\b|haploinsufficien\w+|premature stop|\bindels?\b)"),
        (0.6, rf"(?i:gene{_D}edit(?:ed|ing)|genome{_D}edit(?:ed|ing)|crispr|cas9|talens?|\bedited\b|mutagenesis)"),
        (0.2, r"(?i:\bmutants?\b)"),
    ),
    EditKind.KI: (
        (3.5, rf"(?i:knock(?:ed|ing|s)?{_D}ins?\b)|\bKIs?\b"),
        (2.5, r"(?i:homology[- ]directed|homologous recombination|donor (?:template|dna|plasmid)|ssodns?)|\bHDR\b"),
        (2.5, r"(?i:(?:base|prime)[- ]edit\w*|gene correction)"),
        (2.5, r"(?i:correct(?:ed|ing|ion of) (?:the|this|a) \w*\s?(?:mutation|variant))"),
        (2.5, r"(?i:isogenic|point[- ]mutation|single[- ]nucleotide (?:change|substitution))"),
        (2.0, r"(?i:(?:endogenous|fluorescent|epitope|[cn]-terminal)(?:ly)?[- ]tag\w*|reporter (?:cell )?line)"),
        (1.5, r"(?i:\binsert(?:ed|ion|ing)\b|substitut\w+|missense|patient[- ]specific|precise|humani[sz]ed)"),
        (1.0, r"(?i:\bintroduc\w+)"),
    ),
    EditKind.KD: (
        (1.8, rf"(?i:knock(?:ed|ing|s)?{_D}downs?\b)|\bKDs?\b|\b\w{1,40}KD\b"),
        (1.4, r"(?i:(?:si|sh)rnas?|rna interference|morpholinos?|antisense|dsrna|dcas9-krab)|\bRNAi\b|CRISPRi\b"),
        (1.2, r"(?i:silenc\w+|\bsi-\w+|\bsh-\w+|deplet\w+|down-?regulat\w+ (?:of|by))"),
    ),
    EditKind.OE: (
        (1.0, rf"(?i:over{_D}expres\w+|ectopic(?:ally)? expres\w+|gain[- ]of[- ]function|transgenic)|CRISPRa\b"),
    ),
}  # fmt: skip
_PATTERNS = [(kind, weight, re.compile(words)) for kind, ranked in _WORDS.items() for weight, words in ranked]
# A changed amino acid is a knock-in where the genome was edited so, else a plasmid: S316A next to CRISPR.
_CHANGE = re.compile(
    r"(?<![A-Z])[ACDEFGHIKLMNPQRSTVWY]\d{2,4}[ACDEFGHIKLMNPQRSTVWYX*](?![a-z])|\bp\.\(?[A-Z][a-z]{2}\d+"
)
_EDITED = re.compile(
    r"crispr|cas9|talen|genom\w+[- ]edit|gene[- ]edit|mouse model|mice|homozygous|heterozygous", re.IGNORECASE
)
_CHANGE_WEIGHT = 3.0
_OWN_WORK = re.compile(
    r"\b(?:we|here|our|this study|the present study|was generated|were generated|is reported|was used)\b", re.IGNORECASE
)
_EARLIER = re.compile(r"\b(?:previous|previously|known|reported by|have shown|has been shown)\b", re.IGNORECASE)
_SCREEN = re.compile(r"\b(?:genome-wide|screen(?:s|ing)?|library|libraries)\b", re.IGNORECASE)


def find_edits(text: str) -> list[EditWord]:
    """The words for edits of a text, in order; of those that overlap the one that says most."""
    found = [
        EditWord(*match.span(), kind, weight) for kind, weight, pattern in _PATTERNS for match in pattern.finditer(text)
    ]
    if _EDITED.search(text):
        found += [EditWord(*match.span(), EditKind.KI, _CHANGE_WEIGHT) for match in _CHANGE.finditer(text)]
    taken: list[EditWord] = []
    for word in sorted(found, key=lambda word: (-word.weight, word.start)):
        if all(word.end <= other.start or other.end <= word.start for other in taken):
            taken.append(word)
    return sorted(taken, key=lambda word: word.start)


def sentence_weight(text: str) -> float:
    """How much a sentence says of what this article did: own work more, earlier work less."""
    weight = 1.0
    if _OWN_WORK.search(text):
        weight *= 1.5
    if _EARLIER.search(text):
        weight *= 0.5
    if _SCREEN.search(text):
        weight *= 0.3  # of many genes, to find the one that the article is about
    return weight


def edit_shares(sentences: Sequence[str], titles: int) -> dict[EditKind, float]:
    """The share of each kind in a text's words on edits, from 0 to 1 in all; empty without any.

    The first `titles` sentences are the title, which says half as much. A word said once more in a sentence adds
    nothing.
    """
    sums: dict[EditKind, float] = {}
    for number, sentence in enumerate(sentences):
        weights: dict[EditKind, float] = {}
        for word in find_edits(sentence):
            weights[word.kind] = max(weights.get(word.kind, 0), word.weight)
        for kind, weight in weights.items():
            sums[kind] = sums.get(kind, 0) + weight * sentence_weight(sentence) * (0.5 if number < titles else 1.0)
    total = sum(sums.values())
    return {kind: weight / total for kind, weight in sums.items()} if total else {}


SHAPED = 0.5  # trust in a name that no vocabulary holds: shaped like a symbol, next to an edit
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
_BEFORE = 60  # characters in which the act before a name is looked for
# Between names that were edited together: A and B, A, B and C, A/B.
_TOGETHER = re.compile(r"\s*(?:\([^()]{1,40}\)|(?:[-−–]\s?/\s?[-−–]))?\s*(?:,\s*and|,|/|and|&|or)\s*(?:the\s)?")


@dataclass(frozen=True, slots=True, order=True)
class GeneSpan:
    """A gene in a sentence: half-open offsets, identifiers, how sure the recogniser is, how far it is believed, and
    whether it stands right at an edit. All but offsets and identifiers are from 0 to 1."""

    start: int
    end: int
    identifiers: tuple[str, ...] = ()
    probability: float = 1.0
    trust: float = 1.0
    at_edit: bool = False


def genes_in(sentences: Sequence[str], mentions: Sequence[Sequence[Mention]]) -> list[list[GeneSpan]]:
    """The genes of each sentence, in order: those among its mentions, with affixes of their names, and symbols that no
    vocabulary holds: such as stand right at an edit anywhere in these sentences, and products of genes.

    `mentions`: of each sentence, by offsets in the sentence.
    """
    named = [_named(text, its) for text, its in zip(sentences, mentions, strict=True)]
    shaped = [_shaped(text, its, own) for text, its, own in zip(sentences, mentions, named, strict=True)]
    edited = {
        text[span.start : span.end]
        for text, spans in zip(sentences, shaped, strict=True)
        for span in spans
        if span.trust == 1 or _is_at_edit(text, span)
    }
    return [
        _in_order(text, [*own, *(span for span in spans if text[span.start : span.end] in edited)])
        for text, own, spans in zip(sentences, named, shaped, strict=True)
    ]


def _named(text: str, mentions: Sequence[Mention]) -> list[GeneSpan]:
    found = []
    for mention in mentions:
        if mention.type is EntityType.GENE:
            start, end, same = whole_symbol(text, mention.start, mention.end)
            found.append(GeneSpan(start, end, mention.identifiers if same else (), mention.probability))
    return found


def _shaped(text: str, mentions: Sequence[Mention], named: Sequence[GeneSpan]) -> list[GeneSpan]:
    """What is only shaped as a gene, where nothing else was recognised."""
    taken = [(m.start, m.end) for m in mentions if m.type is not EntityType.ORGANISM]
    taken += [(span.start, span.end) for span in named]
    found = []
    for start, end in symbols_in(text):
        written = text[start:end]
        if written not in NOT_GENES and all(end <= a or b <= start for a, b in taken):
            trust = 1.0 if is_product(written) else SHAPED
            found.append(GeneSpan(start, end, (), trust, trust))
    return found


def _in_order(text: str, spans: Sequence[GeneSpan]) -> list[GeneSpan]:
    """The spans that are no words for edits, with whether they or others of their list stand at an edit."""
    words = find_edits(text)
    genes = sorted(s for s in spans if not any(w.start <= s.start and s.end <= w.end for w in words))
    found = [_is_at_edit(text, span) for span in genes]
    for order in (range(1, len(genes)), range(len(genes) - 1, 0, -1)):
        for at in order:
            if _TOGETHER.fullmatch(text[genes[at - 1].end : genes[at].start]):
                found[at] = found[at - 1] = found[at] or found[at - 1]
    return [replace(span, at_edit=at_edit) for span, at_edit in zip(genes, found, strict=True)]


def _is_at_edit(text: str, span: GeneSpan) -> bool:
    """Whether the name is plainly what was edited: by a genotype glued to it, or the act right behind or before it."""
    behind, before = end_of_list(text, span.start, span.end), text[max(0, span.start - _BEFORE) : span.start]
    return any((_GENOTYPE.match(text, behind), _ACT_BEHIND.match(text, behind), _ACT_BEFORE.search(before)))
