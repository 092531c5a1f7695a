"""Where a text holds the words that were searched for."""

from collections.abc import Sequence
from functools import lru_cache

from annotate.search.queries import NAMES, Field, Term
from annotate.search.words import GREEK_BEHIND, stems, symbols_in, whole_words
from model.names import alike_as_asked, words_of

Span = tuple[int, int]


@lru_cache(maxsize=50_000)
def _stems(word: str) -> tuple[str, ...]:
    return tuple(stems(word))


def spans(text: str, terms: Sequence[Term]) -> list[Span]:
    """Half-open offsets of the words that any term finds, in order; a phrase where its words follow each other.

    Names asked for in their own fields (a gene, a cell) are looked for as phrases, what is no text (keys) not at all.
    """
    placed = [(stem, (start, end)) for word, start, end in words_of(text) for stem in _stems(word)]
    found = {span for term in terms for span in _of_term(text, term, placed)}
    return sorted(found)


def _of_term(text: str, term: Term, placed: list[tuple[str, Span]]) -> list[Span]:
    if term.field in NAMES - {Field.GENE, Field.CELL, Field.EDIT, Field.ORGANISM, Field.LABEL, Field.ENTITY}:
        return []
    symbols = symbols_in(term.text)
    # Of each word the stems that it finds: its own, and of a symbol those with a Greek letter behind it.
    wanted = [
        {stem, *(stem + letter for letter in GREEK_BEHIND if stem in symbols)}
        for stem in stems(alike_as_asked(term.text))
    ]
    found = []
    for at in range(len(placed) - len(wanted) + 1 if wanted else 0):
        window = placed[at : at + len(wanted)]
        if all(stem in asked for (stem, _), asked in zip(window, wanted, strict=True)):
            found += [span for _, span in window]
    begun = whole_words(term.text)
    if term.prefix and len(begun) == 1:
        found += [(a, b) for word, a, b in words_of(text) if "".join(whole_words(word)).startswith(begun[0])]
    return found


def pieces(text: str, marked: Sequence[Span]) -> list[tuple[str, bool]]:
    """The text in pieces, each with whether it is marked; put together they are the text."""
    found: list[tuple[str, bool]] = []
    at = 0
    for start, end in marked:
        if start < at:
            continue
        found += [(text[at:start], False), (text[start:end], True)]
        at = end
    return [piece for piece in [*found, (text[at:], False)] if piece[0]]
