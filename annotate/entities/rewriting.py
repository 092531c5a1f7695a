"""Sentences written otherwise that mean the same: abbreviations written out, a gene under another name."""

from collections.abc import Iterator, Sequence

from annotate.entities.vocabularies import lexicon_of
from annotate.topics.vocabularies import Vocabulary
from model.entities.lexicon import Lexicon
from model.entities.texts.abbreviations import abbreviations, expanded
from model.names import fold

# A symbol of this many characters is hardly a word of the language.
SYMBOL = 3


def written_out(sentences: Sequence[str]) -> Iterator[str]:
    """The sentences with the abbreviations that they explain themselves written out."""
    long_of = abbreviations(sentences)
    return (expanded(text, long_of) for text in sentences)


def with_other_gene_names(sentences: Sequence[str]) -> Iterator[str]:
    """The sentences with another name of their first gene."""
    lexicon = lexicon_of(Vocabulary.GENES)
    return (renamed(text, lexicon) for text in sentences)


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
