"""Verdicts teach what a topic's examples began, and no article is ranked by its own."""

import numpy as np
import pytest

import db.evaluation
import db.proposing
from annotate.active_learning.article_features import rows_for, store_features
from annotate.active_learning.article_rankers import why
from annotate.active_learning.heads import store_base
from annotate.active_learning.live_ranking import rank_now, rank_when_opened
from annotate.active_learning.live_state import forget, state_of
from annotate.active_learning.queue import hand_out
from annotate.active_learning.sentence_queue import next_picked
from annotate.active_learning.taught_examples import FEWEST, teach_examples, teach_when_shown
from annotate.evaluation.evaluate_version import evaluate
from annotate.project.home import read
from annotate.project.stored_settings import change_settings
from annotate.proposing.comparison import measured_as_now
from annotate.proposing.examples import likeness, taught_row
from annotate.proposing.propose import pools_of, propose
from annotate.topics.file import read_topic
from annotate.topics.project_topic import use_topic
from model.active_learning import picking
from model.active_learning.features import FEATURES
from model.proposing.ranking import Ranking
from model.proposing.rules import EXAMPLES as EXAMPLES_COLUMN
from tests.support.live_world import RANDOM_NEVER
from tests.support.making import (
    embed_examples,
    judge,
    paper,
    pmids,
    propose_with,
    store,
    store_cosines,
    verdict,
    version_without_weights,
)
from tests.support.topics import BY_EXAMPLES

TRAIN = 11  # articles; one more is of test
RULES = read_topic(BY_EXAMPLES).rules
EXAMPLES = RULES.examples
RARE = "zopiclone"


def text(number: int) -> tuple[str, ...]:
    """Sentences that the examples know nothing of; the first of them holds a word that no other article has."""
    return (
        f"With {RARE if number == 0 else 'tablets'} the nights were longer.",
        f"Nurses of ward {number} counted sheets.",
    )


@pytest.fixture
def version(home):
    """A proposing version under the topic by examples, all embedded by hand, alike."""
    numbers = [*pmids("train", TRAIN), *pmids("test", 1)]
    store(*(paper(text(place), pmid=number) for place, number in enumerate(numbers)))
    made = version_without_weights("tiny")
    propose_with(made)
    for article_id in range(1, TRAIN + 2):
        store_cosines(made, article_id, "What lets people sleep?", (0.5, 0.5))
    judge("Anna", 2, verdict(0, "reject"), verdict(1))  # under another topic: it teaches nothing here
    use_topic(BY_EXAMPLES, by="Mary")
    embed_examples(made, EXAMPLES)
    return made


def judge_both(*article_ids: int) -> None:
    for article_id in article_ids:
        judge("Anna", article_id, verdict(0), verdict(1, "reject"))


def likes(version, article_id: int) -> np.ndarray:
    with read() as session:
        return pools_of(session, version, [article_id])[article_id].pool.like


def test_what_was_judged_under_this_topic_teaches_from_the_fifth_sentence_on_but_never_a_test_article(version):
    judge_both(1, 3, TRAIN + 1)
    before = likes(version, 2)
    assert not teach_examples()  # 4 of train
    judge_both(4)
    assert teach_examples() and not teach_examples()
    with read() as session:
        labels = taught_row(session).content["labels"]
    assert {*labels} == {"1", "3", "4"} and sum(map(len, labels.values())) == FEWEST + 1
    few = likes(version, 2)
    judge_both(*range(5, TRAIN + 1))
    assert teach_examples()
    many = likes(version, 2)
    assert before[0] - before[1] < few[0] - few[1] < many[0] - many[1] and many[0] > 1 > -1 > many[1]
    assert likes(version, TRAIN + 1)[0] > 1  # test articles are ranked by it, too


def test_an_article_that_taught_is_ranked_by_what_others_taught(version):
    judge_both(1, *range(3, TRAIN + 1))
    assert teach_examples()
    with read() as session:
        learnt = likeness(session, version, RULES)
    assert RARE in learnt.ranker_for(2).telling_words(f"{RARE} it is.")
    assert RARE not in learnt.ranker_for(1).telling_words(f"{RARE} it is.")


def test_why_tells_of_the_verdicts_that_taught_when_the_article_was_ranked_and_not_of_later_ones(version):
    propose()
    with read() as session:
        scores = {
            str(position): one.score
            for one, position in db.proposing.proposals(session, db.proposing.current_set(session, 2).id)
        }
    before = why(2)
    judge_both(1, *range(3, TRAIN + 1))
    assert teach_examples()
    assert why(2) == before
    for position, parts in before["parts"].items():
        assert sum(points for _, points in parts) == pytest.approx(scores[position], abs=0.05)
    propose()
    assert why(2) != before


