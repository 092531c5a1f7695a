"""Function vectors: a projection of a sentence's terms, which repeats what the first layers of an encoder say of it.

The last layers, and the words of a topic, tell what a sentence is about. What is left tells its function, also one
without a phrase in the list (docs/measurements/roles.md). Only the projection is kept: to read needs no encoder.
Imports torch.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling, WordWeights
from sklearn.linear_model import Ridge

from model.encoder import encode, tokenize, tokenizer_of
from model.prompts import Side
from model.vectors import unit

# All chosen on functions that were left out of the phrases.
LAYERS = 4  # of MiniLM's six
TOPICAL = 5.0  # a token counts 2 to the minus so many times its topicality
LEAST_SEEN = 20  # abstracts; a token of fewer counts as one of a topic
RARE = 2.0  # its topicality
SPREAD = 1.0  # added to the variances within functions, whose mean is 1
STRETCHED = 2.0  # times, along what tells the functions of the phrases apart
LEAST_OF_A_FUNCTION = 3  # sentences
DIMENSION = 96
RIDGE = 1.0  # scikit-learn's alpha
MOST_SENTENCES = 10_000  # without a function, drawn by lot


def fit_projection(
    encoder: SentenceTransformer,
    features: Callable[[Sequence[str]], Any],
    abstracts: Sequence[tuple[Sequence[str], Sequence[int]]],
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> np.ndarray:
    """A projection, shape (terms, d), d at most DIMENSION, float32.

    encoder: its first LAYERS. features: TF-IDF of sentences, sparse (n, terms). abstracts: their sentences, and the
    functions of these as numbers, negative where unknown.
    """
    sentences = np.array([sentence for own, _ in abstracts for sentence in own], dtype=object)
    functions = np.array([one for _, own in abstracts for one in own], dtype=np.int64)
    others = np.random.default_rng(seed).permutation(np.flatnonzero(functions < 0))[:MOST_SENTENCES]
    chosen = np.concatenate([np.flatnonzero(functions >= 0), others])
    texts = sentences[chosen].tolist()
    without_topic = weighted(encoder, [" ".join(own) for own, _ in abstracts])
    vectors = encode(without_topic, texts, unit=False, progress=lambda done: progress(done, len(texts)))
    wanted = function_vectors(vectors, functions[chosen])
    regression = Ridge(alpha=RIDGE, solver="lsqr", tol=1e-2, fit_intercept=False).fit(features(texts), wanted)
    return np.ascontiguousarray(regression.coef_.T, dtype=np.float32)


def weighted(encoder: SentenceTransformer, texts: Sequence[str]) -> SentenceTransformer:
    """The encoder with the mean over tokens weighted: the more a token belongs to topics of the texts, the less."""
    tokenizer = tokenizer_of(encoder, Side.DOCUMENT)
    tokens = sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().get)
    counted = np.exp2(-TOPICAL * topicality(tokenize(encoder, texts), len(tokens)))
    counted[tokenizer.all_special_ids] = 0
    weights = WordWeights(tokens, dict(zip(tokens, counted.tolist(), strict=True)))
    return SentenceTransformer(
        modules=[encoder[0], weights.to(encoder.device), Pooling(encoder.get_embedding_dimension())]
    )


def topicality(rows: Sequence[Sequence[int]], tokens: int) -> np.ndarray:
    """In how many fewer texts each token stands than by chance, in bits, shape (tokens,): residual inverse document
    frequency (Church and Gale 1995). A token of less than LEAST_SEEN texts has RARE. rows: token ids by text.
    """
    times, texts = np.zeros(tokens), np.zeros(tokens)
    for row in rows:
        ids, counts = np.unique(np.asarray(row, dtype=np.int64), return_counts=True)
        times[ids] += counts
        texts[ids] += 1
    known = texts >= LEAST_SEEN
    found = np.full(tokens, RARE)
    by_chance = -np.expm1(-times[known] / len(rows))
    found[known] = np.log2(by_chance * len(rows) / texts[known])
    return found


def function_vectors(vectors: np.ndarray, functions: np.ndarray) -> np.ndarray:
    """Vectors in which sentences of one function lie together, of other functions apart, shape (n, DIMENSION or less).

    Directions are shrunk the more, the more sentences of one function differ along them; those that tell the functions
    apart are stretched. None is lost. vectors: (n, d). functions: (n,), negative where unknown.
    """
    found = vectors.astype(np.float64) - vectors.mean(axis=0)
    numbers, counts = np.unique(functions[functions >= 0], return_counts=True)
    groups = [functions == number for number in numbers[counts >= LEAST_OF_A_FUNCTION]]
    if groups:
        variances, axes = np.linalg.eigh(sum(np.cov(found[group].T, ddof=0) for group in groups))
        found = found @ axes / np.sqrt(np.maximum(variances, 0) / max(variances.mean(), 1e-12) + SPREAD)
        means = np.stack([found[group].mean(axis=0) for group in groups])
        _, lengths, telling = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
        telling = telling[lengths > 1e-6 * max(lengths[0], 1e-12)]
        found += (STRETCHED - 1) * found @ telling.T @ telling
    found = unit(found) - unit(found).mean(axis=0)
    _, axes = np.linalg.eigh(found.T @ found)
    return np.asarray(found @ axes[:, ::-1][:, :DIMENSION], dtype=np.float32)
