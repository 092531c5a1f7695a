"""Three probes of what an encoder takes for the same: without stop words, with abbreviations written out, with another
name of a gene. Each as the cosine with the sentence as it was."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from annotate.encoders.scoring import Encodes
from annotate.entities.vocabularies import lexicon_of
from annotate.topics.vocabularies import Vocabulary
from model.entities.lexicon import Lexicon
from model.entities.texts.abbreviations import abbreviations, expanded
from model.names import fold

PAIRS = 200  # of each probe
PROBES = {
    "stop_words": "stop words left out",
    "abbreviations": "abbreviations written out",
    "gene_synonyms": "a gene under another name",
}
# A symbol of this many characters is hardly a word of the language.
SYMBOL = 3

Pair = tuple[str, str]


def probe(vectors: Encodes, sentences: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Of each probe: pairs (how many), mean and worst cosine, and the worst pair; only `pairs` where there are none."""
    found = {}
    for name, pairs in pairs_of(sentences).items():
        found[name] = _told(vectors, pairs) if pairs else {"pairs": 0}
    return found


def _told(vectors: Encodes, pairs: Sequence[Pair]) -> dict[str, Any]:
    one, other = (vectors.of([pair[side] for pair in pairs]) for side in (0, 1))
    cosines = (one * other).sum(axis=1)
    worst = int(cosines.argmin())
    return {
        "pairs": len(pairs),
        "mean": round(float(np.mean(cosines)), 4),
        "worst": round(float(cosines[worst]), 4),
        "worst_pair": list(pairs[worst]),
    }


def pairs_of(sentences: Sequence[str]) -> dict[str, list[Pair]]:
    """Sentences with what the probes make of them, at most PAIRS each, none that stays as it was."""
    if not sentences:  # the names of genes take a while to read
        return {name: [] for name in PROBES}
    long_of = abbreviations(sentences)
    lexicon = lexicon_of(Vocabulary.GENES)
    made = {
        "stop_words": ((text, without_stop_words(text)) for text in sentences),
        "abbreviations": ((text, expanded(text, long_of)) for text in sentences),
        "gene_synonyms": ((text, renamed(text, lexicon)) for text in sentences),
    }
    return {name: _changed(pairs) for name, pairs in made.items()}


def _changed(pairs: Iterator[Pair]) -> list[Pair]:
    found: list[Pair] = []
    for pair in pairs:
        if len(found) == PAIRS:
            break
        if pair[1] and pair[0] != pair[1]:
            found.append(pair)
    return found


def without_stop_words(text: str) -> str:
    """A text without the words that scikit-learn calls English stop words."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # noqa: PLC0415 (scikit-learn takes a second)

    return " ".join(word for word in text.split() if word.strip(".,;:()").lower() not in ENGLISH_STOP_WORDS)


def renamed(text: str, genes: Lexicon) -> str:
    """A text with the first gene that goes by its symbol under its first synonym; as it was where there is none."""
    for start, end, key in genes.find(fold(text)):
        written = text[start:end]
        if len(written) >= SYMBOL and written.isupper() and (other := _synonym(written, genes, key)):
            return text[:start] + other + text[end:]
    return text


def _synonym(written: str, genes: Lexicon, key: int) -> str:
    for name in genes.names(key):
        if name.rank == 0 and name.spelling == written:
            return next((other for other in genes.entry(name.row).synonyms if other != written), "")
    return ""
