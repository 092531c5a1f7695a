"""Settings are refused by naming the value and what is allowed."""

import json
from dataclasses import asdict, fields

import pytest

from annotate.retraining.setting_values import payload_of
from model.proposing.query import FIRST_QUERY, QUERY_TOKEN
from model.training.settings import BOUNDS, ENUMS, FEW_KEY_SENTENCES, PRESETS, TrainingSettings, preset_for


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_allowed_and_survive_a_job_payload(name):
    settings = PRESETS[name]
    payload = json.loads(json.dumps(payload_of(settings, "v1")))
    assert payload["parent"] == "v1"
    assert TrainingSettings(**payload["settings"]) == settings


def test_the_defaults_are_those_of_the_reference_method():
    settings = TrainingSettings()
    assert PRESETS["reference"] == settings
    assert settings.query == FIRST_QUERY
    assert (settings.loss, settings.margin, settings.batch_size, settings.epochs) == ("contrastive", 0.5, 32, 1)
    assert (settings.learning_rate, settings.weight_decay, settings.warmup_steps) == (2e-5, 0.01, 100)
    assert (settings.evaluate_every, settings.select_by) == (1000, "average precision")
    assert settings.negatives_per_key is None


def test_the_number_of_key_sentences_chooses_the_preset():
    assert [preset_for(number) for number in (0, FEW_KEY_SENTENCES - 1)] == ["few labels"] * 2
    assert preset_for(FEW_KEY_SENTENCES) == "best"


@pytest.mark.parametrize(("name", "value"), [(name, str(value)) for name, kind in ENUMS.items() for value in kind])
def test_choices_are_understood_by_their_name(name, value):
    settings = TrainingSettings(**{name: value})
    assert getattr(settings, name) is ENUMS[name](value)
    assert asdict(settings)[name] == value


def test_every_number_has_bounds():
    numbers = {f.name for f in fields(TrainingSettings) if f.type in (int, float | int, int | None)}
    assert numbers == set(BOUNDS)


@pytest.mark.parametrize("name", BOUNDS)
def test_both_bounds_are_allowed(name):
    assert [getattr(TrainingSettings(**{name: bound}), name) for bound in BOUNDS[name]] == list(BOUNDS[name])


def test_the_fresh_token_is_recognised():
    assert TrainingSettings(query=QUERY_TOKEN).has_query_token
    assert not TrainingSettings(query="gene").has_query_token and not TrainingSettings(query=None).has_query_token


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("loss", "hinge", "loss 'hinge' is none of contrastive, cosine similarity, logistic, listwise"),
        ("pooling", "sum", "pooling 'sum' is none of own, mean, cls, max"),
        ("query", "  ", "the query is empty"),
        ("margin", 2.1, r"margin is 2.1; it must be a number from 0 to 2"),
        ("margin", float("nan"), "margin is nan"),
        ("epochs", 0, "epochs is 0; it must be a whole number from 1 to 100"),
        ("epochs", 101, "epochs is 101"),
        ("epochs", None, "epochs is None"),
        ("epochs", "4", "epochs is '4'"),
        ("batch_size", 1, "batch_size is 1; it must be a whole number from 2 to 1024"),
        ("learning_rate", 0.0, "learning_rate is 0.0"),
        ("weight_decay", -0.1, "weight_decay is -0.1"),
        ("warmup_steps", -1, "warmup_steps is -1"),
        ("negatives_per_key", 0, "negatives_per_key is 0"),
        ("seed", -1, "seed is -1"),
        ("epochs", 1.5, "epochs is 1.5; it must be a whole number from 1 to 100"),
        ("batch_size", 32.0, "batch_size is 32.0; it must be a whole number"),
        ("query", 5, "query is 5; it must be a text"),
        ("dropout", "off", "dropout is 'off'; it must be true or false"),
    ],
)
def test_a_value_out_of_bounds_is_named(name, value, message):
    with pytest.raises(ValueError, match=message):
        TrainingSettings(**{name: value})
