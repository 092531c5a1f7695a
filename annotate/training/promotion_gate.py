"""The gate: a new version promoted by the job that made it, where it is better than the proposing one beyond doubt."""

import numpy as np
from sqlalchemy.orm import Session

import db.proposing.versions
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.propose import default_ranking
from annotate.proposing.versions import (
    MIN_ARTICLES,
    NotPromotable,
    comparison,
    find_version,
    proposing_version,
    verified_folder,
)
from db.tables import Evaluation, ModelVersion
from db.values import Split
from model.evaluation.intervals import sign_flip, spent
from model.evaluation.summary import mean_difference

PROMOTED_BY = "gate"
# Of versions that are only as good as the proposing one, at most so many pass, however many are tried against it.
ERROR = 0.05


def promote_if_better(name: str, label_set_sha256: str) -> str:
    """Promotes a version whose R-precision on the test articles is above the proposing version's beyond chance.

    Counted are the articles that are fair to both, each version with the ranking that it proposes by. By chance so
    large a mean difference must be rarer than what is left of ERROR for this try. Returns the reason in words; raises
    NotPromotable with it, and DamagedModel.
    """
    child, serving = find_version(name), proposing_version()
    if child.id == serving.id:
        raise NotPromotable(f"{name} is the proposing version already")
    with read() as session:
        reason = _judge(session, serving, child, label_set_sha256)
    verified_folder(child)
    with write(Right.PROMOTE) as session:
        now = db.proposing.versions.promoted(session)
        if now is None or now.id != serving.id:
            raise NotPromotable(f"another version began to propose while {name} was compared with {serving.name}")
        db.proposing.versions.insert_promotion(session, child.id, promoted_by=PROMOTED_BY, reason=reason)
    return reason


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
    """That on the test articles, with the ranking that this version proposes by."""
    ranking = default_ranking(session, version)
    return db.proposing.versions.latest_evaluation(session, version.id, ranking, Split.TEST, label_set_sha256)
