"""How well an encoder tells key sentences from others: cosines by article, and the scores that choose weights."""

from collections.abc import Callable, Sequence

import numpy as np
from sentence_transformers import SentenceTransformer

from model.encoder import Texts, encode
from model.evaluation.metrics import average_precision, average_r_precision
from model.labelled import KEY, LabelledArticle
from model.training.pairs import table_of
from model.training.settings import SelectBy
from model.vectors import unit

# A training is validated every thousand steps: the reference method's 140,000 sentences would be encoded 14 times.
MOST_VALIDATED = 20_000  # sentences
# Higher is more alike. a: (n, d), b: (n, d) -> (n,). The four of the reference method.
SIMILARITIES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "cosine": lambda a, b: (a * b).sum(1) / np.maximum(np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1), 1e-12),
    "dot product": lambda a, b: (a * b).sum(1),
    "Euclidean": lambda a, b: -np.linalg.norm(a - b, axis=1),
    "Manhattan": lambda a, b: -np.abs(a - b).sum(1),
}


def cosines_of(
    encoder: SentenceTransformer,
    articles: Sequence[LabelledArticle],
    *,
    progress: Callable[[int], None] = lambda done: None,
) -> list[np.ndarray]:
    """Cosines of each article's sentences to its query, each of shape (n,); each distinct query is encoded once.

    `progress` gets the number of texts done, of all sentences and distinct queries.
    """
    table = table_of(articles)
    vectors = encode(encoder, table.sentences, queries=table.queries, progress=progress)
    queries, sentences = vectors[: len(table.queries)], vectors[len(table.queries) :]
    cosines = (sentences * queries[table.query]).sum(axis=1)
    return _by_article(cosines, articles)


def embeddings_of(
    encoder: SentenceTransformer,
    articles: Sequence[LabelledArticle],
    *,
    progress: Callable[[int], None] = lambda done: None,
) -> list[np.ndarray]:
    """Unit embeddings of each article's sentences, each of shape (n, dimension); `progress` gets the number done."""
    sentences = [sentence for article in articles for sentence in article.sentences]
    return _by_article(encode(encoder, sentences, progress=progress), articles)


def mean_key_embedding(encoder: SentenceTransformer, articles: Sequence[LabelledArticle]) -> np.ndarray:
    """The mean embedding of all key sentences, unit length, shape (dimension,); ValueError where there is none.

    The reference method ranks with it, in place of a query, where an encoder was not fine-tuned.
    """
    keys = [s for article in articles for s, true in zip(article.sentences, article.truth, strict=True) if true]
    if not keys:
        raise ValueError("no key sentence to take the mean of")
    return unit(encode(encoder, keys).mean(axis=0))


def judged_by(articles: Sequence[LabelledArticle], seed: int) -> list[LabelledArticle]:
    """The articles with key sentences that a training is judged by: all, or by lot up to MOST_VALIDATED sentences."""
    able = [article for article in articles if KEY in article.labels]
    order = np.random.default_rng(seed).permutation(len(able))
    ends = np.cumsum([len(able[place].sentences) for place in order])
    return [able[place] for place in np.sort(order[: max(1, np.searchsorted(ends, MOST_VALIDATED, side="right"))])]


def validation_score(
    encoder: SentenceTransformer,
    articles: Sequence[LabelledArticle],
    by: SelectBy,
    *,
    tokens: tuple[Texts, Texts] | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> float:
    """The score of these articles, 0 to 1, higher is better; unlabelled sentences count as not key.

    Average precision is over all pairs together, with the best of the four similarities; R-precision is the mean
    over articles, by cosine. `tokens`: the token ids of the distinct queries and of the sentences, for scores that are
    asked for again. `progress` gets the number of texts done.
    """
    table = table_of(articles)
    query_texts, sentence_texts = tokens or (table.queries, table.sentences)
    vectors = encode(encoder, sentence_texts, queries=query_texts, progress=progress, unit=False)
    queries, sentences = vectors[: len(table.queries)][table.query], vectors[len(table.queries) :]
    truth = [label for article in articles for label in article.truth]
    if by is SelectBy.AVERAGE_PRECISION:
        return max(average_precision(truth, alike(sentences, queries)) or 0.0 for alike in SIMILARITIES.values())
    scores = _by_article(SIMILARITIES["cosine"](sentences, queries), articles)
    return average_r_precision([(a.truth, own) for a, own in zip(articles, scores, strict=True)]) or 0.0


def _by_article(rows: np.ndarray, articles: Sequence[LabelledArticle]) -> list[np.ndarray]:
    ends = np.cumsum([len(article.sentences) for article in articles])
    return np.split(rows, ends[:-1]) if len(articles) else []
