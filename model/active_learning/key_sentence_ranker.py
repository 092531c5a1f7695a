"""What examples teach, in the form of scikit-learn: an estimator that is fitted on sentences and ranks an article's.

It is the ranking of a topic by examples (wording.py) with the encoder that reads for it.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import scipy
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from model.active_learning.self_training import Labelled, Unlabelled, fit_self_trained
from model.active_learning.sentence_terms import without_names
from model.evaluation.metrics import average_r_precision
from model.files import embedded_encoder
from model.labelled import KEY, NOT_KEY, UNLABELLED

if TYPE_CHECKING:
    from model.training.classifier import Classifier

SHIPPED = "all-MiniLM-L6-v2"
Articles = Sequence[str] | Sequence[Sequence[str]]
Labels = Sequence[int] | Sequence[Sequence[int]] | np.ndarray | Sequence[np.ndarray]
KEPT = 100_000  # vectors of an encoder: 150 MB of the shipped one's


class Ranked(NamedTuple):
    """A sentence of a ranked article: its position from 0, its words, and its log odds of being key."""

    position: int
    sentence: str
    log_odds: float


class KeySentenceRanker(BaseEstimator):  # type: ignore[misc]  # (scikit-learn has no types)
    """Learns which sentences count from sentences that do and that do not; five of either kind are a beginning.

    encoder: the folder or hub id of the Sentence Transformer that reads what sentences mean; by default the shipped
    one. Vectors of sentences are kept while the process lives, so that further fits and folds do not wait for them.
    fine_tune: whether a copy of the encoder is trained on the labels, too, a minute or more on two cores: worth it from
    some hundred judged sentences on. The log odds are then the mean of both, and are not calibrated.
    """

    def __init__(self, encoder: str | Path = SHIPPED, *, fine_tune: bool = False) -> None:
        self.encoder = encoder
        self.fine_tune = fine_tune

    def fit(
        self,
        articles: Articles,
        labels: Labels,
        *,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> Self:
        """Learns from articles, each a list of sentences, and a list of labels for each: 1 key, 0 not key, and -1 not
        judged: of many such sentences the likeliest and some unlikely ones teach, too.

        It also takes one list of sentences with their labels; its probabilities are then not calibrated, which needs
        articles. progress: is told how many steps of the encoder's training are done, and of how many.
        ValueError where the numbers differ, a label is another one, or there are not both kinds.
        """
        sentences, truth, numbers = _flat(articles, labels)
        is_judged = truth != UNLABELLED
        judged, others = ([sentences[row] for row in np.flatnonzero(rows)] for rows in (is_judged, ~is_judged))
        self.ranker_ = fit_self_trained(
            Labelled(judged, self._vectors(judged), truth[is_judged], np.ones(len(judged))),
            Unlabelled(others, self._vectors(others), np.zeros(len(others))),
            # What calibrates the words alone says nothing of the mean with the encoder.
            None if numbers is None or self.fine_tune else numbers[is_judged],
        )
        self.classifier_ = self._fine_tuned(sentences, truth, numbers, progress) if self.fine_tune else None
        self.classes_ = np.array([NOT_KEY, KEY])
        return self

    def decision_function(self, sentences: Sequence[str]) -> np.ndarray:
        """The log odds that each sentence is key, shape (n,). Raises scikit-learn's NotFittedError."""
        check_is_fitted(self)
        found = self.ranker_.log_odds(sentences, self._vectors(sentences))
        return (found + self.classifier_.log_odds(sentences)) / 2 if self.classifier_ else found

    def predict(self, sentences: Sequence[str]) -> np.ndarray:
        """1 for each sentence that is rather key than not, else 0, shape (n,)."""
        return (self.decision_function(sentences) > 0).astype(int)

    def predict_proba(self, sentences: Sequence[str]) -> np.ndarray:
        """How probable not key and key are, shape (n, 2); calibrated where enough articles taught."""
        key = self.probability(self.decision_function(sentences))
        return np.column_stack([1 - key, key])

    def probability(self, log_odds: np.ndarray) -> np.ndarray:
        """The probabilities of log odds, shape (n,); calibrated where enough articles taught."""
        platt = self.ranker_.platt
        return platt.probability(log_odds) if platt else np.asarray(scipy.special.expit(log_odds))

    def rank(self, article: Sequence[str], k: int | None = None) -> list[Ranked]:
        """The k sentences of an article that are likeliest key, the likeliest first; all of them by default.

        ValueError where the article is one text: it must be split into sentences.
        """
        if isinstance(article, str):
            raise ValueError("an article is a list of sentences; this is one text")
        log_odds = self.decision_function(article)
        order = np.argsort(-log_odds, kind="stable")[:k]
        return [Ranked(int(place), article[place], float(log_odds[place])) for place in order]

    def score(self, articles: Articles, labels: Labels) -> float:
        """The Average R-Precision of the articles, from 0 to 1: unjudged sentences and articles without a key sentence
        do not count. nan where there is no key sentence. One list of sentences counts as one article."""
        sentences, truth, numbers = _flat(articles, labels)
        log_odds = self.decision_function(sentences)
        groups = np.zeros(len(truth)) if numbers is None else numbers
        rows = [np.flatnonzero((groups == number) & (truth != UNLABELLED)) for number in np.unique(groups)]
        found = average_r_precision([(truth[own], log_odds[own]) for own in rows])
        return np.nan if found is None else found

    def _fine_tuned(
        self,
        sentences: Sequence[str],
        truth: np.ndarray,
        numbers: np.ndarray | None,
        progress: Callable[[int, int], None],
    ) -> "Classifier":
        from model.encoder import load  # noqa: PLC0415 (torch takes seconds to import)
        from model.training.classifier import fit_classifier  # noqa: PLC0415 (with it)

        articles = np.zeros(len(truth)) if numbers is None else numbers
        judged = truth != UNLABELLED
        train = []
        for number in np.unique(articles[judged]):
            rows = np.flatnonzero(judged & (articles == number)).tolist()
            train.append(([sentences[row] for row in rows], truth[rows].tolist()))
        return fit_classifier(load(self._folder), train, progress=progress)

    def _vectors(self, sentences: Sequence[str]) -> np.ndarray:
        return _reader(str(self._folder))(sentences)

    @property
    def _folder(self) -> str | Path:
        return embedded_encoder() if self.encoder == SHIPPED else self.encoder


