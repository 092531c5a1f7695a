"""EXT: words and their tokens, targets, the loss by hand, and that it learns."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch

from model.finding.extraction import ExtractionModel, extracted, extraction_loss, targets_of, worded
from model.finding.ranker_files import load_ranker, save_ranker
from model.finding.ranker_settings import RankerSettings
from model.finding.reader import reader_of_encoder
from model.finding.rounds import Task, train_rounds


@pytest.fixture
def model(tiny_encoder: Path) -> ExtractionModel:
    torch.manual_seed(0)
    return ExtractionModel(reader_of_encoder(tiny_encoder, "cpu"))


def test_each_token_knows_its_word_and_borders_have_none(model: ExtractionModel) -> None:
    article = worded(model.reader, ["Knockout of genes.", "HeLa cells"], 64)
    assert article.words == ("", "knockout", "of", "genes", ".", "", "hela", "cells", "")
    assert len(article.words) == len(article.laid.ids)
    assert article.laid.segments == [0, 0, 0, 0, 0, 0, 1, 1, 1]
    assert targets_of(article, {"genes", "hela"}) == [0, 0, 0, 1, 0, 0, 1, 0, 0]


def test_a_cut_article_keeps_words_and_tokens_in_step(model: ExtractionModel) -> None:
    article = worded(model.reader, ["human cells", "mouse genes of patients"], 7)
    assert len(article.words) == len(article.laid.ids) <= 7
    assert article.words == ("", "human", "cells", "", "mouse", "genes", "")


def test_the_loss_leaves_padding_out() -> None:
    odds = torch.zeros(2, 2)
    mask = torch.tensor([[1, 1], [1, 0]])
    # three tokens with p = .5: one asked for, two not, which weigh .075
    by_hand = math.log(2) * (1 + 2 * 0.075) / 3
    assert float(extraction_loss(odds, mask, [[1.0, 0.0], [0.0]], 0.075)) == pytest.approx(by_hand, rel=1e-5)


def test_it_learns_what_is_asked_for_and_survives_its_files(model: ExtractionModel, tmp_path: Path) -> None:
    texts = ["knockout of tp53 in cells", "expression of kras in human cells", "growth of tp53 and kras in mouse"]
    articles = [worded(model.reader, [text], 32) for text in texts] * 4
    targets = [targets_of(article, {"tp53", "kras"}) for article in articles]

    def loss_of(batch: np.ndarray) -> torch.Tensor:
        odds, mask = model([articles[i].laid for i in batch])
        return extraction_loss(odds, mask, [targets[i] for i in batch], 0.3)

    settings = RankerSettings(epochs=12, batch_size=4, learning_rate=3e-3, fresh_rate=1e-2, dropout=False)
    train_rounds(Task(model, [len(each) for each in articles], loss_of, [model.head]), settings)
    assert [set(words) for words in extracted(model, articles[:3])] == [{"tp53"}, {"kras"}, {"tp53", "kras"}]
    save_ranker(model, tmp_path, {})
    again, _ = load_ranker(tmp_path, "cpu")
    assert extracted(again, articles[:3]) == extracted(model, articles[:3])
