"""The gate: a new version promoted by the job that made it, where it is better than the proposing one beyond doubt;
and what a difference between two versions means, in words."""

from collections.abc import Callable

from sqlalchemy.orm import Session

import db.evaluation
from annotate.evaluation.metric_labels import change_written, interval_text, written
from annotate.gold.label_sets import labels_now
from annotate.project.words import count_of
from annotate.proposing.comparison import DECIDING, MIN_ARTICLES, Comparison, comparison
from annotate.proposing.encoder_versions import find_version, proposing_version
from annotate.proposing.propose import default_ranking
from annotate.registry.versions import NotPromotable, promote
from db.tables import ModelVersion
from db.values import Kind, Split
from model.evaluation.evidence import articles_needed

PROMOTED_BY = "gate"


def promote_if_better(name: str, hold: Callable[[Session], None] = lambda session: None) -> str:
    """Promotes a version that ranks the test articles better than the proposing version, by more than chance.

    Counted are the articles that are fair to both, under the labels of now, each version with the ranking that it
    proposes by. Returns the reason in words; raises NotPromotable with it, and DamagedModel. `hold` may raise in the
    transaction that promotes.
    """

    def gate(session: Session, child: ModelVersion) -> str:
        return _judge(session, proposing_version(), child)

    return promote(Kind.ENCODER, find_version(name), by=PROMOTED_BY, gate=gate, hold=hold)


def _judge(session: Session, serving: ModelVersion, child: ModelVersion) -> str:
    of = [(version.id, default_ranking(session, version)) for version in (serving, child)]
    on = (Split.TEST, labels_now(session).split_sha256[Split.TEST])
    found = comparison(session, *(db.evaluation.latest_evaluation(session, *each, *on) for each in of))
    if not found.articles:
        both = f"{serving.name} and {child.name}"
        raise NotPromotable(f"{both} were not both evaluated on the test labels of now: evaluate again")
    if found.articles < MIN_ARTICLES:
        raise NotPromotable(
            f"{count_of(found.articles, 'test article')} with key sentences; the gate needs {MIN_ARTICLES}"
        )
    if not found.is_fair:
        raise NotPromotable(
            f"only {len(found.fair)} of {found.articles} test articles are fair to both versions; the gate needs "
            f"{MIN_ARTICLES}: judge what the fair test on the page Check asks for"
        )
    means = found.means(DECIDING)
    if means is None:
        raise NotPromotable(f"{serving.name} or {child.name} was evaluated by an earlier release: evaluate both")
    reason = (
        f"{difference_in_words(found)} nDCG@20 is {written(means[1])}, of {serving.name} {written(means[0])}. "
        f"{evidence_in_words(found)}"
    )
    if found.direction != 1:
        raise NotPromotable(reason)
    return reason


def difference_in_words(found: Comparison) -> str:
    """Whether the candidate is better or worse by more than chance, by how much, and on how many articles."""
    change = found.change()
    if change is None:
        return "Not measured on the present labels."
    fair = count_of(len(found.fair), "fair article")
    difference = f"ARP {interval_text(change.value, change.low, change.high, change_written)}"
    if found.worse:
        of_all = f"{count_of(found.articles, 'test article')}, of which {len(found.fair)} are fair to both"
        return f"Worse: {difference} on {fair if found.is_fair else of_all}."
    if not found.is_fair:
        return f"Not decided: only {len(found.fair)} of {found.articles} test articles are fair to both."
    if len(found.fair) < MIN_ARTICLES:
        return f"Not decided: {fair}, at least {MIN_ARTICLES} are needed."
    return f"{'Better' if found.direction else 'No clear difference'}: {difference} on {fair}."


def evidence_in_words(found: Comparison) -> str:
    """How much says that the candidate is better, and what it takes; empty where so few articles say nothing."""
    if len(found.fair) < MIN_ARTICLES:
        return ""
    least = articles_needed(found.needed)
    evidence = f"Evidence {found.evidence:,.1f}; try {found.tries} needs {found.needed:,.0f}."
    return evidence if len(found.fair) >= least else f"{evidence} That takes at least {least} fair articles."
