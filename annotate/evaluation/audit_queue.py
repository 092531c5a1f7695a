"""The queue of the audit: top-R predictions on the test articles that the labels call wrong, and the outcome."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

import db.articles
from annotate.evaluation.evaluate_version import Measured, evaluated_articles, measured
from annotate.gold.label_sets import LabelSet
from annotate.review.judged_sentences import Question, in_place
from db.tables import ModelVersion
from db.values import Split
from model.evaluation.metrics import r_precision
from model.evaluation.outcomes import PredictionOutcome, confidence
from model.evaluation.outcomes import outcomes as outcomes_of
from model.proposing.ranking import Ranking

NOT_AUDITED = PredictionOutcome.NOT_AUDITED
PREDICTED = [outcome for outcome in PredictionOutcome if outcome is not PredictionOutcome.MISSED]


@dataclass(frozen=True, slots=True)
class Prediction:
    """A sentence among the R best-ranked of a test article with R key sentences."""

    of: Question
    rank: int
    cosine: float


@dataclass(frozen=True, slots=True)
class Queue:
    """The predictions counted wrong, all articles as they were ranked, and the texts of their key sentences by
    position."""

    version: str
    ranking: str
    errors: list[Prediction]
    articles: Sequence[Measured]
    keys: Mapping[int, Mapping[int, str]]


def queue(session: Session, version: ModelVersion, ranking: Ranking, label_set: LabelSet) -> Queue:
    """The top-R predictions of the test articles, those without a key label as errors, the highest cosine first.

    So an expert who stops early has seen the likeliest key sentences without a label. Raises NotEnoughGold
    and NotEmbedded.
    """
    articles = measured(version, ranking, evaluated_articles(session, label_set, Split.TEST), label_set)
    wrong = {
        (article.article_id, position): (rank, float(article.cosines[position]))
        for article in articles
        for position, rank, outcome in outcomes_of(article.truth, article.scores, {})
        if outcome is NOT_AUDITED
    }
    errors = [Prediction(question, *wrong[place]) for place, question in in_place(session, wrong).items()]
    keys: dict[int, dict[int, str]] = defaultdict(dict)
    places = {(one.article_id, position) for one in articles for position in np.flatnonzero(one.truth).tolist()}
    for (article_id, position), sentence in sorted(db.articles.sentences_at(session, places).items()):
        keys[article_id][position] = sentence.text
    errors.sort(key=lambda found: (-found.cosine, found.of.sentence.id))
    return Queue(version.name, str(ranking), errors, articles, keys)


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The confidence table and two ARP on the same articles. The table has one row an outcome: {outcome, predictions,
    cosine (mean, None for none)}. The first ARP is by the labels; for the second, sentences audited as correct count as
    key."""

    rows: list[dict[str, Any]]
    arp: float
    arp_audited: float
    articles: int
    added: int


def outcomes(made: Queue, found: Mapping[int, Mapping[int, str]]) -> Outcomes:
    """What the audit `found` (see `audited`) says of a version. A sentence audited as correct under any version
    joins its article's key sentences, so R grows, as in the reference method."""
    cosines = [
        (outcome, float(article.cosines[position]))
        for article in made.articles
        for position, _, outcome in outcomes_of(article.truth, article.scores, found.get(article.article_id, {}))
        if outcome in PREDICTED
    ]
    spreads = confidence(cosines, PREDICTED)
    rows = [{"outcome": str(name), "predictions": of["n"], "cosine": of["mean"]} for name, of in spreads.items()]
    after = [article.audited(found.get(article.article_id, {})) for article in made.articles]
    added = sum(int(one.truth.sum()) for one in after) - sum(int(one.truth.sum()) for one in made.articles)
    return Outcomes(rows, _arp(made.articles), _arp(after), len(after), added)


def _arp(articles: Sequence[Measured]) -> float:
    return float(np.mean([r_precision(one.truth, one.scores) for one in articles]))  # every article has a key sentence
