"""What a retrain learns from: which sentences count as not key, by split and setting."""

import pytest

import db.review.verdicts
from annotate.evaluation.evaluate_version import NotEnoughGold
from annotate.gold.label_sets import current_label_set
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.retraining.training_set import (
    check_trainable,
    label_counts,
    label_table,
    labelled_articles,
)
from db.values import PICKED
from model.labelled import KEY, LabelledArticle
from tests.support.labels import gene_labels, set_labels
from tests.support.making import judge, paper, pmids, reading, store, verdict
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES

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


def articles(split: str = "train", query: str | None = None) -> list[LabelledArticle]:
    with read() as session:
        return labelled_articles(session, current_label_set(session), split, query)


def labels(split: str = "train") -> dict[str, list[int]]:
    return {article.key: list(article.labels) for article in articles(split)}


def test_an_unlabelled_sentence_is_not_key_only_in_an_article_read_in_full(train):
    assert labels() == {"1": [1, 0, -1, -1], "2": [0, 0, 0, 1]}  # article 3 has no label at all
    assert list(articles()[0].sentences) == [f"Sentence {letter} of 1." for letter in "ABCD"]


def test_no_sentence_of_another_split_is_ever_taken(train):
    assert labels("validation") == {"4": [1, 0, -1, -1]}
    assert labels("test") == {"5": [1, -1, -1, -1]}


def test_each_article_has_its_own_query_or_the_one_given(train):
    with write(Right.SYSTEM) as session:
        set_labels(session, 2, gene_labels("TP53", "HeLa", "KD"))
    assert [article.query for article in articles()] == [GENERIC, "TP53 knockdown from HeLa"]
    assert [article.query for article in articles(query="my query")] == ["my query"] * 2


def test_labels_are_counted_as_training_may_take_them(train):
    assert label_counts(articles()) == {"key": 2, "not_key": 4, "unlabelled": 2}


def test_a_missing_class_is_named(train):
    judge("Anna", 1, verdict(0, "withdrawn"))
    judge("Anna", 2, verdict(3, "reject"))
    with pytest.raises(NotEnoughGold, match="the train split has no key sentence yet"):
        label_counts(articles())
    with pytest.raises(NotEnoughGold, match="the train split has no key sentence yet"):
        label_counts([])
    with pytest.raises(NotEnoughGold, match="the train split has no sentence that is not key"):
        label_counts([LabelledArticle("a", "the cell", ["A key sentence."], [KEY])])


def test_disputed_and_unsure_sentences_are_no_labels(train):
    judge("Ben", 1, verdict(0, "reject"))
    assert labels()["1"] == [-1, 0, -1, -1]


def test_the_table_counts_articles_and_labels_by_split(train):
    with read() as session:
        table = label_table(session, current_label_set(session))
        assert db.review.verdicts.count_by_origin(session) == {"added": 6, "proposed": 1}
    assert table == [
        {"split": "train", "articles": 2, "key": 2, "not_key": 1, "read_in_full": 1},
        {"split": "validation", "articles": 1, "key": 1, "not_key": 1, "read_in_full": 0},
        {"split": "test", "articles": 1, "key": 1, "not_key": 0, "read_in_full": 0},
    ]


def test_the_table_leaves_out_what_nothing_is_measured_on(train):
    for article_id, position in ((5, 0), (3, 1)):
        judge("Anna", article_id, verdict(position, shown={"ranking": PICKED}))
    with read() as session:
        label_set = current_label_set(session)
        table = {row["split"]: (row["articles"], row["key"]) for row in label_table(session, label_set)}
    assert label_set.picked == {3, 5} and table == {"train": (3, 3), "validation": (1, 1), "test": (0, 0)}


@pytest.mark.parametrize(
    ("events", "others"),
    [
        ([], 0),
        ([verdict(0, "reject")], 0),
        ([verdict(0)], 0),
        ([verdict(n) for n in range(4)], 0),
        ([verdict(0), verdict(1, "reject")], 0),
        ([verdict(0), reading()], 0),
        ([*(verdict(n) for n in range(4)), reading()], 0),
        ([*(verdict(n) for n in range(4))], 1),
    ],
)
def test_whether_there_is_enough_to_train_on_is_told_without_the_text(home, events, others):
    store(*(paper([f"Sentence {letter} of {n}." for letter in "ABCD"], pmid=n) for n in pmids("train", 2)))
    judge("Anna", 1, *events)
    judge("Anna", 2, *[verdict(1, "reject")][:others])
    with read() as session:
        label_set = current_label_set(session)
        said = []
        for check in (
            lambda: label_counts(labelled_articles(session, label_set, "train")),
            lambda: check_trainable(session, label_set),
        ):
            try:
                check()
                said.append("")
            except NotEnoughGold as error:
                said.append(str(error))
    assert said[0] == said[1]