def _flat(articles: Articles, labels: Labels) -> tuple[list[str], np.ndarray, np.ndarray | None]:
    """All sentences, their labels and the number of the article of each, shape (n,): None where none is told."""
    if len(articles) != len(labels):
        raise ValueError(f"{len(labels)} labels for {len(articles)} articles or sentences")
    given, judged, numbers = list[Any](articles), list[Any](labels), None
    if given and not isinstance(given[0], str):
        for number, (article, own) in enumerate(zip(given, judged, strict=True)):
            if isinstance(article, str) or len(article) != len(own):
                raise ValueError(f"article {number}: {len(own)} labels for {len(article)} sentences")
        numbers = np.repeat(np.arange(len(given)), [len(article) for article in given])
        given, judged = list(chain(*given)), list(chain(*judged))
    truth = np.asarray(judged)
    if unknown := {*truth.tolist()} - {KEY, NOT_KEY, UNLABELLED}:
        raise ValueError(f"labels {sorted(unknown)} are none of 1, 0 and -1")
    return given, truth, numbers


@lru_cache(maxsize=2)
def _reader(folder: str) -> Callable[[Sequence[str]], np.ndarray]:
    """What gives the vectors of sentences, names left out, shape (n, dimension): each computed once while kept."""
    from model.encoder import encode, load  # noqa: PLC0415 (torch takes seconds to import)

    encoder = load(folder)
    kept: dict[str, np.ndarray] = {}

    def vectors_of(sentences: Sequence[str]) -> np.ndarray:
        if len(kept) > KEPT:
            kept.clear()
        new = [text for text in dict.fromkeys(sentences) if text not in kept]
        kept.update(zip(new, encode(encoder, [without_names(text) for text in new]), strict=True))
        return np.stack([kept[text] for text in sentences]) if len(sentences) else np.zeros((0, 0))

    return vectors_of
