"""Low-rank adapters: few weights learn, and the encoder that is left is a plain one."""

import sys

import pytest
import torch

from model.encoder import encode, load, save
from model.training.fine_tuning import fine_tune
from model.training.machine.adapters import NoAdapters, adapters, linear_layers
from model.training.settings import TrainingSettings
from tests.model.training.test_fine_tuning import ARTICLES, KEY, SETTINGS


def test_a_rank_of_0_changes_nothing(tiny_encoder):
    encoder = load(tiny_encoder, device="cpu")
    before = {name: p.requires_grad for name, p in encoder.named_parameters()}
    with adapters(encoder, TrainingSettings()):
        assert {name: p.requires_grad for name, p in encoder.named_parameters()} == before


def test_adapters_go_to_the_linear_layers_of_attention_and_feed_forward(tiny_encoder):
    names = linear_layers(load(tiny_encoder, device="cpu"))
    assert names and all(name.startswith("encoder.layer.") for name in names)
    assert {name.rpartition(".")[2] for name in names} == {"query", "key", "value", "dense"}


def test_without_the_library_it_says_how_to_get_it(tiny_encoder, monkeypatch):
    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(NoAdapters, match=r"pip install -r requirements-lora.txt, or a LoRA rank of 0"):
        fine_tune(load(tiny_encoder, device="cpu"), ARTICLES, TrainingSettings(lora_rank=4))


@pytest.mark.parametrize("more", [{"query": "[QUERY]"}, {"averaged_runs": 2}])
def test_what_adapters_cannot_learn_is_refused(more):
    with pytest.raises(ValueError, match="lora_rank is 4; it must be 0 with a fresh token or averaged runs"):
        TrainingSettings(lora_rank=4, **more)


def test_adapters_learn_alone_and_are_part_of_the_weights_in_the_end(tiny_encoder, tmp_path):
    pytest.importorskip("peft", reason="peft is not installed: requirements-lora.txt")
    encoder, before = (load(tiny_encoder, device="cpu") for _ in range(2))
    settings = TrainingSettings(**{**_values(SETTINGS), "lora_rank": 4, "learning_rate": 1e-2})
    curve = fine_tune(encoder, ARTICLES, settings, validation=ARTICLES)
    scores = [point.score for point in curve if hasattr(point, "score")]
    assert max(scores) > scores[0]
    now, then = encoder.state_dict(), before.state_dict()
    assert list(now) == list(then) and all(p.requires_grad for p in encoder.parameters())
    changed = {name for name in now if not torch.equal(now[name], then[name])}
    assert changed and all(name.endswith("weight") and "encoder.layer" in name for name in changed)
    save(encoder, tmp_path / "child")
    again = load(tmp_path / "child", device="cpu")
    assert encode(again, KEY) == pytest.approx(encode(encoder, KEY), abs=1e-6)


def _values(settings: TrainingSettings) -> dict[str, object]:
    return {name: getattr(settings, name) for name in settings.__dataclass_fields__}
