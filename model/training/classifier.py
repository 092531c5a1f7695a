"""A fine-tuned encoder as a classifier: how likely each sentence is key, by its cosine to one query."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sentence_transformers import SentenceTransformer

from model.encoder import encode
from model.labelled import LabelledArticle
from model.proposing.query import generic_query
from model.proposing.rules import BLANK
from model.training.fine_tuning import fine_tune
from model.training.losses import log_odds
from model.training.settings import PRESETS, TrainingSettings

# What sentences are compared with: training moves its vector to where key sentences are.
QUERY = generic_query(BLANK)
SETTINGS = replace(PRESETS["few labels"], query=QUERY)


@dataclass(frozen=True, eq=False)
class Classifier:
    """An encoder and the vector of the query that it was trained with, shape (dimension,). At the cosine `margin` to it
    a sentence is as likely key as not."""

    encoder: SentenceTransformer
    query: np.ndarray
    margin: float

    def log_odds(self, sentences: Sequence[str]) -> np.ndarray:
        """How likely each sentence is key, shape (n,), as the logistic loss has it; key from 0 on."""
        if not len(sentences):
            return np.zeros(0)
        return log_odds(encode(self.encoder, sentences) @ self.query, self.margin)


def fit_classifier(
    encoder: SentenceTransformer,
    articles: Sequence[tuple[Sequence[str], Sequence[int]]],
    settings: TrainingSettings = SETTINGS,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Classifier:
    """Trains the encoder in place on the sentences of articles and their labels, each KEY or NOT_KEY.

    progress: is told now and then how many steps are done, and of how many.
    Raises ValueError unless there are sentences of both classes, and Diverged.
    """
    train = [
        LabelledArticle(str(number), QUERY, sentences, labels) for number, (sentences, labels) in enumerate(articles)
    ]
    fine_tune(encoder, train, settings, on_step=lambda step: progress(step.step, step.steps))
    return Classifier(encoder, encode(encoder, [], queries=[QUERY])[0], settings.margin)
