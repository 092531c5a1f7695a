"""What a difference between two versions means: its interval, of how many articles, and which ranking would propose."""

import pytest

from annotate.evaluation.metric_labels import change_written
from annotate.project.home import read
from annotate.proposing.encoder_versions import MIN_ARTICLES, compare
from annotate.retraining.difference import Difference, difference_of
from model.evaluation.metrics import Interval
from model.proposing.ranking import Ranking
from tests.annotate.retraining.test_promotion_gate import LABELS, evaluated, versions

__all__ = ["versions"]


def difference(mean: float, low: float, high: float, articles: int, serves: Ranking = Ranking.HYBRID) -> Difference:
    return Difference(Interval(mean, low, high), articles, True, Ranking.HYBRID, serves)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (difference(0.25, -0.1, 0.5, 4), "So few articles cannot tell which is better"),
        (difference(0.02, -0.01, 0.05, 40), "The interval holds 0: no difference is shown."),
        (difference(-0.02, -0.05, -0.0001, 40), "The interval holds 0: no difference is shown."),
        (difference(0.0, 0.0, 0.0, 40), "Both rank alike: no difference."),
        (difference(0.05, 0.01, 0.09, 40), "The interval leaves out 0: better by more than chance."),
        (difference(-0.05, -0.09, -0.01, 40), "The interval leaves out 0: worse by more than chance."),
    ],
)
def test_it_says_how_far_it_can_be_trusted(given, said):
    assert said in given.words
    assert change_written(given.change.mean) in given.words and f"on {given.articles} fair test articles" in given.words


def test_it_says_which_ranking_proposes_once_promoted():
    assert "proposes by hybrid, too" in difference(0.1, 0.0, 0.2, 12).words
    assert "proposes by learned, which this difference is not of" in difference(0.1, 0, 0.2, 12, Ranking.LEARNED).words


def test_it_is_of_the_articles_that_decide(versions):
    parent, child = versions
    evaluated(parent, [0.5] * 12)
    evaluated(child, [1.0] * 6 + [0.5] * 6)
    with read() as session:
        found = difference_of(session, compare(session, child.id, LABELS, Ranking.HYBRID), child, Ranking.HYBRID)
        nothing = difference_of(session, compare(session, child.id, "0" * 64, Ranking.HYBRID), child, Ranking.HYBRID)
    assert found is not None and (found.change.mean, found.articles, found.fair) == (0.25, 12, True)
    assert found.change.low < 0.25 < found.change.high and found.articles >= MIN_ARTICLES
    assert nothing is None
