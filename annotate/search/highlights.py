"""Where a text holds the words that were searched for."""

from collections.abc import Collection, Sequence
from functools import lru_cache

from annotate.search.queries import NAMES, Field, Term
from annotate.search.words import GREEK_BEHIND, stems, symbols_in, whole_words
from model.names import alike_as_asked, words_of

Span = tuple[int, int]


@lru_cache(maxsize=50_000)
def _stems(word: str) -> tuple[str, ...]:
    return tuple(stems(word))


def _is_one(stem: str, asked: str, symbols: Collection[str]) -> bool:
    """Whether a stem of the text is the asked one, or the asked symbol with a Greek letter behind it."""
    return stem == asked or (asked in symbols and stem[:-1] == asked and stem[-1] in GREEK_BEHIND)


def _whole(word: str) -> str:
    return "".join(whole_words(word))


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
    wanted, symbols = stems(alike_as_asked(term.text)), symbols_in(term.text)
    found = []
    for at in range(len(placed) - len(wanted) + 1 if wanted else 0):
        window = placed[at : at + len(wanted)]
        if all(_is_one(stem, asked, symbols) for (stem, _), asked in zip(window, wanted, strict=True)):
            found += [span for _, span in window]
    begun = whole_words(term.text)
    if term.prefix and len(begun) == 1:
        found += [(start, end) for word, start, end in words_of(text) if _whole(word).startswith(begun[0])]
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
