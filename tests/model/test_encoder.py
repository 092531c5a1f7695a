"""Encoders: safetensors only, no code of the model's own, batches by tokens, unit vectors."""

import gc
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Dense

from model.encoder import (
    MAX_TOKENS,
    encode,
    limit_of,
    load,
    pad,
    padded,
    save,
    tokenize,
)
from model.prompts import Side

SENTENCES = ["we deleted tp53 in hela cells using crispr.", "mouse", "the assay was measured in buffer", "mouse"]


@pytest.fixture(scope="module")
def encoder(tiny_encoder):
    """The tiny encoder, loaded once."""
    return load(tiny_encoder, device="cpu")


def test_vectors_are_unit_length_float32_and_in_the_order_of_the_texts(encoder):
    done: list[int] = []
    vectors = encode(encoder, SENTENCES, progress=done.append)
    assert (vectors.dtype, vectors.shape, done[-1]) == (np.float32, (4, 32), 4)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(4), abs=1e-6)
    assert vectors[1] == pytest.approx(vectors[3])
    for position, text in enumerate(SENTENCES):
        assert vectors[position] == pytest.approx(encode(encoder, [text])[0], abs=1e-5)


@pytest.mark.parametrize("collects", [True, False])
def test_the_garbage_collector_is_left_as_it_was(encoder, collects):
    (gc.enable if collects else gc.disable)()
    try:
        tokenize(encoder, SENTENCES)
        assert gc.isenabled() == collects
    finally:
        gc.enable()


def test_vectors_are_those_of_sentence_transformers_itself(encoder):
    theirs = encoder.encode(SENTENCES, normalize_embeddings=True, show_progress_bar=False)
    assert encode(encoder, SENTENCES, mixed_precision=False) == pytest.approx(theirs, abs=1e-5)


@pytest.mark.parametrize(("limit", "width"), [(64, 24), (21, 21)])
def test_lengths_are_rounded_up_within_what_the_encoder_has_positions_for(tiny_encoder, limit, width):
    encoder = load(tiny_encoder, device="cpu")
    encoder.max_seq_length = limit
    padded = pad(encoder, tokenize(encoder, ["cells " * 19, "mouse"]))
    assert padded["input_ids"].shape == padded["attention_mask"].shape == (2, width)
    assert padded["attention_mask"].sum(dim=1).tolist() == [21, 3]


@pytest.mark.parametrize(
    ("written", "most", "read"),
    [(64, 256, 64), (64, 32, 32), (64, None, 64), (500, 256, 128), (500, 100, 100), (None, None, 128)],
)
def test_texts_are_cut_by_the_files_the_positions_and_the_most_that_was_asked_for(
    tiny_encoder, tmp_path, written, most, read
):
    shutil.copytree(tiny_encoder, tmp_path / "copy")
    path = tmp_path / "copy" / "tokenizer_config.json"
    settings = {name: value for name, value in json.loads(path.read_text()).items() if name != "model_max_length"}
    path.write_text(json.dumps(settings | ({"model_max_length": written} if written else {})))
    encoder = load(tmp_path / "copy", device="cpu", most_tokens=most)
    assert (encoder.max_seq_length, limit_of(encoder)) == (read, 128)
    assert load(tmp_path / "copy", device="cpu").max_seq_length == min(written or 128, 128)


def test_no_texts_give_no_vectors(encoder):
    assert encode(encoder, []).shape == (0, 32)


def test_an_empty_and_an_endless_text_have_vectors_too(encoder):
    vectors = encode(encoder, ["", "cells " * 50_000, "\U0001f9ec"])
    assert np.isfinite(vectors).all()
    assert max(map(len, tokenize(encoder, ["cells " * 50_000]))) <= min(MAX_TOKENS, encoder.max_seq_length)


def test_a_saved_encoder_is_safetensors_and_loads_alike(encoder, tmp_path):
    save(encoder, tmp_path / "copy")
    names = {path.name for path in (tmp_path / "copy").rglob("*")}
    assert "model.safetensors" in names and not any(name.endswith(".bin") for name in names)
    again = load(tmp_path / "copy", device="cpu")
    assert encode(again, SENTENCES) == pytest.approx(encode(encoder, SENTENCES), abs=1e-6)


class Canary:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return os.system, (f"touch {self.path}",)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "pytorch_model.pt", "model.pkl"])
def test_a_model_of_pickled_weights_is_refused_and_its_code_never_run(tiny_encoder, tmp_path, name):
    folder, canary = tmp_path / "evil", tmp_path / "canary"
    shutil.copytree(tiny_encoder, folder)
    (folder / "model.safetensors").unlink()
    torch.save(Canary(canary), folder / name)
    with pytest.raises(OSError, match="safetensors"):
        load(folder, device="cpu")
    assert not canary.exists()


