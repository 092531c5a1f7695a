"""Documents found by their words, in memory."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.search import words as module
from annotate.search.words import MESH, WORDS, WordIndex, Words

DOCUMENTS = [
    Words("a", "Loss of TP53 in lung cancer", "Knock-outs of the gene were made in A549 cells.", ("Lung Neoplasms",)),
    Words("b", "Interleukins", "IL-6 and TNF-α rose in the serum of patients.", ("Interleukin-6",)),
    Words("c", "Serum of patients", "Nothing rose."),
]


@pytest.fixture(scope="module")
def index():
    made = WordIndex()
    made.add(DOCUMENTS)
    return made


def keys(found):
    return [key for key, _ in found]


def test_the_best_comes_first_with_its_score(index):
    found = index.search("serum of the patients", 10)
    assert keys(found) == ["c", "b"]
    assert found[0][1] > found[1][1] > 0


@pytest.mark.parametrize("asked", ["IL6", "il-6", "IL 6", "TNFalpha", "tnf α"])
def test_a_name_is_found_by_its_other_spellings(index, asked):
    assert keys(index.search(asked, 10)) == ["b"]


def test_a_short_name_finds_the_name_written_apart():
    index = WordIndex()
    index.add([Words("apart", "", "IL 6 rose"), Words("other", "", "il rose in 6 mice")])
    assert keys(index.search("IL-6", 10)) == ["apart"]


def test_words_of_questions_weigh_nothing_unless_there_are_no_others(index):
    assert index.search("which serum", 10) == index.search("serum", 10)
    assert keys(index.search("were", 10)) == ["a"]


def test_mesh_terms_count_beside_the_words_as_much_as_is_said(index, monkeypatch):
    ((_, half),) = index.search("neoplasms", 10)
    monkeypatch.setattr(module, "FIELDS", {WORDS: 1.0, MESH: 1.0})
    assert index.search("neoplasms", 10) == [("a", pytest.approx(2 * half))]
    monkeypatch.setattr(module, "FIELDS", {WORDS: 1.0})
    assert index.search("neoplasms", 10) == []


def test_a_document_takes_the_place_of_that_with_its_key():
    index = WordIndex()
    index.add(DOCUMENTS)
    index.add([Words("a", "Zebrafish", "")])
    assert keys(index.search("zebrafish", 10)) == ["a"]
    assert index.search("lung", 10) == []


def test_documents_that_fail_on_the_way_leave_all_as_it_was():
    index = WordIndex()
    index.add(DOCUMENTS)

    def failing():
        yield Words("d", "Zebrafish", "")
        raise OSError("the file ends here")

    with pytest.raises(OSError, match="ends here"):
        index.add(failing())
    assert len(index.search("lung serum", 10)) == 3
    index.add([Words("e", "Yeast", "")])
    assert (index.search("zebrafish", 5), keys(index.search("yeast", 5))) == ([], ["e"])


def test_at_most_so_many_are_found(index):
    assert keys(index.search("rose", 1)) == ["c"]
    assert index.search("rose", 0) == []


@given(st.text(max_size=200))
@settings(deadline=None)
def test_any_text_may_be_asked_for(index, words):
    found = index.search(words, 5)
    assert {key for key, _ in found} <= {"a", "b", "c"}
