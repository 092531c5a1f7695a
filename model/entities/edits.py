"""Which kind of edit a text speaks of, by its words: knock-out, knock-in, knock-down, overexpression."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

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
        said: dict[EditKind, float] = {}
        for word in find_edits(sentence):
            said[word.kind] = max(said.get(word.kind, 0), word.weight)
        for kind, weight in said.items():
            sums[kind] = sums.get(kind, 0) + weight * sentence_weight(sentence) * (0.5 if number < titles else 1.0)
    total = sum(sums.values())
    return {kind: weight / total for kind, weight in sums.items()} if total else {}
