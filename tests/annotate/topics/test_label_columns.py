"""The columns of files in which the labels of a topic stand."""

import pytest

from annotate.topics.file import read_topic, shipped
from annotate.topics.label_columns import FIXED, identifier_columns, label_columns, labels_by_kind
from tests.support.topics import SMALL

TRIALS = shipped("clinical_trial_findings")
# As an earlier release wrote a topic: the column `genes` is of another kind than the one that would be called so now.
OLD = read_topic(
    SMALL.replace("key: cause, name: Cause, plural: Causes,", "key: drug, name: Drug, plural: Drugs, stands_in: genes,")
    .replace("key: night, name: Night, plural: Nights,", "key: gene, name: Gene, plural: Genes, stands_in: cells,")
    .replace("cause", "drug")
)


def test_columns_are_called_as_the_names_of_each_kind_together():
    assert label_columns(shipped("gene_editing")) == {"gene": "genes", "cell": "cells", "edit": "edit"}
    assert label_columns(TRIALS) == {
        "intervention": "interventions",
        "comparator": "comparators",
        "outcome": "outcomes",
    }
    assert identifier_columns(shipped("gene_editing")) == {"gene": "gene_identifiers", "cell": "cell_identifiers"}
    assert identifier_columns(TRIALS) == label_columns(shipped("blank")) == {}


@pytest.mark.parametrize(
    ("plural", "column"),
    [
        ("Warm feet", "warm_feet"),
        ("a (b)", "a_b"),
        ("Title", "cause"),
        ("Text", "cause"),
        ("Nights", "nights"),
        ("?!", "cause"),
    ],
)
def test_no_column_is_called_as_another(plural, column):
    columns = label_columns(read_topic(SMALL.replace("plural: Causes", f'plural: "{plural}"')))
    assert columns["cause"] == column
    assert len(set(columns.values())) == 2 and set(FIXED).isdisjoint(columns.values())


def test_a_kind_whose_names_are_both_taken_gets_a_column_of_its_own():
    topic = read_topic(
        SMALL.replace("key: cause, name: Cause, plural: Causes", "key: title, name: T, plural: Title").replace(
            "cause", "title"
        )
    )
    assert label_columns(topic)["title"] == "title_labels"


def test_labels_are_read_by_column_key_and_the_columns_of_earlier_releases():
    expected = {"intervention": "drug", "outcome": "pain"}
    assert labels_by_kind(TRIALS, {"interventions": "drug", "outcome": "pain", "pmid": "1"}) == expected
    assert labels_by_kind(TRIALS, {"genes": "drug", "edit": "pain"}) == expected
    assert labels_by_kind(TRIALS, {"genes": "", "interventions": "drug", "outcomes": "pain"}) == expected


def test_a_file_with_all_columns_of_earlier_releases_is_read_as_those_meant_it():
    assert labels_by_kind(OLD, {"genes": "a", "cells": "b", "edit": ""}) == {"drug": "a", "gene": "b"}
    assert labels_by_kind(OLD, {"drugs": "a", "genes": "b"}) == {"drug": "a", "gene": "b"}
