"""The sentences of a reviewer that are offered as examples of a topic."""

from annotate.project.home import look_up
from annotate.review.judged_sentences import MOST, judged_sentences
from db.values import Value
from tests.support.making import SENTENCES, judge, paper, store, verdict


def found(reviewer: str) -> tuple[list[str], list[str]]:
    texts = look_up(judged_sentences, reviewer)
    return texts[Value.ACCEPT], texts[Value.REJECT]


def test_ones_own_verdicts_of_now_are_told_the_latest_first(home):
    store(paper(pmid="1"), paper(tuple(f"Sentence number {number} is here." for number in range(12)), pmid="2"))
    assert found("Anna") == ([], [])
    judge("Anna", 1, verdict(1), verdict(0), verdict(0, "reject"), verdict(2, "unsure"))
    judge("Ben", 1, verdict(2))
    assert found("Anna") == ([SENTENCES[1]], [SENTENCES[0]])
    judge("Anna", 2, *(verdict(position) for position in range(12)))
    accepted, rejected = found("Anna")
    assert (len(accepted), accepted[0], rejected) == (MOST, "Sentence number 11 is here.", [SENTENCES[0]])
