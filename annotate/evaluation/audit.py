"""The audit of evaluation errors: experts look at predictions that the labels of the test articles call wrong.

Their answers are kept apart from the labels and never among them: evaluation may use it, training cannot.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any, Literal

from pydantic import Field
from sqlalchemy.orm import Session

import db.articles
import db.evaluation
import db.registry
from annotate.gold.label_sets import LabelSet, current_label_set
from annotate.project.rights import Right
from annotate.review.events import Event, Position, Refused
from annotate.review.verdicts import Recording, add_event, known_article, record_each, sentence_id
from db.base import utc_now
from db.tables import AuditVerdict
from db.values import Split
from model.checked_settings import ByText
from model.proposing.ranking import Ranking

WITHDRAWN = ""


class AuditOutcome(StrEnum):
    """What an expert says of a prediction that was counted wrong."""

    CORRECT = "correct"  # a key sentence that has no label
    INCONCLUSIVE = "inconclusive"
    WRONG = "wrong"


def resolve(values: Iterable[str]) -> AuditOutcome:
    """The outcome on which most annotators agree; where two are named equally often it is inconclusive."""
    (first, most), *others = Counter(values).most_common()
    return AuditOutcome.INCONCLUSIVE if others and others[0][1] == most else AuditOutcome(first)


def audited(session: Session, label_set: LabelSet | None = None) -> dict[int, dict[int, str]]:
    """{article id: {sentence position: "correct", "inconclusive" or "wrong"}}, resolved over the annotators.

    A sentence that the labels (the current ones by default) call key by now is no error any more and is left out.
    """
    labels = (label_set or current_label_set(session)).labels
    given: dict[tuple[int, int], list[str]] = defaultdict(list)
    for audit, _, position in db.evaluation.current_audits(session):
        if labels.get(audit.article_id, {}).get(position) != 1:
            given[audit.article_id, position].append(audit.value)
    found: dict[int, dict[int, str]] = defaultdict(dict)
    for (article_id, position), values in sorted(given.items()):
        found[article_id][position] = str(resolve(values))
    return dict(found)


def audited_sha256(session: Session, label_set: LabelSet | None = None) -> str:
    """The hash of `audited`: equal audits have equal hashes, in any database."""
    known = db.articles.keys_and_splits(session)
    described = sorted([known[a][0], sorted(values.items())] for a, values in audited(session, label_set).items())
    return hashlib.sha256(json.dumps(described).encode()).hexdigest()


def values_so_far(session: Session) -> dict[int, dict[str, str]]:
    """{sentence id: {annotator: value}} of everybody's current audit verdicts."""
    found: dict[int, dict[str, str]] = defaultdict(dict)
    for audit, name, _ in db.evaluation.current_audits(session):
        found[audit.sentence_id][name] = audit.value
    return dict(found)


def record(annotator: str, events: Sequence[Any]) -> tuple[list[str], list[dict[str, str | None]]]:
    """Stores audit events as annotate.review.verdicts does: returns the ids now on disk, {id, reason} of those refused.

    An event is {id, article, sentence (its position), value, version, ranking, rank, cosine}; value is an
    AuditOutcome, or empty to withdraw. One that was sent before is stored once. Articles that are not of the test split
    are refused.
    """
    return record_each(annotator, events, Right.AUDIT, _store)


class _Audit(Event):
    """An event of the audit page: what somebody says of a prediction, and the prediction as it was on the screen."""

    value: ByText[AuditOutcome] | Literal[""] = Field(
        description=f"the outcome is none of {', '.join(AuditOutcome)}, nor empty to withdraw it"
    )
    article: Position = Field(description="the article is not a number")
    sentence: Position = Field(description="the sentence is not a number")
    version: str = Field(description="the version is not a name")
    ranking: ByText[Ranking] = Field(description=f"the ranking is none of {', '.join(Ranking)}")
    rank: Position = Field(description="the rank is not a number")
    # float16 rounds a little beyond 1
    cosine: float = Field(ge=-1.01, le=1.01, description="the cosine is not from -1 to 1")


def _store(by: Recording, sent: dict[str, Any]) -> None:
    event = _Audit.of(sent)
    article = known_article(by.session, event.article)
    if article.split != Split.TEST:
        raise Refused(f"article {event.article} is of the {article.split} split; only test articles are audited")
    if db.registry.encoder_named(by.session, event.version) is None:
        raise Refused(f"there is no version {event.version!r}")
    row = {
        "event_id": event.id,
        "annotator_id": by.annotator_id,
        "article_id": event.article,
        "sentence_id": sentence_id(by.session, event.article, event.sentence),
        "value": str(event.value),
        "given_at": utc_now(),
        "version": event.version,
        "ranking": str(event.ranking),
        "rank": event.rank,
        "cosine": event.cosine,
    }
    add_event(by.session, AuditVerdict, row)


def audit_rows(session: Session, label_set: LabelSet) -> list[dict[str, Any]]:
    """Every audited sentence as the download holds it, by article and position; `label` is its label by now, if any."""
    given: dict[int, list[tuple[AuditVerdict, str]]] = defaultdict(list)
    for audit, name, _ in db.evaluation.current_audits(session):
        given[audit.sentence_id].append((audit, name))
    article_ids = sorted({audit.article_id for audits in given.values() for audit, _ in audits})
    rows = []
    for sentence in db.articles.sentences(session, article_ids):
        if audits := given.get(sentence.id):
            article = db.articles.article(session, sentence.article_id)
            assert article is not None
            label = label_set.labels.get(article.id, {}).get(sentence.position, "")
            last = audits[-1][0]
            rows.append(
                {
                    "pmid": article.pmid or "",
                    "pmcid": article.pmcid or "",
                    "doi": article.doi or "",
                    "title": article.title,
                    "section": sentence.section,
                    "sentence_index": sentence.position,
                    "sentence": sentence.text,
                    "outcome": str(resolve(audit.value for audit, _ in audits)),
                    "audits": "; ".join(f"{name}: {audit.value}" for audit, name in audits),
                    "label": label,
                    "model_version": last.version,
                    "ranking": last.ranking,
                    "rank": last.rank,
                    "cosine": last.cosine,
                    "time": last.given_at,
                }
            )
    return rows
