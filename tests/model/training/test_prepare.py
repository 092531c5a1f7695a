"""Pooling, length and the fresh query token, as settings ask for them."""

import numpy as np
import pytest
import torch

from model.encoder import encode, load, save, tokenize
from model.proposing.query import QUERY_TOKEN
from model.training.prepare import prepare
from model.training.settings import Pooling, TokenStart, TrainingSettings

TEXTS = ["we deleted tp53 in hela cells.", "the assay was measured."]


def token_vectors(encoder, text: str) -> np.ndarray:
    with torch.no_grad():
        return encoder.encode([text], output_value="token_embeddings")[0].numpy()


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        (Pooling.OWN, lambda tokens: tokens.mean(axis=0)),
        (Pooling.MEAN, lambda tokens: tokens.mean(axis=0)),
        (Pooling.CLS, lambda tokens: tokens[0]),
        (Pooling.MAX, lambda tokens: tokens.max(axis=0)),
    ],
)
def test_the_pooling_is_set_and_survives_saving(tiny_encoder, tmp_path, pooling, expected):
    encoder = load(tiny_encoder, device="cpu")
    wanted = np.stack([expected(token_vectors(encoder, text)) for text in TEXTS])
    prepare(encoder, TrainingSettings(pooling=pooling))
    save(encoder, tmp_path / "saved")
    for pooled in (encoder, load(tmp_path / "saved", device="cpu")):
        np.testing.assert_allclose(encode(pooled, TEXTS, mixed_precision=False, unit=False), wanted, atol=1e-5)


@pytest.mark.parametrize(("max_tokens", "read"), [(None, 64), (32, 32), (100, 100), (4_000, 128)])
def test_texts_are_cut_where_the_settings_say_within_what_the_encoder_has_positions_for(
    tiny_encoder, tmp_path, max_tokens, read
):
    encoder = load(tiny_encoder, device="cpu")
    prepare(encoder, TrainingSettings(max_tokens=max_tokens))
    save(encoder, tmp_path / "saved")
    for cut in (encoder, load(tmp_path / "saved", device="cpu", most_tokens=None)):
        assert [len(row) for row in tokenize(cut, ["mouse", "mouse " * 5_000])] == [3, read]
        assert np.isfinite(encode(cut, ["mouse " * 5_000])).all()


def test_the_fresh_token_begins_at_zeros_or_at_a_vector_of_the_seed(tiny_encoder):
    def start(how: TokenStart, seed: int) -> torch.Tensor:
        encoder = load(tiny_encoder, device="cpu")
        before = encode(encoder, TEXTS)
        prepare(encoder, TrainingSettings(query=QUERY_TOKEN, token_start=how, seed=seed))
        np.testing.assert_array_equal(encode(encoder, TEXTS), before)  # no other word is touched
        number = encoder.tokenizer.convert_tokens_to_ids(QUERY_TOKEN)
        return encoder[0].auto_model.get_input_embeddings().weight[number].detach()

    assert (start(TokenStart.ZEROS, 1) == 0).all()
    one, again, other = (start(TokenStart.RANDOM, seed) for seed in (1, 1, 2))
    assert torch.equal(one, again) and not torch.equal(one, other)
    assert 0.005 < float(one.std()) < 0.05  # BERT draws its vectors with 0.02


def test_without_query_token_the_vocabulary_stays_as_it_is(tiny_encoder):
    encoder = load(tiny_encoder, device="cpu")
    before = len(encoder.tokenizer)
    prepare(encoder, TrainingSettings(query="gene knockout"))
    assert len(encoder.tokenizer) == before
