"""The engine: stages rank, ranks are fused, and every result says why."""

import numpy as np
import pytest

from annotate.finding import stages
from annotate.finding.find import ranked, results
from annotate.finding.library import Document, MemoryLibrary
from annotate.finding.question import Facet, Filters, NotRanked, Question
from annotate.finding.stages import STAGES, Stage

DOCUMENTS = (
    Document("a", "Knockout of TP53", "HeLa cells without TP53 grew faster.", year=2001, journal="Cell"),
    Document("b", "Loss of p53", "Tumours appeared in mice.", year=2010, journal="Nature"),
    Document("c", "Teeth of pupils", "Sweets were eaten in schools.", year=None),
)


class ToyEncoder:
    """Vectors by words that mean the same."""

    sha256 = "toy"

    def texts(self, texts, progress=lambda done: None):
        return np.stack([self.question(text) for text in texts])

    def question(self, text):
        low = text.lower()
        about = [any(word in low for word in words) for words in (("p53",), ("teeth", "dental"))]
        return np.array([*about, 0.1], dtype=np.float32) / np.linalg.norm([*about, 0.1])


class Broken(ToyEncoder):
    def question(self, text):
        raise NotRanked("its files are damaged")


@pytest.fixture
def library():
    return MemoryLibrary(DOCUMENTS, ToyEncoder())


def found_by(question, library):
    order = ranked(question, library)
    return results(question, library, order, order.keys)


def test_ranks_of_all_stages_are_fused_and_told(library):
    found = found_by(Question("knockout of TP53"), library)
    assert [each.key for each in found][:2] == ["a", "b"]
    first = found[0]
    assert first.ranks == {"words": 1, "vectors": 1, "alike": 1, "near": 1, "titles": 1}
    assert first.score == pytest.approx(1 + 1.5 + 1 + 1)
    assert "words" not in found[1].ranks


def test_the_names_of_facets_that_stand_in_a_result_are_told(library):
    question = Question(facets={"gene": (Facet("TP53", ("p53", "TRP53")),), "cell": (Facet("HeLa"),)})
    found = {each.key: each.matched for each in found_by(question, library)}
    assert found["a"] == {"gene": ("TP53",), "cell": ("HeLa",)}
    assert found["b"] == {"gene": ("p53",)}


def test_a_stage_switched_off_has_no_say(library):
    order = ranked(Question("dental"), library, ["words"])
    assert order.keys == [] and set(order.ranks) == {"words"}
    assert ranked(Question("dental"), library, ["vectors"]).keys[0] == "c"


def test_filters_hold_for_every_stage(library):
    question = Question("TP53 p53 teeth", filters=Filters(years=(2005, None)))
    assert ranked(question, library).keys == ["b"]
    assert ranked(Question("p53", filters=Filters(journals=("Cell",))), library).keys == ["a"]
    assert ranked(Question("p53", filters=Filters(years=(None, 1990))), library).keys == []


def test_a_stage_that_cannot_rank_is_left_out_and_says_why():
    order = ranked(Question("TP53"), MemoryLibrary(DOCUMENTS, Broken()))
    assert order.keys == ["a"]
    assert order.left_out == dict.fromkeys(("vectors", "alike", "near", "titles"), "its files are damaged")


def test_shares_of_the_best_scores_are_summed_and_two_of_one_family_share_its_weight(library):
    order = ranked(Question("knockout of TP53"), library, ["words", "vectors", "alike"])
    assert order.scores["a"] == pytest.approx(1 + 1.5 / 2 + 1.5 / 2)


def test_what_is_near_the_first_and_has_the_title_asked_for_comes_before_what_has_not():
    documents = [
        Document("a", "Methods", "p53 p53 p53"),
        Document("b", "p53", "Loss of p53."),
        Document("c", "Teeth", "Dental braces, p53"),
        Document("d", "", "p53"),
    ]
    library = MemoryLibrary(documents, ToyEncoder())
    near = ranked(Question("p53"), library, ["vectors", "near"])
    assert near.keys[-1] == "c" and near.stage_scores["near"]["a"] > near.stage_scores["near"]["c"]
    told = ranked(Question("p53"), library, ["vectors", "titles"])
    assert told.keys[0] == "b" and "d" not in told.ranks["titles"]
    assert not ranked(Question("p53", {"gene": (Facet("p53"),)}), library, ["vectors", "titles"]).ranks["titles"]
    assert not ranked(Question("p53"), library, ["near", "titles"]).keys


def test_stages_of_one_family_share_its_weight(library):
    with_one = ranked(Question("dental"), library, ["vectors"]).scores["c"]
    with_both = ranked(Question("dental"), library, ["vectors", "alike"]).scores["c"]
    assert with_one == pytest.approx(with_both) == pytest.approx(1.5)


def test_an_empty_question_finds_nothing(library):
    assert found_by(Question(), library) == []


def test_the_same_question_gives_the_same_order(library):
    assert ranked(Question("p53 teeth"), library).scores == ranked(Question("p53 teeth"), library).scores


def test_unknown_stages_are_told_with_those_that_there_are(library):
    with pytest.raises(ValueError, match="no stage magic; there are words, vectors"):
        ranked(Question("x"), library, ["words", "magic"])


def test_a_reader_is_a_line_and_ranks_what_the_others_found(library, monkeypatch):
    def last_first(search):
        return [(key, float(place)) for place, key in enumerate(reversed(search.so_far[: stages.CANDIDATES]))]

    monkeypatch.setitem(stages.STAGES, "reader", Stage("Reader", "", last_first, reads=True))
    order = ranked(Question("TP53"), library, ["words", "vectors", "reader"])
    assert order.ranks["reader"]["a"] == 3


@pytest.mark.parametrize("name", STAGES)
def test_every_stage_says_what_it_is_and_ranks(name, library):
    assert STAGES[name].title and STAGES[name].about
    if STAGES[name].on:
        assert "a" in ranked(Question("TP53"), library, ["words", name]).ranks[name]


def test_a_filter_lets_through_what_the_words_rank_beyond_any_depth(monkeypatch):
    many = [Document(f"n{number}", "TP53", "TP53 in HeLa cells.", journal="Other") for number in range(300)]
    wanted = Document("w", "A long text of many other things", "It says TP53 " + "and more " * 200, journal="Cell")
    library = MemoryLibrary([*many, wanted], ToyEncoder())
    search = stages.Search(Question("TP53 HeLa", filters=Filters(journals=("Cell",))), library, depth=2)
    assert [key for key, _ in stages.by_words(search)] == ["w"]
