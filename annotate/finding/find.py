"""A question asked of a library: stages rank, ranks are fused, and every result says why it is there."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotate.finding.library import Document, Library
from annotate.finding.question import Matcher, NotRanked, Question
from annotate.finding.stages import Search, stages_named
from model.finding.fusion import share_fusion


@dataclass(frozen=True, slots=True)
class Found:
    """One result. `ranks` (from 1) and `scores` by stage, of the stages that found it; `matched` holds, by facet, the
    names that stand in its title or abstract."""

    key: str
    score: float
    document: Document
    ranks: Mapping[str, int]
    scores: Mapping[str, float]
    matched: Mapping[str, tuple[str, ...]]

    @property
    def article_id(self) -> int | None:
        """The id of a stored article; None of one from outside."""
        return self.document.article_id


@dataclass(frozen=True, slots=True)
class Order:
    """Keys by fused score, best first, with each stage's ranks and scores. `left_out` says of stages that could not
    rank why; `seconds` how long each took; `allowed` which keys may answer at all, None for all."""

    scores: Mapping[str, float]
    ranks: Mapping[str, Mapping[str, int]]
    stage_scores: Mapping[str, Mapping[str, float]]
    left_out: Mapping[str, str] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    allowed: frozenset[str] | None = None

    @property
    def keys(self) -> list[str]:
        """Best first."""
        return list(self.scores)


def ranked(
    question: Question,
    library: Library,
    stages: Sequence[str] | None = None,
) -> Order:
    """All that these stages find, at most DEPTH each, as one order; of the stages that are on for None.

    Nothing is found by an empty question. ValueError for a stage that is not there.
    """
    chosen = stages_named(stages)

    def fused(rankings: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
        sharing = Counter(chosen[name].family or name for name in rankings)
        return share_fusion(
            (chosen[name].weight / sharing[chosen[name].family or name], own) for name, own in rankings.items()
        )

    search = Search(question, library)
    if not question.expanded:
        return Order({}, {}, {}, allowed=search.allowed)
    rankings: dict[str, dict[str, float]] = {}
    left_out: dict[str, str] = {}
    seconds: dict[str, float] = {}
    for name, stage in chosen.items():
        started = time.perf_counter()
        search.so_far = list(fused(rankings))
        try:
            rankings[name] = dict(stage.rank(search))
        except NotRanked as error:
            left_out[name] = str(error)
        seconds[name] = time.perf_counter() - started
    ranks = {name: {key: rank for rank, key in enumerate(own, start=1)} for name, own in rankings.items()}
    return Order(fused(rankings), ranks, rankings, left_out, seconds, search.allowed)


def results(question: Question, library: Library, order: Order, keys: Sequence[str]) -> list[Found]:
    """Some of the found articles, as results, in the order of `keys`."""
    documents = library.documents(keys)
    matcher = Matcher(question)
    return [
        Found(
            key,
            order.scores.get(key, 0.0),
            documents[key],
            {stage: own[key] for stage, own in order.ranks.items() if key in own},
            {stage: own[key] for stage, own in order.stage_scores.items() if key in own},
            matcher.names_in(documents[key].whole),
        )
        for key in keys
        if key in documents
    ]
