"""The query that an article's sentences are compared with."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from annotate.topics.file import shipped
from model.proposing.query import (
    FIRST_QUERY,
    MOST_QUERIES,
    article_query,
    generic_query,
    named_query,
    nearest_query,
    queries_for,
    query_for,
)
from model.proposing.rules import BLANK
from model.proposing.terms import DocumentTerms
from tests.support.labels import gene_terms
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES, RULES


@pytest.mark.parametrize(
    ("genes", "cells", "edit", "expected"),
    [
        (["MYH9"], ["A549", "Calu-3"], None, "MYH9 knockout from A549, Calu-3"),
        (["MYH9"], ["A549"], "KO", "MYH9 knockout from A549"),
        (["MYH9", "ACE2"], ["A549"], "KI", "MYH9, ACE2 knockin from A549"),
        (["MYH9"], [], "KD", "MYH9 knockdown"),
        ([" "], ["A549", ""], None, "Gene knockout from A549"),
        (["MYH9"], [], "pain", "MYH9 knockout"),  # what another topic had there is no choice of this one
        (["a [b] {cell}"], ["c"], None, "a [b] {cell} knockout from c"),  # a name is no template
    ],
)
def test_an_article_query_names_genes_edit_and_cells(genes, cells, edit, expected):
    assert article_query(RULES, gene_terms(tuple(genes), tuple(cells), edit)) == expected


@pytest.mark.parametrize(
    ("intervention", "comparator", "outcomes", "expected"),
    [
        (["a"], ["b"], ["pain", "sleep"], "pain, sleep with a against b"),
        (["a"], [], ["pain"], "pain with a"),
        ([], [], ["pain"], "pain"),
    ],
)
def test_what_may_be_left_out_is_left_out(intervention, comparator, outcomes, expected):
    template = "{outcome}[ with {intervention}][ against {comparator}]"
    rules = replace(shipped("clinical_trial_findings").rules, article_query=template)
    terms = DocumentTerms.of({"intervention": intervention, "comparator": comparator, "outcome": outcomes})
    assert query_for(rules, terms) == expected


def test_many_names_are_cut_at_a_blank():
    kind = replace(RULES.kinds[0], query_characters=12)
    rules = replace(RULES, kinds=(kind, *RULES.kinds[1:]))
    assert article_query(rules, gene_terms(("MYH9", "ACE2", "TP53"))) == "MYH9, ACE2, knockout"


def test_a_models_own_query_comes_first_then_the_articles_then_the_generic():
    labels = gene_terms(("MYH9",), ("A549",), "KO")
    assert query_for(RULES, labels, "[QUERY]") == "[QUERY]"
    assert query_for(RULES, labels) == "MYH9 knockout from A549"
    assert query_for(RULES, gene_terms(("MYH9",), (), "KI")) == "MYH9 knockin"
    assert query_for(RULES, gene_terms((), ("A549",), None)) == "Gene knockout from A549"
    assert query_for(RULES, gene_terms()) == query_for(RULES, None, "") == GENERIC_QUERIES[BEST_GENERIC]
    assert query_for(RULES, gene_terms((), (), "KI")) == generic_query(RULES)  # a choice alone names nothing
    assert query_for(BLANK, labels) == generic_query(BLANK)


def test_each_name_of_the_kind_that_the_topic_says_makes_a_query_by_itself():
    rules = replace(RULES, query_each="gene")
    labels = gene_terms(("MYH9", "ACE2", " ", "MYH9"), ("A549", "Calu-3"), "KI")
    assert queries_for(rules, labels) == ("MYH9 knockin from A549, Calu-3", "ACE2 knockin from A549, Calu-3")
    assert query_for(rules, labels) == "MYH9, ACE2 knockin from A549, Calu-3"
    assert queries_for(rules, gene_terms((), ("A549",))) == ("Gene knockout from A549",)
    assert queries_for(rules, gene_terms()) == queries_for(rules) == (generic_query(RULES),)
    assert queries_for(rules, labels, "[QUERY]") == ("[QUERY]",)
    assert queries_for(RULES, labels) == (query_for(RULES, labels),)


def test_a_long_list_of_names_makes_so_many_queries_and_no_more():
    rules = replace(RULES, query_each="gene")
    names = [f"G{number}" for number in range(MOST_QUERIES + 1)]
    assert queries_for(rules, gene_terms(names)) == tuple(f"{name} knockout" for name in names[:MOST_QUERIES])


def test_a_sentence_is_compared_with_the_query_that_is_nearest_to_it():
    queries = np.array([[1.0, 0.0], [0.0, 1.0]])
    places, cosines = nearest_query(np.array([[1.0, 0.0], [0.6, 0.8], [-1.0, 0.0]]), queries)
    assert (places.tolist(), cosines.tolist()) == ([0, 1, 1], [1.0, 0.8, 0.0])
    assert [found.shape for found in nearest_query(np.zeros((0, 2)), queries)] == [(0,), (0,)]


def test_a_query_is_given_by_its_name_in_the_topic_or_as_it_is():
    assert named_query(RULES, "query 2") == GENERIC_QUERIES["query 2"]
    assert [named_query(RULES, query) for query in (None, "[QUERY]", "own words")] == [None, "[QUERY]", "own words"]
    other = replace(RULES, queries={"asleep": "What lets people sleep?"})
    assert named_query(other, FIRST_QUERY) == "What lets people sleep?"


def test_terms_ranking_query_and_metrics_do_not_import_torch():
    code = (
        "import sys, model.evaluation.metrics, model.proposing.query, model.proposing.ranking, model.proposing.terms;"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
