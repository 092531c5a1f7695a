"""What a difference between two versions means, in words: better or not, its interval, the articles, the evidence."""

import pytest

from annotate.project.home import read
from annotate.proposing.comparison import compare
from annotate.retraining.promotion_gate import difference_in_words, evidence_in_words
from tests.annotate.retraining.test_promotion_gate import LABELS, evaluated, versions

__all__ = ["versions"]


def words(child, labels: str = LABELS) -> tuple[str, str]:
    with read() as session:
        found = compare(session, child.id, labels, "hybrid")
    return difference_in_words(found), evidence_in_words(found)


@pytest.mark.parametrize(
    ("values", "fair", "said", "evidence"),
    [
        ([1.0] * 4, None, "Not decided: 4 fair articles, at least 10 are needed.", ""),
        (
            [1.0] * 6 + [0.0] * 6,
            None,
            "No clear difference: ARP 0.000 (−0.250 to +0.250) on 12 fair articles.",
            "Evidence 0.0; try 1 needs 100.",
        ),
        ([1.0] * 12, None, "Better: ARP +0.500 (+0.500 to +0.500) on 12 fair articles.", "Evidence 2,491.7; try 1"),
        ([0.0] * 12, None, "Worse: ARP −0.500 (−0.500 to −0.500) on 12 fair articles.", "Evidence 0"),
        ([1.0] * 12, [], "Not decided: only 0 of 12 test articles are fair to both.", ""),
        ([0.0] * 12, [3], "Worse: ARP −0.500 (−0.500 to −0.500) on 12 test articles, of which 1 are fair to both.", ""),
    ],
)
def test_they_say_how_far_it_can_be_trusted(versions, values, fair, said, evidence):
    evaluated(versions[0], [0.5] * len(values), fair=fair)
    evaluated(versions[1], values, fair=fair)
    told, why = words(versions[1])
    assert told == said
    assert why.startswith(evidence) and bool(why) is bool(evidence)


def test_without_numbers_on_these_labels_nothing_is_told(versions):
    evaluated(versions[0], [0.5] * 12)
    assert words(versions[1]) == words(versions[1], "0" * 64) == ("Not measured on the present labels.", "")
