"""What a retrain learns from: which sentences count as not key, by split and setting."""

import pytest

from annotate.evaluate import NotEnoughGold
from annotate.gold import current_label_set
from annotate.home import read, write
from annotate.labels import parse_labels, set_labels
from annotate.training_set import TrainingSet, label_table, origin_counts, training_set
from model.query import BEST_GENERIC, GENERIC_QUERIES
from model.settings import Negatives, TrainingSettings
from tests.making import judge, paper, pmids, reading, store, verdict

GENERIC = GENERIC_QUERIES[BEST_GENERIC]


@pytest.fixture
def train(home) -> None:
    """Train articles 1 (one key, one rejected of four), 2 (read in full), 3 (no labels); 4 and 5 of other splits."""
    chosen = [*pmids("train", 3), *pmids("validation", 1), *pmids("test", 1)]
    for number, pmid in enumerate(chosen, start=1):
        store(paper([f"Sentence {letter} of {number}." for letter in "ABCD"], pmid=pmid))
    judge("Anna", 1, verdict(0), verdict(1, "reject", shown={"rank": 1}))
    judge("Anna", 2, verdict(3), verdict(2, "unsure"), reading())
    judge("Anna", 4, verdict(0), verdict(1, "reject"))
    judge("Anna", 5, verdict(0))


def chosen(split: str = "train", **settings) -> TrainingSet:
    with read() as session:
        return training_set(session, current_label_set(session), TrainingSettings(**settings), split)


def named(found: TrainingSet) -> dict[str, int]:
    return {
        text.removeprefix("Sentence ").rstrip("."): y for text, y in zip(found.sentences, found.labels, strict=True)
    }


REVIEWED = {"A of 1": 1, "B of 1": 0, "A of 2": 0, "B of 2": 0, "C of 2": 0, "D of 2": 1}


def test_reviewed_negatives_are_rejected_or_unlabelled_in_an_article_read_in_full(train):
    found = chosen(negatives=Negatives.REVIEWED)
    assert named(found) == REVIEWED
    assert found.counts == {"key": 2, "not_key": 4}


def test_unlabelled_negatives_add_the_other_sentences_of_labelled_articles(train):
    assert named(chosen(negatives=Negatives.UNLABELLED)) == {**REVIEWED, "C of 1": 0, "D of 1": 0}


@pytest.mark.parametrize(("per_key", "not_key"), [(1, 4), (2, 4), (3, 6), (20, 6)])
def test_weak_negatives_fill_up_to_so_many_a_key_sentence(train, per_key, not_key):
    found = chosen(negatives=Negatives.UNLABELLED, negatives_per_key=per_key)
    assert found.counts == {"key": 2, "not_key": not_key}


def test_the_seed_chooses_the_weak_negatives(home):
    store(paper([f"Sentence {n} is here." for n in range(40)], pmid=pmids("train", 1)[0]))
    judge("Anna", 1, verdict(0))
    draws = [chosen(negatives_per_key=5, seed=seed).sentences for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]
    assert all(len(draw) == 6 and len(set(draw)) == 6 for draw in draws)


def test_no_sentence_of_another_split_is_ever_taken(train):
    assert named(chosen("validation")) == {"A of 4": 1, "B of 4": 0, "C of 4": 0, "D of 4": 0}
    assert all(name.endswith("of 5") for name in named(chosen("test")))


def test_each_sentence_goes_with_its_articles_own_query_or_with_the_one_given(train):
    with write() as session:
        set_labels(session, 2, parse_labels("TP53", "HeLa", "KD"))
    found = chosen(negatives=Negatives.REVIEWED)
    by_article = {(text[-2:-1], words) for text, words in zip(found.sentences, found.queries, strict=True)}
    assert by_article == {("1", GENERIC), ("2", "TP53 knockdown from HeLa")}
    assert set(chosen(query="my query").queries) == {"my query"}


def test_a_missing_class_is_named(train):
    judge("Anna", 1, verdict(0, "withdrawn"))
    judge("Anna", 2, verdict(3, "reject"))
    with pytest.raises(NotEnoughGold, match="the train split has no key sentence yet"):
        chosen()
    with pytest.raises(NotEnoughGold, match="the test split has no sentence that is not key"):
        chosen("test", negatives=Negatives.REVIEWED)


def test_disputed_and_unsure_sentences_are_no_labels(train):
    judge("Ben", 1, verdict(0, "reject"))
    assert named(chosen(negatives=Negatives.REVIEWED)) == {k: v for k, v in REVIEWED.items() if k != "A of 1"}


def test_the_table_counts_articles_and_labels_by_split(train):
    with read() as session:
        table = label_table(session, current_label_set(session))
        assert origin_counts(session) == {"added": 6, "proposed": 1}
    assert table == [
        {"split": "train", "articles": 2, "key": 2, "not_key": 1, "read_in_full": 1},
        {"split": "validation", "articles": 1, "key": 1, "not_key": 1, "read_in_full": 0},
        {"split": "test", "articles": 1, "key": 1, "not_key": 0, "read_in_full": 0},
    ]
