"""The genes that sentences name, by recognised names and by the words for edits: one answer for proposed labels and for
the colours in the text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from model.entities.edits import find_edits
from model.entities.kinds import Mention
from model.entities.texts.spelling import NOT_GENES
from model.entities.texts.symbols import end_of_list, is_product, symbols_in, whole_symbol
from model.entity_types import EntityType

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
    """The spans that are no words for edits, in order, with whether each stands right at an edit: of names that stand
    in one list all do where one does."""
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
