"""The private names of libraries, each run once: when a library changes them, its test says what to read again."""

from importlib.metadata import version

import pytest
from transformers import BertConfig, BertModel

from model.training.library_internals import SEEN_IN, attention_can_be_chosen, attention_of


@pytest.mark.parametrize("library", SEEN_IN)
def test_private_names_were_read_in_the_release_that_is_installed(library):
    installed = version(library).partition("+")[0]
    assert installed == SEEN_IN[library], (
        f"{library} is {installed}, but its private names were last read in {SEEN_IN[library]}: "
        "read them again (model/training/library_internals.py), then write the new release there"
    )


@pytest.fixture(scope="module")
def model() -> BertModel:
    config = BertConfig(vocab_size=4, hidden_size=4, num_hidden_layers=1, num_attention_heads=1, intermediate_size=4)
    return BertModel(config)


@pytest.mark.parametrize("name", ["eager", "sdpa"])
def test_the_attention_that_is_read_is_the_one_that_was_set(model, name):
    model.set_attn_implementation(name)
    assert attention_of(model) == name, "transformers no longer keeps it in config._attn_implementation"


def test_an_architecture_says_whether_its_attention_can_be_chosen(model, monkeypatch):
    assert attention_can_be_chosen(model) is True, "transformers no longer marks it by _supports_attention_backend"
    monkeypatch.setattr(BertModel, "_supports_attention_backend", False)
    assert attention_can_be_chosen(model) is False
