"""Settings of train jobs, also of jobs that an earlier release queued."""

import pytest

from annotate.retraining.setting_values import settings_of
from model.training.settings import TrainingSettings


def test_a_job_that_an_earlier_release_queued_trains_without_the_settings_that_are_gone():
    payload = {"settings": {"epochs": 2, "gpus": 1, "lora_rank": 0, "hard_renewals": 1, "anchor": 0.0}}
    payload["settings"]["negatives"] = "unlabelled"
    assert settings_of(payload) == TrainingSettings(epochs=2)
    assert payload["settings"]["gpus"] == 1  # the job's row is left as it is


def test_a_setting_that_is_gone_and_had_an_effect_is_refused_by_its_name():
    with pytest.raises(ValueError, match="lora_rank is 8; this release has no such setting"):
        settings_of({"settings": {"lora_rank": 8}})
    with pytest.raises(ValueError, match="negatives is hard; this release has no such setting"):
        settings_of({"settings": {"negatives": "hard", "hard_renewals": 1}})
    with pytest.raises(
        ValueError, match="loss 'triplet' is none of contrastive, cosine similarity, logistic, listwise"
    ):
        settings_of({"settings": {"loss": "triplet"}})


def test_a_job_without_settings_has_the_usual_ones():
    assert settings_of({}) == TrainingSettings()
