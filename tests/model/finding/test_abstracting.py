"""ABS: what it can write, its loss and penalties by hand, and that it learns to write a facet after its signal."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch

from model.finding.abstracting import AbstractingModel, Beam, DecoderShape, Written, positions, summaries, summary_loss
from model.finding.extraction import worded
from model.finding.pseudo_queries import Vocabulary, mesh_word, vocabulary_of
from model.finding.ranker_files import load_ranker, save_ranker
from model.finding.ranker_settings import RankerSettings
from model.finding.reader import reader_of_encoder
from model.finding.rounds import Task, train_rounds

WORDS = Vocabulary(("gene", "cell"), ("tp53", "kras", "hela", "a549", "mesh_d009369"))


def test_mesh_terms_are_words_by_their_code_or_name() -> None:
    assert mesh_word("D009369:Neoplasms") == "mesh_d009369"
    assert mesh_word("Cystic Fibrosis") == "mesh_cystic_fibrosis"


def test_a_facet_is_written_between_its_own_symbols() -> None:
    written = WORDS.written("cell", ["hela", "unheard-of", "a549"])
    names = [*WORDS.symbols, *WORDS.words]
    assert [names[number] for number in written] == ["<cell>", "hela", "a549", "</cell>"]
    assert WORDS.read(written) == ["hela", "a549"]


def test_the_most_frequent_words_can_be_written() -> None:
    found = vocabulary_of(["gene"], ["kras kras tp53", "tp53 kras hela"], ["mesh_d1", "mesh_d1"], most=3)
    assert found.words == ("kras", "mesh_d1", "tp53")


def test_the_loss_is_the_mean_over_words_without_padding() -> None:
    logits = torch.log(torch.tensor([[[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]]]))
    assert float(summary_loss(logits, torch.tensor([[1, 0]]))) == pytest.approx(-math.log(0.5), rel=1e-5)


def test_positions_are_sines_and_cosines() -> None:
    assert positions(2, 4)[1].tolist() == pytest.approx(
        [math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)], rel=1e-5
    )


def test_long_ways_and_those_that_look_everywhere_are_preferred() -> None:
    beam = Beam(length_penalty=0.4, coverage_penalty=0.4)
    way = Written((1, 2, 3), -2.0, torch.tensor([1.5, 0.5]))
    by_hand = -2.0 / (7 / 6) ** 0.4 + 0.4 * (math.log(1.0) + math.log(0.5)) / 2
    assert way.score(beam) == pytest.approx(by_hand, rel=1e-5)


def test_it_learns_to_write_each_facet_after_its_signal_and_survives_its_files(
    tiny_encoder: Path, tmp_path: Path
) -> None:
    torch.manual_seed(0)
    vectors = torch.nn.functional.normalize(torch.randn(len(WORDS.words), 16), dim=1)
    shape = DecoderShape(layers=1, width=32, heads=2, between=64, dropout=0.0)
    model = AbstractingModel(reader_of_encoder(tiny_encoder, "cpu"), WORDS, vectors, shape)
    pairs = [(gene, cell) for gene in ("tp53", "kras") for cell in ("hela", "a549")]
    laid = [worded(model.reader, [f"knockout of {gene} in {cell} cells"], 32).laid for gene, cell in pairs]
    examples = [
        (row, WORDS.written(facet, [word]))
        for row, (gene, cell) in zip(laid, pairs, strict=True)
        for facet, word in (("gene", gene), ("cell", cell))
    ] * 4

    def loss_of(batch: np.ndarray) -> torch.Tensor:
        return model([examples[i][0] for i in batch], [examples[i][1] for i in batch])

    settings = RankerSettings(epochs=25, batch_size=8, learning_rate=1e-3, fresh_rate=5e-3, dropout=False)
    lengths = [len(row) for row, _ in examples]
    train_rounds(Task(model, lengths, loss_of, model.decoder_parts), settings)
    beam = Beam(width=2, merged=1, most_words=4)
    assert summaries(model, laid, ["gene", "cell"], beam) == [[gene, cell] for gene, cell in pairs]
    save_ranker(model, tmp_path, {"beam": {"width": 2, "merged": 1, "most_words": 4}})
    again, kept = load_ranker(tmp_path, "cpu")
    assert Beam(**kept["beam"]) == beam and summaries(again, laid[:2], ["cell"], beam) == [["hela"], ["a549"]]