@pytest.mark.parametrize("kind", ["os.system", "evil.Module", "builtins.exec"])
def test_a_model_that_names_its_own_code_is_refused_and_not_run(tiny_encoder, tmp_path, kind):
    folder, canary = tmp_path / "evil", tmp_path / "canary"
    shutil.copytree(tiny_encoder, folder)
    (folder / "evil.py").write_text(f"open({str(canary)!r}, 'w')\nclass Module: pass\n")
    modules = json.loads((folder / "modules.json").read_text())
    modules[0]["type"] = kind
    (folder / "modules.json").write_text(json.dumps(modules))
    with pytest.raises((OSError, ValueError)):
        load(folder, device="cpu")
    assert not canary.exists()


def test_a_configuration_that_maps_to_code_of_its_own_is_not_run(tiny_encoder, tmp_path):
    folder, canary = tmp_path / "evil", tmp_path / "canary"
    shutil.copytree(tiny_encoder, folder)
    (folder / "evil.py").write_text(f"open({str(canary)!r}, 'w')\n")
    path = folder / "config.json"
    config = json.loads(path.read_text()) | {"auto_map": {"AutoConfig": "evil.Config", "AutoModel": "evil.Model"}}
    path.write_text(json.dumps(config))
    load(folder, device="cpu")  # as the BERT that it is
    path.write_text(json.dumps(config | {"model_type": "unheard-of"}))
    with pytest.raises((OSError, ValueError)):
        load(folder, device="cpu")
    assert not canary.exists()


@pytest.mark.parametrize("damage", ["cut", "empty", "missing tokenizer"])
def test_a_model_with_broken_files_is_refused(tiny_encoder, tmp_path, damage):
    folder = tmp_path / "broken"
    shutil.copytree(tiny_encoder, folder)
    weights = folder / "model.safetensors"
    if damage == "missing tokenizer":
        for path in (*folder.glob("tokenizer*"), *folder.glob("vocab*")):
            path.unlink()
    else:
        weights.write_bytes(weights.read_bytes()[: 1000 if damage == "cut" else 0])
    with pytest.raises((OSError, ValueError)):
        load(folder, device="cpu")


def test_what_is_not_there_cannot_be_had(tmp_path):
    with pytest.raises(OSError):
        load(tmp_path / "none", device="cpu")


@pytest.mark.parametrize("stored_as", [torch.float16, torch.bfloat16])
def test_weights_stored_in_half_precision_are_float32_once_loaded(tiny_encoder, tmp_path, stored_as):
    whole = SentenceTransformer(str(tiny_encoder), device="cpu")
    whole.append(Dense(32, 16))
    whole.to(stored_as).save_pretrained(str(tmp_path / "half"), create_model_card=False)
    stored = load_file(tmp_path / "half" / "model.safetensors")
    assert {weights.dtype for weights in stored.values()} == {stored_as}
    encoder = load(tmp_path / "half", device="cpu")
    assert {weights.dtype for weights in encoder.parameters()} == {torch.float32}
    save(encoder, tmp_path / "again")
    stored = load_file(tmp_path / "again" / "model.safetensors")
    assert {weights.dtype for weights in stored.values()} == {torch.float32}


def test_the_progress_of_an_encoding_counts_to_its_end(encoder):
    done = []
    encode(encoder, ["the gene", "a cell"], progress=done.append)
    assert done == [2]
    long = encode(encoder, ["the gene", "a cell"], unit=False)
    assert np.linalg.norm(long, axis=1) != pytest.approx([1, 1], abs=0.01)
    unit = encode(encoder, ["the gene", "a cell"])
    assert unit == pytest.approx(long / np.linalg.norm(long, axis=1, keepdims=True), abs=1e-2)


@pytest.mark.parametrize("side", ["right", "left"])
def test_tokens_and_padding_are_those_of_transformers_itself(encoder, side):
    tokenizer = encoder.tokenizer
    tokenizer.padding_side = side
    texts = ["Cas9 cut TP53.", "", "cells " * 400, "a b c d e f g"]
    stock = tokenizer(texts, truncation=True, max_length=encoder.max_seq_length)["input_ids"]
    assert tokenize(encoder, texts) == stock and max(map(len, stock)) == encoder.max_seq_length
    wanted = tokenizer.pad({"input_ids": stock}, return_tensors="np", padding="longest")
    ids, mask = padded(encoder, stock)
    assert np.array_equal(ids, wanted["input_ids"]) and np.array_equal(mask, wanted["attention_mask"])


def test_token_ids_are_encoded_as_their_texts_are(encoder):
    queries, texts = ["gene knockout"], ["Cas9 cut TP53.", "cells were grown"]
    tokens = tokenize(encoder, queries, Side.QUERY), tokenize(encoder, texts)
    assert np.array_equal(encode(encoder, tokens[1], queries=tokens[0]), encode(encoder, texts, queries=queries))
