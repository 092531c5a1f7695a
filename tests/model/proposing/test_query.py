"""The query that an article's sentences are compared with."""

import subprocess
import sys

import pytest

from model.proposing.query import BEST_GENERIC, GENERIC_QUERIES, article_query, query_for
from model.proposing.terms import DocumentTerms


@pytest.mark.parametrize(
    ("genes", "cells", "edit", "expected"),
    [
        (["MYH9"], ["A549", "Calu-3"], None, "MYH9 knockout from A549, Calu-3"),
        (["MYH9"], ["A549"], "KO", "MYH9 knockout from A549"),
        (["MYH9", "ACE2"], ["A549"], "KI", "MYH9, ACE2 knockin from A549"),
        (["MYH9"], [], "KD", "MYH9 knockdown"),
        ([" "], ["A549", ""], None, "Gene knockout from A549"),
    ],
)
def test_an_article_query_names_genes_edit_and_cells(genes, cells, edit, expected):
    assert article_query(genes, cells, edit) == expected


def test_an_unknown_edit_is_refused_with_the_allowed_ones():
    with pytest.raises(ValueError, match="'OE' is none of KO, KI, KD"):
        article_query(["MYH9"], [], "OE")


def test_a_models_own_query_comes_first_then_the_articles_then_the_generic():
    labels = DocumentTerms(("MYH9",), ("A549",), "KO")
    assert query_for(labels, "[QUERY]") == "[QUERY]"
    assert query_for(labels) == "MYH9 knockout from A549"
    assert query_for(DocumentTerms(("MYH9",), (), "KI")) == "MYH9 knockin"
    assert query_for(DocumentTerms((), ("A549",), None)) == "Gene knockout from A549"
    assert query_for(DocumentTerms()) == query_for(None, "") == GENERIC_QUERIES[BEST_GENERIC]


def test_terms_ranking_query_and_metrics_do_not_import_torch():
    code = (
        "import sys, model.evaluation.metrics, model.proposing.query, model.proposing.ranking, model.proposing.terms;"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
