"""What the difference between the proposing version and a candidate means, in words."""

from sqlalchemy.orm import Session

from annotate.evaluation.metric_labels import change_written
from annotate.project.words import count_of
from annotate.proposing.comparison import MIN_ARTICLES, Comparison
from annotate.proposing.propose import default_ranking
from db.tables import ModelVersion
from model.evaluation.evidence import articles_needed
from model.proposing.ranking import Ranking


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
