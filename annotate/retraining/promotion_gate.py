"""The gate: a new version promoted by the job that made it, where it is better than the proposing one beyond doubt;
and what a difference between two versions means, in words."""

from sqlalchemy.orm import Session

import db.proposing.versions
from annotate.evaluation.metric_labels import change_written, written
from annotate.project.words import count_of
from annotate.proposing.comparison import DECIDING, MIN_ARTICLES, Comparison, comparison
from annotate.proposing.encoder_versions import find_version, proposing_version
from annotate.proposing.propose import default_ranking
from annotate.registry.versions import NotPromotable, promote
from db.tables import ModelVersion
from db.values import Kind, Split
from model.evaluation.evidence import articles_needed
from model.proposing.ranking import Ranking

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
    of = [(version.id, default_ranking(session, version)) for version in (serving, child)]
    on = (Split.TEST, label_set_sha256)
    found = comparison(session, *(db.proposing.versions.latest_evaluation(session, *each, *on) for each in of))
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


def difference_in_words(session: Session, found: Comparison, candidate: ModelVersion, compared: Ranking) -> str:
    """The difference in ARP, whether it is more than chance, and which ranking would propose; empty without numbers.

    `compared` is the ranking that both were measured with.
    """
    change = found.change()
    if change is None:
        return ""
    articles = count_of(len(found.deciding("arp")), "fair test article" if found.is_fair else "test article")
    interval = f"{change_written(change.low)} to {change_written(change.high)}"
    serves = default_ranking(session, candidate)
    serving = "too" if serves is compared else "which this difference is not of"
    return (
        f"ARP {change_written(change.mean)} (95 % interval {interval}) on {articles}, ranked by {compared}. "
        f"{trust_in_words(found)} Promoted, it proposes by {serves}, {serving}."
    )


def trust_in_words(found: Comparison) -> str:
    """Whether the candidate is better by more than chance, and what it takes to say so."""
    if not found.is_fair:
        return "The labels favour the version whose proposals were judged: nothing is shown."
    if len(found.fair) < MIN_ARTICLES:
        return f"So few articles cannot tell which is better: it takes {MIN_ARTICLES}."
    if found.direction == -1:
        return "Worse by more than chance."
    said = f"Evidence {found.evidence:,.1f} of the {found.needed:,.0f} that try {found.tries} needs"
    if found.direction == 1:
        return f"Better by more than chance. {said}."
    told = f"No difference is shown. {said}."
    least = articles_needed(found.needed)
    return told if len(found.fair) >= least else f"{told} Fewer than {least} fair articles cannot give it."
