"""Scores of recognised entities, counted by hand."""

from model.evaluation.entity_scores import Counts, score


def test_mentions_are_strict_and_identifiers_count_once_a_document() -> None:
    found = [(0, 4, "gene", ("1",)), (5, 9, "gene", ("1",)), (10, 12, "gene", ("2",))]
    marked = [(0, 4, "gene", ("1",)), (5, 8, "gene", ("1",)), (20, 22, "gene", ("3",)), (30, 32, "organism", ("9606",))]
    figures = score([(found, marked)], ["gene", "organism"], ["gene"])
    assert figures["mentions"]["gene"] == {"precision": 1 / 3, "recall": 1 / 3, "f1": 1 / 3}
    assert figures["mentions"]["organism"] == {"precision": 0, "recall": 0, "f1": 0}
    assert figures["identifiers"] == {"gene": {"precision": 0.5, "recall": 0.5, "f1": 0.5}}


def test_nothing_to_divide_by_is_nought() -> None:
    assert Counts().as_dict() == {"precision": 0, "recall": 0, "f1": 0}
