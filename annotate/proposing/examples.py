"""What is learnt from a topic's examples, and from verdicts: which sentences of any article are like them; no torch."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import cached_property, lru_cache

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.proposing
import db.rows
from annotate.embeddings.stored_vectors import embeddings_of
from annotate.project.memory import Latest
from annotate.proposing.prompts import sentence_key
from annotate.topics.project_topic import topic_now
from db import tables
from db.tables import ModelVersion
from model.active_learning.taught import UNLABELLED_WEIGHT
from model.active_learning.wording import Wording, fit_wording
from model.proposing.rules import Examples

KEPT = 4  # fitted rankers of topics that are tried on the page Topic
TAUGHT = "taught examples"  # the setting that holds the verdicts that teach now
FOLDS = 5  # of the articles that teach
# The number of verdicts at which the ranker of the examples and the ranker of both count the same: few verdicts
# make no ranking worse than it began. On three topics 10 makes more rankings worse, and 50 gains less
# (docs/measurements/ranking.md).
EVEN = 20
# Unjudged sentences of each article that teaches. What was proposed, and judged, is like what counts: with no other
# sentences the ranking would not learn what is unlike it.
UNJUDGED = 20


class Likeness:
    """What sentences are like those that count, by ranker: an article that taught is ranked by what others taught.

    texts, vectors (n, dimension) or None, truth (n,), weights (n,) are of all sentences that teach: 1.0 for those that
    people judged. `articles` (n,): the ids of their articles, 0 for the topic's own examples, from which all learn.
    """

    def __init__(
        self,
        texts: Sequence[str],
        vectors: np.ndarray | None,
        truth: np.ndarray,
        articles: np.ndarray,
        weights: np.ndarray,
    ) -> None:
        self._texts, self._vectors, self._truth, self._weights = texts, vectors, truth, weights
        taught = sorted({*articles.tolist()} - {0})
        self._fold = {article_id: place % FOLDS for place, article_id in enumerate(taught)}
        self._folds = np.array([self._fold.get(article_id, -1) for article_id in articles.tolist()])
        self._rankers: dict[int | None, Wording] = {}  # by the fold that is left out

    @cached_property
    def examples_ranker(self) -> Wording:
        """The ranker that learnt only from the examples."""
        return self._fitted(self._folds == -1)

    def ranker_for(self, article_id: int) -> Wording:
        """The ranker of an article, fitted when it is first asked for: up to a second or two."""
        left_out = self._fold.get(article_id)
        if left_out not in self._rankers:
            rows = np.full(len(self._folds), True) if left_out is None else self._folds != left_out
            verdicts = int((rows & (self._folds != -1) & (self._weights == 1.0)).sum())
            share = verdicts / (verdicts + EVEN)
            self._rankers[left_out] = (
                self.examples_ranker.mixed(self._fitted(rows), share) if verdicts else self.examples_ranker
            )
        return self._rankers[left_out]

    def _fitted(self, rows: np.ndarray) -> Wording:
        texts = [text for text, is_in in zip(self._texts, rows.tolist(), strict=True) if is_in]
        vectors = None if self._vectors is None else self._vectors[rows]
        return fit_wording(texts, vectors, self._truth[rows], weights=self._weights[rows])


def unjudged(article_id: int, positions: Collection[int]) -> list[int]:
    """At most UNJUDGED of these unjudged positions, which teach too, by a lot that falls the same each time."""
    drawn = np.random.default_rng(article_id).permutation(sorted(positions))[:UNJUDGED]
    return sorted(drawn.tolist())


def sentences_of(examples: Examples) -> tuple[str, ...]:
    """The sentences to be embedded before anything is learnt, those that count first; none where they weigh nothing."""
    return (*examples.accepted, *examples.rejected) if examples.weight else ()


def example_vectors(session: Session, version: ModelVersion, sentences: Sequence[str]) -> dict[str, bytes]:
    """The stored vectors, float32, by sentence; the sentences that wait to be embedded are left out."""
    keys = {sentence: sentence_key(version, sentence) for sentence in sentences}
    stored = db.proposing.query_vectors(session, version.id, list(keys.values()))
    return {sentence: stored[key] for sentence, key in keys.items() if key in stored}


def all_embedded(session: Session, version: ModelVersion, examples: Examples) -> bool:
    """Whether no example waits to be embedded."""
    sentences = sentences_of(examples)
    return len(example_vectors(session, version, sentences)) == len({*sentences})


def example_ranker(session: Session, version: ModelVersion, examples: Examples) -> Wording | None:
    """The ranker that learnt only from these examples, from their words where one waits to be embedded; None where
    they weigh nothing."""
    sentences = sentences_of(examples)
    vectors = example_vectors(session, version, sentences)
    stored = tuple(vectors.get(sentence, b"") for sentence in sentences)
    return _fitted(examples, stored if all(stored) else None) if sentences else None


@lru_cache(maxsize=KEPT)
def _fitted(examples: Examples, vectors: tuple[bytes, ...] | None) -> Wording:
    return fit_wording(sentences_of(examples), _stacked(vectors), _truth_of(examples))


def taught_row(session: Session) -> tables.Setting | None:
    """The verdicts that teach under the topic that holds; None before there were any:
    {"topic": its name, "labels": {article id: {position: 1 or 0}}, "verdicts": how many had been given}, with texts for
    numbers, as JSON has them."""
    row = db.rows.find(session, tables.Setting, name=TAUGHT)
    return row if row is not None and row.content["topic"] == topic_now(session).name else None


def taught_mark(session: Session, examples: Examples) -> int:
    """What tells the verdicts that teach from others; 0 where the examples weigh nothing, and before any taught."""
    row = taught_row(session) if examples.weight else None
    return row.id if row else 0


_learnt: Latest["Likeness | None"] = Latest()


def likeness(session: Session, version: ModelVersion, examples: Examples) -> Likeness | None:
    """What was learnt from these examples, all of which are embedded, and from verdicts; None where they weigh nothing.

    What sentences mean counts where all that teach are embedded under this version.
    """
    mark = (version.id, examples, taught_mark(session, examples))
    return _learnt.at(mark, lambda: _likeness(session, version, examples))


def _likeness(session: Session, version: ModelVersion, examples: Examples) -> Likeness | None:
    sentences = sentences_of(examples)
    if not sentences:
        return None
    row = taught_row(session)
    labels = {
        int(number): {int(position): label for position, label in given.items()}
        for number, given in (row.content["labels"] if row else {}).items()
    }
    embedded = embeddings_of(session, version.id, [*labels])
    own = example_vectors(session, version, sentences)
    texts, truth, articles = [*sentences], _truth_of(examples).tolist(), [0] * len(sentences)
    weights = [1.0] * len(sentences)
    vectors = [np.frombuffer(own[sentence], np.float32) for sentence in sentences]
    by_article: dict[int, dict[int, str]] = defaultdict(dict)
    for one in db.articles.sentences(session, [*labels]):
        by_article[one.article_id][one.position] = one.text
    for article_id, there in by_article.items():
        judged = {position: label for position, label in labels[article_id].items() if position in there}
        others = unjudged(article_id, there.keys() - judged.keys())
        texts += [there[position] for position in (*judged, *others)]
        truth += [*judged.values(), *[0] * len(others)]
        weights += [1.0] * len(judged) + [UNLABELLED_WEIGHT] * len(others)
        articles += [article_id] * (len(judged) + len(others))
        if article_id in embedded:
            vectors += list(embedded[article_id][[*judged, *others]].astype(np.float32))
    known = np.stack(vectors) if len(vectors) == len(texts) else None
    return Likeness(texts, known, np.array(truth), np.array(articles), np.array(weights))


def _truth_of(examples: Examples) -> np.ndarray:
    return np.array([1] * len(examples.accepted) + [0] * len(examples.rejected))


def _stacked(vectors: Sequence[bytes] | None) -> np.ndarray | None:
    return np.stack([np.frombuffer(one, np.float32) for one in vectors]) if vectors else None
