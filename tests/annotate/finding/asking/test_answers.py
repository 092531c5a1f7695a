"""The order of what a question finds."""

from annotate.finding.asking.answers import Answered
from annotate.finding.asking.saved import Asked
from annotate.finding.find import Order
from annotate.finding.library import MemoryLibrary
from annotate.finding.matching import Matched
from annotate.finding.question import Question


def test_what_matches_all_comes_first_and_the_rest_stays_by_score() -> None:
    order = Order({"alike": 0.9, "some": 0.8, "whole": 0.7, "last": 0.6}, {}, {})
    matched = Matched(whole=("whole",), some=("whole", "some", "not ranked"))
    answer = Answered(Asked(Question("serum yeast"), ("words",)), MemoryLibrary([]), order, matched)
    assert answer.keys == ["whole", "alike", "some", "last", "not ranked"]
