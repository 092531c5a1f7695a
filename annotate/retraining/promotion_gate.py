"""The gate: a new version promoted by the job that made it, where it is better than the proposing one beyond doubt."""

from sqlalchemy.orm import Session

import db.proposing.versions
from annotate.evaluation.metric_labels import change_written, written
from annotate.proposing.comparison import DECIDING, MIN_ARTICLES, comparison
from annotate.proposing.encoder_versions import find_version, proposing_version
from annotate.proposing.propose import default_ranking
from annotate.registry.versions import NotPromotable, promote
from annotate.retraining.difference import trust_in_words
from db.tables import Evaluation, ModelVersion
from db.values import Kind, Split

PROMOTED_BY = "gate"


def promote_if_better(name: str, label_set_sha256: str) -> str:
    """Promotes a version that ranks the test articles better than the proposing version, by more than chance.

    Counted are the articles that are fair to both, each version with the ranking that it proposes by. Returns the
    reason in words; raises NotPromotable with it, and DamagedModel.
    """
    return promote(
        Kind.ENCODER,
        find_version(name),
        by=PROMOTED_BY,
        gate=lambda session, child: _judge(session, proposing_version(), child, label_set_sha256),
    )


def _judge(session: Session, serving: ModelVersion, child: ModelVersion, label_set_sha256: str) -> str:
    found = comparison(session, *(_evaluation(session, version, label_set_sha256) for version in (serving, child)))
    if not found.articles:
        raise NotPromotable(f"{serving.name} and {child.name} were not evaluated on the same test articles")
    if found.articles < MIN_ARTICLES:
        raise NotPromotable(f"{found.articles} test articles with key sentences; the gate needs {MIN_ARTICLES}")
    if not found.is_fair:
        raise NotPromotable(
            f"only {len(found.fair)} of {found.articles} test articles are fair to both versions; the gate needs "
            f"{MIN_ARTICLES}: judge what the page Fair test asks for"
        )
    change, means = found.change(DECIDING), found.means(DECIDING)
    if change is None or means is None:
        raise NotPromotable(f"{serving.name} or {child.name} was evaluated by an earlier release: evaluate both")
    reason = (
        f"nDCG@20 {written(means[1])} after {written(means[0])} of {serving.name}, {change_written(change.mean)} "
        f"({change_written(change.low)} to {change_written(change.high)}) on {len(found.fair)} fair test articles. "
        f"{trust_in_words(found)}"
    )
    if found.direction != 1:
        raise NotPromotable(reason)
    return reason


def _evaluation(session: Session, version: ModelVersion, label_set_sha256: str) -> Evaluation | None:
    """The evaluation on the test articles, with the ranking that this version proposes by."""
    ranking = default_ranking(session, version)
    return db.proposing.versions.latest_evaluation(session, version.id, ranking, Split.TEST, label_set_sha256)
