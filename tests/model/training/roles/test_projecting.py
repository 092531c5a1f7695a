"""Function vectors: what is of a topic, what is shrunk and stretched, and the projection of terms that repeats it."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from model.encoder import encode, load
from model.training.roles import projecting
from model.training.roles.projecting import fit_projection, function_vectors, topicality, weighted
from model.vectors import unit


def test_a_token_that_comes_again_where_it_stands_is_of_a_topic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projecting, "LEAST_SEEN", 2)
    # eight times each: 1 in eight of sixteen texts, 2 four times in two, 3 in one text alone
    rows = [[1, 2, 2, 2, 2]] * 2 + [[1]] * 6 + [[3] * 8] + [[0]] * 7
    found = topicality(rows, 5)
    by_chance = 16 * (1 - np.exp(-8 / 16))  # of that many texts some would hold it
    assert found[1:3] == pytest.approx(np.log2([by_chance / 8, by_chance / 2]))
    assert found[3] == found[4] == projecting.RARE


def test_the_mean_over_tokens_leaves_topics_out(tiny_encoder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projecting, "LEAST_SEEN", 1)
    monkeypatch.setattr(projecting, "TOPICAL", 60.0)
    texts = ["cell cell cell cell cell the", *["the"] * 9]
    encoder = load(tiny_encoder, "cpu")
    without = weighted(encoder, texts)
    states = encoder.encode("the cell cell", output_value="token_embeddings").cpu().numpy()
    assert encode(without, ["the cell cell"], unit=False)[0] == pytest.approx(states[1], abs=1e-3)


def test_what_differs_within_functions_is_shrunk_and_what_nobody_listed_stays() -> None:
    rng = np.random.default_rng(0)
    functions = np.repeat([0, 1, -1], 60)
    rows = rng.normal(0, 0.1, (180, 3))
    rows[:, 0] += rng.normal(0, 5, 180)  # the topic
    rows[:60, 1] += 1
    rows[60:120, 1] -= 1
    rows[120:150, 2] += 1  # two functions that were not listed
    rows[150:, 2] -= 1
    found = function_vectors(rows, functions)

    def apart(vectors: np.ndarray, one: slice, other: slice) -> float:
        cosines = unit(vectors) @ unit(vectors).T
        return float(cosines[one, one].mean() - cosines[one, other].mean())

    for one, other in ((slice(0, 60), slice(60, 120)), (slice(120, 150), slice(150, 180))):
        assert apart(found, one, other) > apart(rows - rows.mean(axis=0), one, other) + 0.1
    assert function_vectors(rows, np.full(180, -1)).shape == (180, 3)


def test_the_projection_repeats_the_encoder(tiny_encoder: Path) -> None:
    abstracts = [(["the cell", "mouse edited", "the mouse gene"], [0, 1, -1])] * 6
    sentences = abstracts[0][0]
    counter = CountVectorizer().fit(sentences)
    seen: list[int] = []
    projection = fit_projection(
        load(tiny_encoder, "cpu"),
        lambda texts: counter.transform(texts).astype(np.float32),
        abstracts,
        progress=lambda done, total: seen.append(done) or None,
    )
    assert projection.shape == (len(counter.vocabulary_), 32) and seen[-1] == 18
    found = unit(counter.transform(sentences) @ projection)
    assert (found @ found.T)[~np.eye(3, dtype=bool)].max() < 0.6
