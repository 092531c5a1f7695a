"""The reason that a decision is given with."""

import pytest

from tests.annotate.team.test_adjudication import articles, case, decide, disagree

pytestmark = pytest.mark.usefixtures("home")


def test_a_new_decision_does_not_carry_the_reason_of_the_one_before():
    articles(1)
    disagree()
    decide("accept", words="It names the gene.")
    assert case().decision.comment == "It names the gene."
    decide("reject")
    assert (case().decision.value, case().decision.comment) == ("reject", "")
    decide("accept", words="It does.")
    assert case().decision.comment == "It does."
