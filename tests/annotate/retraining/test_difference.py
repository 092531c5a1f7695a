"""What a difference between two versions means, in words: its interval, how many articles, and what would propose."""

import pytest

from annotate.project.home import read
from annotate.proposing.comparison import compare
from annotate.retraining.promotion_gate import difference_in_words
from model.proposing.ranking import Ranking
from tests.annotate.retraining.test_promotion_gate import LABELS, evaluated, versions

__all__ = ["versions"]


def words(child, labels: str = LABELS) -> str:
    with read() as session:
        return difference_in_words(session, compare(session, child.id, labels, "hybrid"), child, Ranking.HYBRID)


@pytest.mark.parametrize(
    ("values", "fair", "said"),
    [
        ([1.0] * 4, None, "on 4 fair test articles, ranked by hybrid. So few articles cannot tell which is better"),
        ([1.0] * 6 + [0.0] * 6, None, "ARP 0.000 (95 % interval −0.250 to +0.250) on 12 fair test articles"),
        ([1.0] * 6 + [0.0] * 6, None, "No difference is shown. Evidence"),
        ([0.5] * 12, None, "Evidence 1.0 of the 100 that try 1 needs."),
        ([1.0] * 12, None, "Better by more than chance."),
        ([0.0] * 12, None, "Worse by more than chance."),
        ([1.0] * 12, [], "on 12 test articles, ranked by hybrid. The labels favour the version"),
    ],
)
def test_they_say_how_far_it_can_be_trusted(versions, values, fair, said):
    evaluated(versions[0], [0.5] * len(values), fair=fair)
    evaluated(versions[1], values, fair=fair)
    assert said in words(versions[1])
    assert words(versions[1]).endswith("Promoted, it proposes by hybrid, too.")


def test_there_are_none_without_numbers(versions):
    evaluated(versions[0], [0.5] * 12)
    assert words(versions[1]) == words(versions[1], "0" * 64) == ""
