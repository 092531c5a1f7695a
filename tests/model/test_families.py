"""Every family of encoders is trained, saved and loaded, and embeds alike: small ones, random from a fixed seed."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

import model.devices
from model.encoder import encode, limit_of, load, save
from model.training.curve import Step
from model.training.fine_tuning import fine_tune
from model.training.quick import quick_attention
from model.training.settings import Loss, TrainingSettings
from model.training.steps import decayed
from tests.model.training.test_fine_tuning import ARTICLES, KEY, OTHER, QUERY

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
TEXTS = [*KEY[:3], *OTHER[:3], "", "cells " * 90]
SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
RELATIVE = {"relative_attention": True, "position_biased_input": False, "pos_att_type": ["c2p", "p2c"]}


@dataclass(frozen=True)
class Family:
    """A configuration of transformers, what differs of it, and the tokens around a text."""

    name: str
    model: str
    values: dict[str, Any] = field(default_factory=lambda: SIZES | {"max_position_embeddings": 70})
    around: str = "[CLS] $A [SEP]"
    pooling: str = "mean"
    padding: str = "right"
    limit: int | None = 70


FAMILIES = [
    Family("Bert", "BertModel"),
    Family("Roberta", "RobertaModel", limit=69),
    Family("MPNet", "MPNetModel", limit=68),
    Family("Deberta", "DebertaModel", SIZES | RELATIVE | {"max_position_embeddings": 70}),
    Family(
        "DebertaV2",
        "DebertaV2Model",
        SIZES | RELATIVE | {"position_buckets": 16, "norm_rel_ebd": "layer_norm"},
        limit=512,
    ),
    Family(
        "ModernBert",
        "ModernBertModel",
        SIZES | {"local_attention": 8, "global_attn_every_n_layers": 2},
        pooling="cls",
        limit=8_192,
    ),
    Family(
        "Qwen3",
        "Qwen3Model",
        SIZES | {"num_key_value_heads": 1, "head_dim": 16},
        around="$A [SEP]",
        pooling="lasttoken",
        padding="left",
        limit=32_768,
    ),
    Family(
        "T5",
        "T5EncoderModel",
        {"d_model": 32, "num_layers": 2, "num_heads": 2, "d_kv": 16, "d_ff": 64, "num_decoder_layers": 0},
        around="$A [SEP]",
        limit=None,
    ),
]


def made(family: Family, folder) -> None:
    """Writes a small encoder of a family as such encoders are published."""
    words = dict.fromkeys(" ".join([QUERY, *KEY, *OTHER]).replace(".", " .").split())
    vocabulary = {word: number for number, word in enumerate([*SPECIAL, *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    ends = [(token, vocabulary[token]) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(single=family.around, special_tokens=ends)
    names = zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), SPECIAL, strict=True)
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, padding_side=family.padding, eos_token="[SEP]", **dict(names)
    ).save_pretrained(folder / "plain")
    torch.manual_seed(0)
    ids = {"pad_token_id": 0, "bos_token_id": 2, "cls_token_id": 2, "eos_token_id": 3, "sep_token_id": 3}
    config = getattr(transformers, f"{family.name}Config")(vocab_size=len(vocabulary), **ids, **family.values)
    getattr(transformers, family.model)(config).save_pretrained(folder / "plain")
    pooling = Pooling(32, pooling_mode=family.pooling)
    modules = [Transformer(str(folder / "plain")), pooling, Normalize()]
    SentenceTransformer(modules=modules, device="cpu").save_pretrained(str(folder / "made"), create_model_card=False)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_an_encoder_is_trained_saved_and_loaded_and_embeds_alike(family, tmp_path, monkeypatch):
    monkeypatch.setattr(model.devices, "bfloat16_pays", lambda device: True)  # as on the machines that train
    made(family, tmp_path)
    encoder = load(tmp_path / "made", device="cpu")
    before = encode(encoder, TEXTS, mixed_precision=False)
    theirs = encoder.encode(TEXTS, normalize_embeddings=True, show_progress_bar=False)
    assert before == pytest.approx(theirs, abs=1e-5)
    with quick_attention(encoder):
        assert encode(encoder, TEXTS, mixed_precision=False) == pytest.approx(before, abs=1e-5)
    with_decay, _ = decayed(encoder)
    assert {own.dim() for own in with_decay} == {2}
    settings = TrainingSettings(
        query=QUERY, loss=Loss.LISTWISE, epochs=6, batch_size=8, learning_rate=2e-3, warmup_steps=0, evaluate_every=0
    )
    steps = [step for step in fine_tune(encoder, ARTICLES, settings, validation=ARTICLES) if isinstance(step, Step)]
    assert steps[-1].loss < 0.9 * steps[0].loss
    trained = encode(encoder, TEXTS)
    assert abs(trained - before).max() > 0.05
    save(encoder, tmp_path / "child")
    child = load(tmp_path / "child", device="cpu")
    assert np.array_equal(encode(child, TEXTS), trained)
    assert child.max_seq_length == encoder.max_seq_length == min(256, family.limit or 256)
    assert limit_of(child) == family.limit