def test_figures_from_before_verdicts_taught_are_not_compared_with_later_ones(version):
    judge_both(1, *range(3, TRAIN + 2))
    evaluate(version, Ranking.HYBRID, "test")

    def is_current() -> bool:
        with read() as session:
            return measured_as_now(session, db.evaluation.latest_evaluation(session, version.id, "hybrid", "test"))

    assert is_current()
    assert teach_examples() and not is_current()
    evaluate(version, Ranking.HYBRID, "test")
    judge_both(2)  # teaches nothing yet
    assert is_current()


def test_the_features_of_all_articles_follow_what_was_taught_and_another_topic_begins_again(version):
    everything = [*range(1, TRAIN + 2)]
    assert store_features(version) == everything and store_features(version) == []
    judge_both(1, *range(3, TRAIN + 1))
    assert store_features(version) == []
    assert teach_examples() and store_features(version) == everything
    use_topic(BY_EXAMPLES.replace("Sleep by examples", "Rest"), by="Mary")
    with read() as session:
        assert taught_row(session) is None
    assert not teach_examples()
    use_topic(BY_EXAMPLES.replace("  accepted:", "  weight: 0\n  accepted:"), by="Mary")
    assert not teach_examples()


def test_an_opened_article_is_ranked_by_the_verdicts_that_came_since(version):
    store_features(version)
    judge_both(1, 3)
    teach_when_shown([2])
    assert taught() == set()  # too few
    judge_both(4)
    before = rows_of_all(version)
    teach_when_shown([2])
    after = rows_of_all(version)
    assert [number for number in after if not np.array_equal(before[number], after[number])] == [2]
    assert taught() == {"1", "3", "4"}
    judge("Anna", 5, verdict(0))  # one more is less than a quarter
    teach_when_shown([2])
    assert taught() == {"1", "3", "4"} and np.array_equal(rows_of_all(version)[2], after[2])
    judge("Anna", 5, verdict(1, "reject"))
    teach_when_shown([6])
    assert taught() == {"1", "3", "4", "5"}
    teach_when_shown([2])
    assert not np.array_equal(rows_of_all(version)[2], after[2])


def test_what_is_picked_from_all_articles_follows_the_verdicts_on_the_batches_before(version, monkeypatch):
    monkeypatch.setattr(picking, "NEARLY_SAME", 2.0)  # nearly all vectors are alike: that is let be
    propose(k=2)
    store_base(version, store_features(version))
    change_settings("Mary", RANDOM_NEVER)

    def liked() -> dict[tuple[int, int], float]:
        with read() as session:
            state = state_of(session)
        places = np.argwhere(state.mask).tolist()
        return {(state.ids[a], state.tops[a, m]): state.rows[a, m, FEATURES.index(EXAMPLES_COLUMN)] for a, m in places}

    assert len(next_picked("Ben", 4)) == 4 and taught() == set()
    before = liked()
    judge_both(1, 3, 4, 5, 6, 7, 8)
    asked = next_picked("Ben", 4)
    after = liked()
    assert taught() == {"1", *map(str, range(3, 9))}
    assert {one.sentence.article_id for one in asked} <= {2, 9, 10, 11, 12}
    for one in asked:
        number = one.sentence.article_id
        assert after[number, 0] - after[number, 1] > 2 + before[number, 0] - before[number, 1]
    assert next_picked("Ben", 4) == asked and liked() == after


def taught() -> set[str]:
    """The articles that teach."""
    with read() as session:
        row = taught_row(session)
    return {*row.content["labels"]} if row else set()


def rows_of_all(version) -> dict[int, np.ndarray]:
    with read() as session:
        return rows_for(session, version.id, range(1, TRAIN + 2))


def test_an_opened_article_is_ranked_as_a_process_that_starts_again_ranks_it(version):
    propose(k=2)
    store_base(version, store_features(version))
    change_settings("Mary", RANDOM_NEVER)
    opened = hand_out("Ben").article_id
    judge_both(*(number for number in (1, *range(3, 10)) if number != opened))
    rank_when_opened("Ben", opened)
    here = [(one["sentence"], one["score"]) for one in rank_now("Ben", opened)["proposals"]]
    forget()
    assert [(one["sentence"], one["score"]) for one in rank_now("Ben", opened)["proposals"]] == here
    assert here[0][0] == 0  # the first sentence was key wherever it was judged
