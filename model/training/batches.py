"""The batches of a training, epoch by epoch, and the hard negatives that its encoder finds for them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sentence_transformers import SentenceTransformer

from model.encoder import encode
from model.training.packed.stepping import Stepper
from model.training.pairs import batches_by_article, batches_by_length, cut_articles, epoch_of
from model.training.settings import Compared, Negatives, TrainingSettings


@dataclass(slots=True)
class Batches:
    """Draws the batches of a training. `seed` deals the articles, `generator` does all else.

    An epoch has as many parts as hard negatives are found in it; each article is in one. `on_encoded` is called after
    each batch of sentences that is encoded to find them.
    """

    encoder: SentenceTransformer
    settings: TrainingSettings
    stepper: Stepper
    generator: np.random.Generator
    seed: int
    on_encoded: Callable[[int], None]

    @property
    def parts(self) -> int:
        """Of an epoch; no more than there are articles."""
        wanted = self.settings.hard_renewals if self.settings.negatives is Negatives.HARD else 1
        return min(wanted, len(self._articles()))

    def of(self, epoch: int, part: int) -> list[np.ndarray]:
        """The batches of a part of an epoch, both from 1: arrays of indices into the table."""
        table, settings, tokens = self.stepper.table, self.settings, self.stepper.tokens
        # Which sentences are in this part; articles are dealt again in each epoch.
        shuffled = np.random.default_rng([self.seed, epoch]).permutation(self._articles())
        own = np.isin(table.article, shuffled[part - 1 :: self.parts])
        # With parts, the very first is random: what an encoder that knows the query little ranks high is not hard.
        hard = settings.negatives is Negatives.HARD and (self.parts == 1 or (epoch, part) != (1, 1))
        scores = self._scores(own) if hard else None
        chosen = epoch_of(table, settings, self.generator, scores)
        chosen = chosen[own[chosen]]
        if settings.loss.compared is not Compared.NOTHING:
            chosen = cut_articles(table, chosen, self.generator)
            batches = batches_by_article(table.article[chosen], settings.batch_size, self.generator)
        else:
            lengths = [len(tokens[i]) for i in chosen.tolist()]
            batches = batches_by_length(lengths, settings.batch_size, self.generator)
        return [chosen[batch] for batch in batches]

    def _articles(self) -> np.ndarray:
        """The numbers of the articles that any epoch takes sentences of."""
        return np.unique(self.stepper.table.article[list(self.stepper.tokens)])

    def _scores(self, own: np.ndarray) -> np.ndarray:
        """The cosines by which hard negatives are found, shape (n,); nan for what this part does not take."""
        table = self.stepper.table
        indices = np.array([i for i in self.stepper.tokens if own[i]])
        vectors = encode(
            self.encoder, [table.sentences[i] for i in indices], queries=table.queries, progress=self.on_encoded
        )
        queries, sentences = np.split(vectors, [len(table.queries)])
        scores = np.full(len(table.sentences), np.nan)
        scores[indices] = (sentences * queries[table.query[indices]]).sum(axis=1)
        return scores
