"""Settings are refused by naming the value and what is allowed."""

import json
from dataclasses import asdict

import pytest

from annotate.work import payload_of
from model.settings import LOSS_NAMES, Negatives, TrainingSettings


def test_the_defaults_are_allowed_and_survive_a_job_payload():
    settings = TrainingSettings()
    payload = json.loads(json.dumps(payload_of(settings, "v1")))
    assert payload["parent"] == "v1"
    assert TrainingSettings(**payload["settings"]) == settings


@pytest.mark.parametrize("name", list(map(str, Negatives)))
def test_negatives_are_understood_by_their_name(name):
    assert TrainingSettings(negatives=name).negatives is Negatives(name)
    assert asdict(TrainingSettings(negatives=name))["negatives"] == name


@pytest.mark.parametrize("loss", LOSS_NAMES)
def test_every_loss_can_be_chosen(loss):
    assert TrainingSettings(loss=loss).loss == loss


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("loss", "triplet", "loss 'triplet' is none of contrastive, cosine similarity"),
        ("negatives", "all", "'all' is not a valid Negatives"),
        ("query", "  ", "the query is empty"),
        ("margin", 2.1, r"margin is 2.1; it must be from 0.0 to 2.0"),
        ("margin", float("nan"), "margin is nan"),
        ("epochs", 0, "epochs is 0; it must be from 1 to 100"),
        ("epochs", 101, "epochs is 101"),
        ("batch_size", 1, "batch_size is 1; it must be from 2 to 1024"),
        ("learning_rate", 0.0, "learning_rate is 0.0"),
        ("weight_decay", -0.1, "weight_decay is -0.1"),
        ("warmup_steps", -1, "warmup_steps is -1"),
        ("negatives_per_key", 0, "negatives_per_key is 0"),
    ],
)
def test_a_value_out_of_bounds_is_named(name, value, message):
    with pytest.raises(ValueError, match=message):
        TrainingSettings(**{name: value})
