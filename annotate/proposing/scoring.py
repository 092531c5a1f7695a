"""Sentences of articles scored by a ranking: the input, the output, and the work that an engine does."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from annotate.engines.engine import Work
from annotate.topics.file import Topic, read_topic
from annotate.topics.rules_of import Problem
from db.articles import SentenceText
from model.proposing.ranking import Pool, Ranking, top_k
from model.proposing.rules import BLANK


@dataclass(frozen=True, slots=True)
class Candidates:
    """One article's sentences, in reading order, as the rankings take them, and the queries of their cosines. `nearest`
    is the place of the nearest query to each sentence, shape (n,). The embeddings have the shape (n, dimension)."""

    sentences: Sequence[SentenceText]
    pool: Pool
    queries: tuple[str, ...]
    nearest: np.ndarray
    vectors: np.ndarray


@dataclass(frozen=True, slots=True)
class Ranked:
    """One article's sentences with their scores and cosines, shape (n,), and what they were ranked by."""

    sentences: Sequence[SentenceText]
    scores: np.ndarray
    cosines: np.ndarray
    queries: tuple[str, ...]


def ranked_by(ranking: Ranking, found: Candidates) -> Ranked:
    """The sentences of an article with their scores by this ranking."""
    assert found.pool.cosines is not None
    return Ranked(found.sentences, ranking.scores(found.pool), found.pool.cosines, found.queries)


@dataclass(frozen=True, slots=True)
class Batch:
    """Articles to propose for, by the rules of a topic: of `asked` those with candidates, each with its ranking.

    `wanted`: the positions of sentences that somebody proposed, by article.
    """

    asked: int
    topic: Topic
    rankings: Mapping[int, Ranking]
    candidates: Mapping[int, Candidates]
    wanted: Mapping[int, Collection[int]]

    def __reduce__(self) -> tuple[Callable[..., "Batch"], tuple[Any, ...]]:
        """The batch as it is sent elsewhere: with the text of the topic, in place of its patterns in every article."""
        bare = {number: replace(found, pool=replace(found.pool, rules=BLANK), vectors=_NONE)
                for number, found in self.candidates.items()}  # fmt: skip
        return _received, (self.asked, self.topic.text, self.topic.left_out, self.rankings, bare, self.wanted)


_NONE = np.zeros((0, 0), dtype=np.float32)


def _received(
    asked: int,
    text: str,
    left_out: tuple[Problem, ...],
    rankings: Mapping[int, Ranking],
    bare: Mapping[int, Candidates],
    wanted: Mapping[int, Collection[int]],
) -> Batch:
    topic = read_topic(text, left_out=left_out)
    whole = {number: replace(found, pool=replace(found.pool, rules=topic.rules)) for number, found in bare.items()}
    return Batch(asked, topic, rankings, whole, wanted)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The proposals of an article: the ranking, the queries, the positions of the top sentences, and the rows of these
    and, behind them, of others that somebody wanted.

    `sentences` is how many the article has; `wanted` says which of the rows somebody wanted.
    """

    ranking: Ranking
    queries: tuple[str, ...]
    sentences: int
    positions: list[int]
    proposals: list[dict[str, float | int]]
    wanted: list[bool]


@dataclass(frozen=True, slots=True)
class Scored:
    """The proposals of a batch of articles by their ids; how many articles were asked for, and by which topic."""

    asked: int
    topic_sha256: str
    chosen: Mapping[int, Chosen]


class Scoring(Work[Batch, Scored]):
    """Scores the sentences of articles, and takes the top k of each."""

    def __init__(self, k: int) -> None:
        self.k = k

    def __call__(self, given: Batch) -> Iterable[Scored]:
        """The proposals in these articles."""
        chosen = {
            number: self._chosen(given.rankings[number], found, given.wanted.get(number, ()))
            for number, found in given.candidates.items()
        }
        yield Scored(given.asked, given.topic.sha256, chosen)

    def _chosen(self, ranking: Ranking, found: Candidates, wanted: Collection[int]) -> Chosen:
        result = ranked_by(ranking, found)
        best = top_k(result.scores, self.k)
        asked = [place for place, sentence in enumerate(result.sentences) if sentence.position in wanted]
        places = [*best, *(place for place in asked if place not in best)]
        rows: list[dict[str, float | int]] = [
            {
                "rank": number,
                "sentence_id": result.sentences[index].id,
                "score": float(result.scores[index]),
                "cosine": float(result.cosines[index]),
            }
            for number, index in enumerate(places, start=1)
        ]
        positions = [result.sentences[index].position for index in best]
        return Chosen(
            ranking, result.queries, len(result.sentences), positions, rows, [place in asked for place in places]
        )
