"""The gate: a new version promoted by the job that made it, where it is better than the proposing one beyond doubt."""

import numpy as np
from sqlalchemy.orm import Session

import db.proposing.versions
from annotate.proposing.encoder_versions import MIN_ARTICLES, comparison, find_version, proposing_version
from annotate.proposing.propose import default_ranking
from annotate.registry.versions import NotPromotable, promote
from db.tables import Evaluation, ModelVersion
from db.values import Kind, Split
from model.evaluation.intervals import sign_flip, spent
from model.evaluation.summary import mean_difference

PROMOTED_BY = "gate"
# The share of versions only as good as the proposing one that pass, at most, however many are tried against it.
ERROR = 0.05


def promote_if_better(name: str, label_set_sha256: str) -> str:
    """Promotes a version whose R-precision on the test articles is above the proposing version's beyond chance.

    Counted are the articles that are fair to both, each version with the ranking that it proposes by. By chance so
    large a mean difference must be rarer than what is left of ERROR for this try. Returns the reason in words; raises
    NotPromotable with it, and DamagedModel.
    """
    return promote(
        Kind.ENCODER,
        find_version(name),
        by=PROMOTED_BY,
        gate=lambda session, child: _judge(session, proposing_version(), child, label_set_sha256),
    )


def _judge(session: Session, serving: ModelVersion, child: ModelVersion, label_set_sha256: str) -> str:
    found = comparison(session, *(_evaluation(session, version, label_set_sha256) for version in (serving, child)))
    if not found.scores or not found.before or not found.after:
        raise NotPromotable(f"{serving.name} and {child.name} were not evaluated on the same test articles")
    if len(found.scores) < MIN_ARTICLES:
        raise NotPromotable(f"{len(found.scores)} test articles with key sentences; the gate needs {MIN_ARTICLES}")
    if len(found.fair) < MIN_ARTICLES:
        raise NotPromotable(
            f"only {len(found.fair)} of {len(found.scores)} test articles are fair to both versions; the gate needs "
            f"{MIN_ARTICLES}: judge what the page Fair test asks for"
        )
    before, after = (np.array(values) for values in zip(*found.fair.values(), strict=True))
    interval = mean_difference(after, before)
    tries = db.proposing.versions.tried_against(session, serving.id, child.id)
    chance, most = sign_flip(list(after - before)), spent(ERROR, tries)
    numbers = (
        f"ARP {after.mean():.3f} after {before.mean():.3f} of {serving.name}, {interval.mean:+.3f} "
        f"({interval.low:+.3f} to {interval.high:+.3f}) on {len(before)} fair test articles, p {chance:.4f}"
    )
    if chance > most:
        raise NotPromotable(f"{numbers}: above {most:.4f}, what chance may at try {tries}")
    return f"{numbers}: at most {most:.4f}, what chance may at try {tries}"


def _evaluation(session: Session, version: ModelVersion, label_set_sha256: str) -> Evaluation | None:
    """The evaluation on the test articles, with the ranking that this version proposes by."""
    ranking = default_ranking(session, version)
    return db.proposing.versions.latest_evaluation(session, version.id, ranking, Split.TEST, label_set_sha256)
