"""Which sentences each part of an epoch takes, and when the encoder finds hard negatives for them."""

from dataclasses import replace

import numpy as np
import pytest

from model.encoder import load, tokenize
from model.labelled import LabelledArticle
from model.prompts import Side
from model.training.batches import Batches
from model.training.packed.stepping import Stepper
from model.training.pairs import table_of
from model.training.settings import Loss, Negatives, TrainingSettings

# One key sentence and five others in each article.
ARTICLES = [
    LabelledArticle(f"a{n}", "the cell", [f"we {word} in article {n}" for word in "abcdef"], [1, -1, -1, -1, -1, -1])
    for n in range(7)
]
SETTINGS = TrainingSettings(negatives=Negatives.HARD, negatives_per_key=2, batch_size=4, hard_renewals=3)


@pytest.fixture
def encoded() -> list[int]:
    """How many texts were encoded, each time that some were."""
    return []


@pytest.fixture
def batches(tiny_encoder, encoded) -> Batches:
    encoder, table = load(tiny_encoder, device="cpu"), table_of(ARTICLES)
    tokens = dict(enumerate(tokenize(encoder, table.sentences)))
    queries = tokenize(encoder, table.queries, Side.QUERY)
    noise = np.random.default_rng(0)
    stepper = Stepper(encoder, SETTINGS, table, queries=queries, tokens=tokens, noise=noise)
    return Batches(encoder, SETTINGS, stepper, np.random.default_rng(0), 0, on_encoded=encoded.append)


def taken(batches: Batches, epoch: int, part: int) -> list[int]:
    return sorted(np.concatenate(batches.of(epoch, part)).tolist())


def articles(batches: Batches, sentences: list[int]) -> set[int]:
    return set(batches.stepper.table.article[sentences].tolist())


@pytest.mark.parametrize("loss", [Loss.CONTRASTIVE, Loss.LISTWISE])
def test_each_article_is_in_one_part_of_an_epoch_and_dealt_anew_in_the_next(batches, loss):
    batches.settings = replace(SETTINGS, loss=loss)
    epochs = [[taken(batches, epoch, part) for part in (1, 2, 3)] for epoch in (1, 2)]
    for parts in epochs:
        assert sorted(len(articles(batches, part)) for part in parts) == [2, 2, 3]
        assert set.union(*(articles(batches, part) for part in parts)) == set(range(7))
        assert sum(len(part) for part in parts) == 7 * 3
    assert articles(batches, epochs[0][0]) != articles(batches, epochs[1][0])


def test_hard_negatives_are_found_in_the_articles_of_a_part_but_not_for_the_very_first(batches, encoded):
    for epoch, part, texts in ((1, 1, 0), (1, 2, 6 * 2 + 1), (2, 1, 6 * 3 + 1)):
        encoded.clear()
        batches.of(epoch, part)
        assert max(encoded, default=0) == texts


def test_an_epoch_of_one_part_has_hard_negatives_from_its_beginning(batches, encoded):
    batches.settings = replace(SETTINGS, hard_renewals=1)
    assert articles(batches, taken(batches, 1, 1)) == set(range(7)) and max(encoded) == 6 * 7 + 1


def test_there_are_no_more_parts_than_articles_and_one_where_negatives_are_not_hard(batches):
    batches.settings = replace(SETTINGS, hard_renewals=100)
    assert batches.parts == 7 and len(taken(batches, 1, 7)) == 3
    batches.settings = replace(SETTINGS, negatives=Negatives.UNLABELLED)
    assert batches.parts == 1 and articles(batches, taken(batches, 1, 1)) == set(range(7))
