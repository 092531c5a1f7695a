"""The mean of several trainings: hand-computed, equal to single trainings averaged by hand, never worse than before."""

from dataclasses import replace

import pytest
import torch

from model.labelled import LabelledArticle
from model.training.averaging import MeanWeights
from model.training.curve import Checkpoint, Step
from model.training.settings import Loss, TrainingSettings
from tests.model.training.test_fine_tuning import ARTICLES, SETTINGS, ap, trained, weights, with_scores


def test_the_running_mean_is_that_of_all_and_leaves_whole_numbers_alone():
    mean = MeanWeights()
    for weight, place, factor in ((1.0, 7, 0.9), (2.0, 8, 0.6), (6.0, 9, 0.3)):
        mean.add({"weight": torch.tensor([weight]), "place": torch.tensor([place])}, factor)
    assert mean.count == 3
    assert mean.tensors["weight"].item() == pytest.approx(3.0)
    assert mean.tensors["place"].item() == 7
    assert mean.factor == pytest.approx(0.6)


def test_a_weight_that_is_added_may_change_afterwards():
    mean, weight = MeanWeights(), torch.ones(2)
    mean.add({"weight": weight}, 1.0)
    weight.zero_()
    assert mean.tensors["weight"].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("validation", [(), ARTICLES], ids=["last weights", "best weights"])
def test_averaged_runs_are_the_mean_of_trainings_with_the_seeds_that_follow(tiny_encoder, validation):
    single = [
        weights(trained(tiny_encoder, replace(SETTINGS, epochs=2, seed=seed), validation=validation)[0])
        for seed in (3, 4)
    ]
    averaged, _ = trained(tiny_encoder, replace(SETTINGS, epochs=2, seed=3, averaged_runs=2), validation=validation)
    apart = [name for name in single[0] if not torch.equal(single[0][name], single[1][name])]
    assert apart  # the seeds matter
    for name, found in weights(averaged).items():
        expected = (single[0][name] + single[1][name]) / 2 if found.is_floating_point() else single[0][name]
        assert torch.allclose(found, expected, atol=1e-7), name


def test_words_that_do_not_occur_are_averaged_too(tiny_encoder):
    """Weight decay shrinks them in each run; a listwise loss draws whole articles, so that runs differ in length."""
    settings = replace(SETTINGS, loss=Loss.LISTWISE, weight_decay=0.5, averaged_runs=2)
    averaged, _ = trained(tiny_encoder, settings)
    one, _ = trained(tiny_encoder, replace(settings, averaged_runs=1))
    other, _ = trained(tiny_encoder, replace(settings, averaged_runs=1, seed=1))
    name = next(name for name in weights(one) if name.endswith("word_embeddings.weight"))
    rows = [weights(encoder)[name] for encoder in (averaged, one, other)]
    assert torch.allclose(rows[0], (rows[1] + rows[2]) / 2, atol=1e-6)


def test_the_curve_counts_the_steps_of_all_runs_and_ends_with_the_score_of_the_mean(tiny_encoder):
    encoder, history = trained(tiny_encoder, replace(SETTINGS, epochs=1, averaged_runs=3), validation=ARTICLES)
    steps = [entry.step for entry in history if isinstance(entry, Step)]
    checked = [entry for entry in history if isinstance(entry, Checkpoint)]
    assert steps == list(range(1, len(steps) + 1)) and len(steps) % 3 == 0
    assert [entry.steps for entry in history if isinstance(entry, Step)] == [len(steps)] * len(steps)
    assert checked[-1].step == len(steps) and checked[-1].score == pytest.approx(ap(encoder), abs=0.2)


def test_a_mean_that_ranks_worse_than_the_encoder_as_it_came_is_not_kept(tiny_encoder, monkeypatch):
    as_it_came, _ = trained(tiny_encoder, replace(SETTINGS, epochs=1, learning_rate=1e-8, weight_decay=0.0))
    with_scores(monkeypatch, 0.5, 0.6, 0.5, 0.6, 0.4)  # each run is better, and their mean worse
    encoder, history = trained(tiny_encoder, replace(SETTINGS, epochs=1, averaged_runs=2), validation=ARTICLES)
    assert [entry.score for entry in history if isinstance(entry, Checkpoint)] == [0.5, 0.6, 0.5, 0.6, 0.4]
    kept, start = weights(encoder), weights(as_it_came)
    assert all(torch.allclose(kept[name], start[name], atol=1e-5) for name in kept)


def test_so_many_runs_as_there_may_be():
    assert TrainingSettings(averaged_runs=20).averaged_runs == 20
    with pytest.raises(ValueError, match="averaged_runs is 0; it must be a whole number from 1 to 20"):
        TrainingSettings(averaged_runs=0)


def test_training_on_one_article_alone_can_be_averaged(tiny_encoder):
    article = LabelledArticle("one", SETTINGS.query or "", ["tp53 was deleted.", "the buffer was known."], [1, 0])
    _, history = trained(tiny_encoder, replace(SETTINGS, epochs=1, averaged_runs=2), [article])
    assert [entry.step for entry in history if isinstance(entry, Step)] == [1, 2]
