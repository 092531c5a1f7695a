"""The queue of the audit: top-R predictions on the test articles that the labels call wrong, and the outcome."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

import db.articles
from annotate.evaluation.audit import AuditOutcome
from annotate.evaluation.evaluate_version import BATCH_ARTICLES, evaluated_articles
from annotate.gold.label_sets import LabelSet
from annotate.proposing.propose import article_batches, rank_articles
from annotate.proposing.scoring import Ranked
from db.articles import SentenceText
from db.tables import ModelVersion
from db.values import Split
from model.evaluation.metrics import average_r_precision
from model.evaluation.outcomes import confidence
from model.proposing.ranking import Ranking, top_k

TRUE_PREDICTION = "true prediction"
NOT_AUDITED = "not audited"


@dataclass(frozen=True, slots=True)
class Prediction:
    """A sentence among the R best-ranked of a test article with R key sentences; `before` and `after` are its
    neighbours in the same section, empty where there are none."""

    sentence: SentenceText
    title: str
    rank: int
    cosine: float
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Queue:
    """The predictions counted wrong, and what their outcomes are measured against.

    `true_cosines` belong to the predictions counted right; `orders` holds each article's sentence positions, best
    first, and `keys` its key sentences by position.
    """

    version: str
    ranking: str
    errors: list[Prediction]
    true_cosines: list[float]
    orders: dict[int, list[int]]
    keys: dict[int, dict[int, str]]


def queue(session: Session, version: ModelVersion, ranking: Ranking, label_set: LabelSet) -> Queue:
    """The top-R predictions of the test articles, those without a key label as errors, the highest cosine first.

    So an expert who stops early has seen the likeliest key sentences without a label. Raises NotEnoughGold
    and NotEmbedded.
    """
    article_ids = evaluated_articles(session, label_set, Split.TEST)
    made = Queue(version.name, str(ranking), [], [], {}, {})
    for batch in article_batches(article_ids, BATCH_ARTICLES):
        ranked = rank_articles(session, version, ranking, batch)
        for article_id, result in ranked.items():
            article = db.articles.article(session, article_id)
            assert article is not None
            _add(made, article.title, article_id, result, label_set.labels[article_id])
    made.errors.sort(key=lambda found: (-found.cosine, found.sentence.id))
    return made


def _add(made: Queue, title: str, article_id: int, ranked: Ranked, labels: Mapping[int, int]) -> None:
    keys = {s.position: s.text for s in ranked.sentences if labels.get(s.position) == 1}
    order = top_k(ranked.scores, len(ranked.sentences))
    made.keys[article_id] = keys
    made.orders[article_id] = [ranked.sentences[index].position for index in order]
    for rank, index in enumerate(order[: len(keys)], start=1):
        sentence, cosine = ranked.sentences[index], float(ranked.cosines[index])
        if sentence.position in keys:
            made.true_cosines.append(cosine)
        else:
            before, after = (neighbour(ranked.sentences, index, step) for step in (-1, 1))
            made.errors.append(Prediction(sentence, title, rank, cosine, before, after))


def neighbour(sentences: Sequence[SentenceText], index: int, step: int) -> str:
    """The text of the sentence `step` places on in the same section; empty where there is none."""
    if not 0 <= index + step < len(sentences):
        return ""
    found = sentences[index + step]
    return found.text if found.section == sentences[index].section else ""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The confidence table, one row an outcome {outcome, predictions, cosine (mean, None for none)}, and ARP on the
    same articles as labelled and with the sentences audited as correct counted as key."""

    rows: list[dict[str, Any]]
    arp: float
    arp_audited: float
    articles: int
    added: int


def outcomes(made: Queue, found: Mapping[int, Mapping[int, str]]) -> Outcomes:
    """What the audit `found` (see `audited`) says of a version. A sentence audited as correct under any version
    joins its article's key sentences, so R grows, as in the reference method."""
    judged = [
        (found.get(error.sentence.article_id, {}).get(error.sentence.position, NOT_AUDITED), error.cosine)
        for error in made.errors
    ]
    spreads = confidence(
        [*((TRUE_PREDICTION, cosine) for cosine in made.true_cosines), *judged],
        (TRUE_PREDICTION, *map(str, AuditOutcome), NOT_AUDITED),
    )
    rows = [{"outcome": name, "predictions": of.n, "cosine": of.mean} for name, of in spreads.items()]
    more = {
        article_id: {p for p, value in found.get(article_id, {}).items() if value == AuditOutcome.CORRECT} - set(keys)
        for article_id, keys in made.keys.items()
    }
    nothing: dict[int, set[int]] = {article_id: set() for article_id in made.keys}
    return Outcomes(rows, _arp(made, nothing), _arp(made, more), len(made.keys), sum(map(len, more.values())))


def _arp(made: Queue, more: Mapping[int, set[int]]) -> float:
    found = average_r_precision(
        [
            ([float(p in made.keys[article_id] or p in more[article_id]) for p in order], range(len(order), 0, -1))
            for article_id, order in made.orders.items()
        ]
    )
    assert found is not None  # every article has a key sentence
    return found
