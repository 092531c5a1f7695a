"""Where texts hold the words that were searched for."""

import pytest

from annotate.search.queries import terms
from annotate.search.reading import read_query
from annotate.search.search import pieces, spans


@pytest.mark.parametrize(
    ("typed", "text", "marked"),
    [
        ("mutations", "Mutated and mutating cells", ["Mutated", "mutating"]),
        ("mutat*", "Mutagenesis of mutants, mutated", ["mutated"]),
        ("muta*", "Mutagenesis of mutants", ["Mutagenesis", "mutants"]),
        ('"loss of func*"', "Functional loss, loss of function", ["loss", "function"]),
        ('"gene knocki*"', "gene knocking, knock", ["gene", "knocking"]),
        ('"loss of th*"', "loss of the gene, loss of thymus", ["loss", "thymus"]),
        ("th*", "the thymus", ["thymus"]),
        ("il6", "IL-6 and IL6", ["IL-6", "IL6"]),
        ("TNF-alpha", "TNFα rose; TNF fell", ["TNFα"]),
        ('"deleted the gene"', "gene deleted, the gene was", ["deleted", "gene"]),
        ("cell:HEK293T", "HEK-293T cells", ["HEK-293T"]),
        ("key:pmid:1 section:results year:2015", "1 results 2015", []),
        ("NOT cells OR gene", "cells of a gene", ["gene"]),
    ],
)
def test_words_are_marked_where_a_search_finds_them(typed, text, marked):
    assert [text[start:end] for start, end in spans(text, terms(read_query(typed)))] == marked


def test_pieces_put_together_are_the_text_however_spans_overlap():
    assert pieces("abcdef", [(0, 2), (1, 3), (4, 5)]) == [("ab", True), ("cd", False), ("e", True), ("f", False)]
    assert pieces("", []) == []
