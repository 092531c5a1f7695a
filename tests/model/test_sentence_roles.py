"""Roles: their names elsewhere, and what the part of an article says of them."""

import numpy as np
import pytest

from model.sentence_roles import EXPECTED, IN_ABSTRACTS, ROLES, UNLABELLED, Role, in_parts, role_number
from model.sentence_words import cites, terms_of, words_of


def test_other_collections_names_are_the_same_roles():
    names = ("METHOD", "method", "RESULTS", "CONCLUSION")
    assert [ROLES[role_number(name)] for name in names] == ["METHODS", "METHODS", "RESULTS", "CONCLUSIONS"]
    assert role_number("OTHER") == role_number("POPULATION") == UNLABELLED


def test_expectations_are_probabilities():
    assert all(expected.sum() == pytest.approx(1) for expected in EXPECTED.values())
    assert IN_ABSTRACTS.sum() == pytest.approx(1)


def test_the_part_changes_the_role_by_what_it_leads_one_to_expect():
    even = np.full((2, 5), 0.2)
    found = in_parts(even, ["methods", "other"], np.array([False, False]))
    assert ROLES[found[0].argmax()] == Role.METHODS
    assert found[1] == pytest.approx(even[1])  # as in abstracts, where the words were learnt


def test_a_sentence_that_cites_is_three_times_as_likely_background_but_for_methods():
    even = np.full((2, 5), 0.2)
    found = in_parts(even, ["other", "methods"], np.array([True, True]))
    assert found[0] == pytest.approx([3 / 7, 1 / 7, 1 / 7, 1 / 7, 1 / 7])
    assert found[1] == pytest.approx(in_parts(even[:1], ["methods"], np.array([False]))[0])


def test_an_article_without_sentences_has_no_roles():
    assert in_parts(np.zeros((0, 5)), [], np.zeros(0, dtype=bool)).shape == (0, 5)


def test_words_are_small_letters_and_signs_for_numbers():
    assert words_of("We treated 12 mice (2.5 mg).") == ["we", "treated", "#", "mice", "(", "#.#", "mg", ")"]
    assert "^we_treated" in terms_of("We treated mice") and "treated_mice" in terms_of("We treated mice")


@pytest.mark.parametrize("text", ["Shown before [3, 4].", "Others saw it (Smith et al., 2010).", "Lee et al found it."])
def test_a_sentence_that_names_other_work_cites(text):
    assert cites(text)


@pytest.mark.parametrize("text", ["Mice were fed.", "We used the kit of Lee et al [4].", "In 2010 (n = 12) it rained."])
def test_a_sentence_of_its_own_work_or_without_a_reference_does_not(text):
    assert not cites(text)
