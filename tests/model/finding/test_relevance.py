"""REL: its loss and its likenesses against numbers computed by hand, and that it learns."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch

from model.finding.ranker_files import load_ranker, save_ranker
from model.finding.ranker_settings import RankerSettings
from model.finding.reader import Laid, laid_out, reader_of_encoder, words_of
from model.finding.relevance import RelevanceModel, likenesses, negative_weight, relevance_of, weighted_loss
from model.finding.rounds import Task, train_rounds
from model.training.checkpoints import Checkpoints
from model.training.curve import Step

SETTINGS = RankerSettings(epochs=12, batch_size=8, learning_rate=3e-3, fresh_rate=1e-2, warmup_steps=2, dropout=False)


def test_the_loss_weighs_the_negative_class() -> None:
    odds = torch.tensor([0.0, math.log(3)])  # p = .5 and .75
    by_hand = (-math.log(0.5) - 0.15 * math.log(0.25)) / 2
    assert float(weighted_loss(odds, torch.tensor([1.0, 0.0]), 0.15)) == pytest.approx(by_hand, rel=1e-5)


def test_the_weight_makes_both_classes_weigh_the_same() -> None:
    assert negative_weight([1.0] * 13 + [0.0] * 87) == pytest.approx(13 / 87)  # the reference's .15
    assert negative_weight([0.0, 0.0]) == negative_weight([1.0]) == 1.0


def test_likenesses_are_cosines_of_means_and_of_the_best_tokens() -> None:
    # [CLS] a b [SEP] q r [SEP], and one place of padding.
    vectors = torch.tensor(
        [[[9.0, 9.0], [1.0, 0.0], [0.0, 1.0], [9.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [5.0, 5.0], [7.0, 7.0]]]
    )
    laid = Laid([101, 1, 2, 102, 3, 4, 102], [0] * 7, 4)
    whole, best = likenesses(vectors, [laid])[0].tolist()
    assert whole == pytest.approx(0.0, abs=1e-6)  # the mean of q and r is 0
    assert best == pytest.approx((1.0 + 0.0) / 2)  # q is like a; r is at a right angle with b


@pytest.fixture(scope="module")
def examples(tiny_encoder: Path) -> tuple[Path, list[tuple[str, str, float]]]:
    words = ["cells", "genes", "human", "mouse"]
    pairs = [(one, other, float(one == other)) for one in words for other in words]
    return tiny_encoder, pairs * 2


def learn(
    folder: Path, pairs: list[tuple[str, str, float]], checkpoints: Checkpoints | None = None, stop: int = 0
) -> RelevanceModel:
    torch.manual_seed(0)
    model = RelevanceModel(reader_of_encoder(folder, "cpu"))
    laid = rows_of(model, pairs)
    labels = torch.tensor([label for *_, label in pairs])

    def loss_of(batch: np.ndarray) -> torch.Tensor:
        return weighted_loss(model([laid[i] for i in batch]), labels[torch.as_tensor(batch)], 1 / 3)

    def on_step(step: Step) -> None:
        if step.step == stop:
            raise KeyboardInterrupt

    train_rounds(
        Task(model, [len(row) for row in laid], loss_of, model.fresh),
        SETTINGS,
        on_step=on_step,
        checkpoints=checkpoints,
    )
    return model


def rows_of(model: RelevanceModel, pairs: list[tuple[str, str, float]]) -> list[Laid]:
    tokens = [words_of(model.reader.tokenizer, [text, asked]) for text, asked, _ in pairs]
    return [laid_out([text], asked, model.reader.borders, 16) for text, asked in tokens]


def test_it_learns_which_article_answers_and_survives_its_files(examples, tmp_path: Path) -> None:
    folder, pairs = examples
    model = learn(folder, pairs)
    odds = relevance_of(model, rows_of(model, pairs))
    labels = np.array([label for *_, label in pairs])
    assert odds[labels == 1].min() > odds[labels == 0].max()
    save_ranker(model, tmp_path)
    again = load_ranker(tmp_path, "cpu")
    assert relevance_of(again, rows_of(again, pairs)) == pytest.approx(odds, abs=2e-2)


def test_the_seed_decides_and_a_training_goes_on_where_it_was_killed(examples, tmp_path: Path) -> None:
    folder, pairs = examples
    rows = rows_of(whole := learn(folder, pairs), pairs)
    assert (relevance_of(whole, rows) == relevance_of(learn(folder, pairs), rows)).all()
    kept = lambda: Checkpoints(tmp_path, {"of": "this"}, every_seconds=0.0)  # noqa: E731 (one line, used twice)
    with pytest.raises(KeyboardInterrupt):
        learn(folder, pairs, kept(), stop=7)
    assert (relevance_of(learn(folder, pairs, kept()), rows) == relevance_of(whole, rows)).all()


def test_a_version_of_an_earlier_release_that_was_trained_by_cls_alone_still_is(examples, tmp_path: Path) -> None:
    folder, pairs = examples
    stored = RelevanceModel(reader_of_encoder(folder, "cpu"))
    torch.nn.init.zeros_(stored.alike.weight)
    torch.nn.init.zeros_(stored.alike.bias)
    save_ranker(stored, tmp_path)
    model = load_ranker(tmp_path, "cpu")
    rows = rows_of(model, pairs[:4])
    with torch.no_grad():
        vectors, _ = model.reader(rows)
        assert torch.allclose(model(rows), model.head(vectors[:, 0])[:, 0])


def test_a_setting_out_of_bounds_is_named() -> None:
    with pytest.raises(ValueError, match=r"max_tokens is 5; it must be a whole number from 16 to 512"):
        RankerSettings(max_tokens=5)
