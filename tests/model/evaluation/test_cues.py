"""Cues of what a sentence says of a work that it cites, counted by hand."""

import numpy as np

from model.evaluation.cues import CUES, TOGETHER, TURNED, cue_rows

NAMES = [*CUES, "passive", "number"]
PARTS = ("count", "before", "behind", "clause", "near", "first")
COLUMNS = [
    *(f"{name}, {part}" for name in NAMES for part in (*PARTS, *(("negated",) if name in TURNED else ()))),
    *(" and ".join(both) for both in TOGETHER),
    *("place", "to the end", "length", "spaces", "citations", "which", "numbers", "range", "et al", "left", "right"),
    *("opens in contrast", "opens in agreement", "brackets", "commas", "question marks"),
]


def told(sentence, citation):
    start = sentence.index(citation)
    return dict(zip(COLUMNS, cue_rows([sentence], [(start, start + len(citation))])[0], strict=True))


def test_cues_are_counted_before_and_behind_the_citation_up_to_the_next_one():
    found = told("Similar findings were reported [1], in contrast to others [2].", "[2]")
    assert [found[f"agreement, {part}"] for part in PARTS] == [1, 0, 0, 0, 6, 0]  # 58 - 7 characters, in steps of 8
    assert [found[f"contrast, {part}"] for part in PARTS[:4]] == [1, 1, 0, 1]
    assert (found["citations"], found["which"], found["opens in agreement"], found["opens in contrast"]) == (2, 1, 1, 0)
    first = told("Similar findings were reported [1], in contrast to others [2].", "[1]")
    assert (first["agreement, before"], first["contrast, behind"]) == (1, 1)


def test_a_negation_before_a_cue_is_counted_and_a_clause_ends_it():
    found = told("Our finding was not confirmed [3,5-7], but it is safe.", "[3,5-7]")
    assert (found["agreement, count"], found["agreement, negated"], found["contrast, count"]) == (1, 1, 1)
    assert (found["praise, behind"], found["praise, clause"]) == (1, 0)
    assert (found["numbers"], found["range"], found["commas"]) == (3, 1, 2)
    assert (found["own work and agreement"], found["own work and contrast"], found["study and no effect"]) == (1, 1, 0)
    assert found["number, count"] == 0  # those within citations are none


def test_words_that_only_contain_a_cue_are_none_and_endings_are():
    found = told("Nobody agreeable noted corroborating work by Lee et al. [4]", "[4]")
    assert (found["negation, count"], found["agreement, count"], found["et al"]) == (0, 1, 1)
    assert found["no effect, first"] == 400 and found["no effect, near"] == 40


def test_the_rows_are_numbers_even_of_nothing():
    assert cue_rows([""], [(0, 0)]).shape == (1, len(COLUMNS)) and np.isfinite(cue_rows([""], [(0, 0)])).all()
