"""Label sets made less complete on purpose, to study what training on them does."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from model.labelled import KEY, NOT_KEY, UNLABELLED, LabelledArticle


def hide_keys(articles: Sequence[LabelledArticle], share: float, seed: int) -> list[LabelledArticle]:
    """The articles with this share of all their key sentences unlabelled, chosen by the seed.

    What a smaller share hides, a larger one with the same seed hides too. Raises ValueError for a share outside 0..1.
    """
    if not 0 <= share < 1:
        raise ValueError(f"the share to hide is {share}; it must be from 0 to below 1")
    places = [(a, i) for a, article in enumerate(articles) for i, label in enumerate(article.labels) if label == KEY]
    order = np.random.default_rng(seed).permutation(len(places))
    hidden = {places[index] for index in order[: round(share * len(places))]}
    return [
        replace(article, labels=[UNLABELLED if (a, i) in hidden else label for i, label in enumerate(article.labels)])
        for a, article in enumerate(articles)
    ]


def reject_proposed(
    articles: Sequence[LabelledArticle],
    complete: Sequence[LabelledArticle],
    cosines: Sequence[np.ndarray],
    k: int,
) -> list[LabelledArticle]:
    """The articles as after a review of the k sentences of highest cosine: those that no label marks are rejected.

    A sentence that is key in `complete`, but hidden, is left unlabelled, as if the review had not come to it.
    """
    reviewed = []
    for article, whole, scores in zip(articles, complete, cosines, strict=True):
        labels = list(article.labels)
        for index in np.argsort(-scores, kind="stable")[:k]:
            if labels[index] == UNLABELLED and whole.labels[index] != KEY:
                labels[index] = NOT_KEY
        reviewed.append(replace(article, labels=labels))
    return reviewed
