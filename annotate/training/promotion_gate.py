"""The gate: a new version promoted by the job that made it, where it is better than the proposing one beyond doubt."""

import numpy as np
from sqlalchemy.orm import Session

import db.proposing.versions
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.propose import default_ranking
from annotate.proposing.versions import NotPromotable, find_version, proposing_version, verified_folder
from db.tables import ModelVersion
from db.values import Split
from model.evaluation.summary import mean_interval

PROMOTED_BY = "gate"
# The bootstrap of so few articles is too narrow: three better ones of six would pass, which a coin does 1 time in 8.
MIN_ARTICLES = 10
# Of versions that are equally good, the better one wins so many articles and loses none 1 time in 64; four would do
# for the bootstrap of however many articles, and that is 1 time in 16.
MIN_DIFFERENT = 6


def promote_if_better(name: str, label_set_sha256: str) -> str:
    """Promotes a version whose R-precision on the test articles is above the proposing version's beyond its interval.

    The 95 % bootstrap interval of the mean difference, article by article, each version with the ranking that it
    proposes by, must lie wholly above 0. Returns the reason in words; raises NotPromotable with it, and DamagedModel.
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
    before, after = (_scores(session, version, label_set_sha256) for version in (serving, child))
    if not before or before.keys() != after.keys():
        raise NotPromotable(f"{serving.name} and {child.name} were not evaluated on the same test articles")
    if len(before) < MIN_ARTICLES:
        raise NotPromotable(f"{len(before)} test articles with key sentences; the gate needs {MIN_ARTICLES}")
    differences = [after[article] - before[article] for article in sorted(after)]
    interval = mean_interval(differences)
    arp = [float(np.mean(list(scores.values()))) for scores in (before, after)]
    numbers = (
        f"ARP {arp[1]:.3f} after {arp[0]:.3f} of {serving.name}, {interval.mean:+.3f} "
        f"({interval.low:+.3f} to {interval.high:+.3f}) on {len(differences)} test articles"
    )
    if interval.low <= 0:
        raise NotPromotable(f"{numbers}: the interval does not lie above 0")
    if sum(difference != 0 for difference in differences) < MIN_DIFFERENT:
        raise NotPromotable(f"{numbers}: fewer than {MIN_DIFFERENT} of them differ")
    return f"{numbers}: the interval lies above 0"


def _scores(session: Session, version: ModelVersion, label_set_sha256: str) -> dict[int, float]:
    """R-precision by article with the ranking that this version proposes by; empty where it was not evaluated."""
    ranking = default_ranking(session, version)
    found = db.proposing.versions.latest_evaluation(session, version.id, ranking, Split.TEST, label_set_sha256)
    scores = db.proposing.versions.article_scores(session, found.id) if found else ()
    return {article.id: score.r_precision for score, article in scores}
