"""Queries and sentences: each behind its prompt, and each on its own way where an encoder has two."""

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling, Router, Transformer

from model.encoder import encode, load, prompts_of, save, tokenize
from model.labelled import LabelledArticle
from model.prompts import Prompts, Side, prompts_in
from model.training.fine_tuning import fine_tune
from model.training.packed.cut import forward_in_chunks
from model.training.quick import word_embedding
from model.training.settings import TrainingSettings
from model.training.validation import cosines_of

PROMPTS = Prompts("the cell ", "we in ")
QUERIES = ["gene knockout from cell", "mouse"]
SENTENCES = ["we deleted tp53 in hela cells using crispr.", "mouse", "the assay was measured in buffer " * 5]


def with_prompts(source, folder, **pooling):
    """The folder of a copy that names prompts, with the pooling's words where there are any."""
    encoder = SentenceTransformer(str(source), device="cpu", prompts={"query": "the cell ", "passage": "we in "})
    if pooling:
        encoder[1] = Pooling(32, pooling_mode="mean", **pooling)
    encoder.save_pretrained(str(folder), create_model_card=False)
    return folder


def two_ways(source, folder):
    """The folder of an encoder that has other weights for queries than for sentences, and prompts."""
    ways = [[Transformer(str(source)), Pooling(32, pooling_mode="mean")] for _ in Side]
    with torch.no_grad():
        next(ways[0][0].parameters()).mul_(-1)
    router = Router.for_query_document(*ways)
    encoder = SentenceTransformer(modules=[router], device="cpu", prompts={"query": "the cell ", "document": "we in "})
    encoder.save_pretrained(str(folder), create_model_card=False)
    return folder


@pytest.fixture(params=["shared", "prompt not pooled", "two ways"])
def folder(request, tiny_encoder, tmp_path):
    """An encoder with prompts, by kind."""
    if request.param == "two ways":
        return two_ways(tiny_encoder, tmp_path / "made")
    pooling = {"include_prompt": False} if request.param == "prompt not pooled" else {}
    return with_prompts(tiny_encoder, tmp_path / "made", **pooling)


def theirs(encoder):
    """The embeddings of sentence-transformers itself."""
    asked = encoder.encode_query(QUERIES, prompt=PROMPTS.query, normalize_embeddings=True, show_progress_bar=False)
    read = encoder.encode_document(
        SENTENCES, prompt=PROMPTS.document, normalize_embeddings=True, show_progress_bar=False
    )
    return np.concatenate([asked, read])


def test_vectors_are_those_of_sentence_transformers_with_the_prompts(folder):
    encoder = load(folder, device="cpu")
    assert prompts_of(encoder) == PROMPTS == prompts_in(folder)
    vectors = encode(encoder, SENTENCES, queries=QUERIES, mixed_precision=False)
    assert vectors == pytest.approx(theirs(encoder), abs=1e-5)
    assert vectors[:2] == pytest.approx(encode(encoder, [], queries=QUERIES, mixed_precision=False), abs=1e-5)
    assert vectors[2:] == pytest.approx(encode(encoder, SENTENCES, mixed_precision=False), abs=1e-5)
    assert abs(vectors[1] - vectors[3]).max() > 1e-4  # one and the same word, asked for and read


def test_what_training_sees_is_what_is_encoded(folder):
    encoder = load(folder, device="cpu").eval()
    rows = [*tokenize(encoder, QUERIES, Side.QUERY), *tokenize(encoder, SENTENCES)]
    with torch.no_grad():
        vectors = torch.nn.functional.normalize(forward_in_chunks(encoder, rows, len(QUERIES)), dim=1).numpy()
    assert vectors == pytest.approx(encode(encoder, SENTENCES, queries=QUERIES, mixed_precision=False), abs=1e-5)


def test_an_encoder_with_two_sides_learns_and_is_loaded_as_it_was_saved(folder, tmp_path):
    given = {QUERIES[0]: [1, 0, 0], "cells": [0, 0, 1]}
    articles = [LabelledArticle(query, query, SENTENCES, labels) for query, labels in given.items()]
    encoder = load(folder, device="cpu")
    before = cosines_of(encoder, articles)
    settings = TrainingSettings(query=None, epochs=8, batch_size=6, learning_rate=2e-3, warmup_steps=0, dropout=False)
    fine_tune(encoder, articles, settings)
    after = cosines_of(encoder, articles)
    assert after[0][0] - after[0][1] > before[0][0] - before[0][1] + 0.1
    save(encoder, tmp_path / "child")
    child = load(tmp_path / "child", device="cpu")
    assert prompts_of(child) == PROMPTS
    assert (encode(child, SENTENCES, queries=QUERIES) == encode(encoder, SENTENCES, queries=QUERIES)).all()


def test_two_ways_share_no_small_vocabulary(tiny_encoder, tmp_path):
    assert word_embedding(load(tiny_encoder, device="cpu")) is not None
    assert word_embedding(load(two_ways(tiny_encoder, tmp_path / "made"), device="cpu")) is None


def test_a_prompt_counts_among_the_tokens_that_an_encoder_reads(tiny_encoder, tmp_path):
    encoder = load(with_prompts(tiny_encoder, tmp_path / "made"), device="cpu")
    encoder.max_seq_length = 6
    (row,) = tokenize(encoder, ["mouse " * 9])
    assert encoder.tokenizer.convert_ids_to_tokens(row) == ["[CLS]", "we", "in", "mouse", "mouse", "[SEP]"]
