"""Where the project stands in a few numbers, and the next steps of the person who looks: what the page Start shows."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

import db.articles
import db.jobs
import db.proposing.proposals
import db.proposing.versions
from annotate.evaluation.last_figures import last_figures
from annotate.gold.label_sets import LabelSet, labels_now
from annotate.gold.practice import is_newcomer, left_of
from annotate.project.acting import allowed
from annotate.project.rights import Right
from annotate.project.words import count_of
from annotate.retraining.advice import Worth, advise
from annotate.review.assignments import standing_of
from annotate.review.blindness.released import sight_of
from annotate.review.blindness.sight import Sight
from annotate.review.waiting import Reviewed, reviewed
from annotate.team.agreement import team_agreement
from annotate.team.disputes import disputes
from db.values import Split
from model.agreement import Agreement
from model.proposing.ranking import Ranking

# The pages on which people review.
REVIEWING = ("review", "practice")


@dataclass(frozen=True, slots=True)
class Measured:
    """How a version ranks the test articles: ARP, 0 to 1, with its 95 % interval, over n articles; when it was measured
    and, if the labels were earlier ones, what came `since`, else nothing."""

    version: str
    ranking: str
    arp: float
    low: float
    high: float
    n: int
    at: str
    since: str = ""


@dataclass(frozen=True, slots=True)
class Overview:
    """Where the project stands, in the sight of the person who looks. None is what they may not see: what others said
    while any of it is withheld, and how far people agree without the right to see that."""

    articles: int
    reviewed: Reviewed
    proposed: int
    sight: Sight
    key_sentences: int | None
    measured: Sequence[Measured]
    agreement: Agreement | None


@dataclass(frozen=True, slots=True)
class Step:
    """What to do next: the page it is done on, what its button says, and why, in a sentence."""

    page: str
    label: str
    why: str


def overview(session: Session, reviewer: str | None) -> Overview:
    """The project as this person may see it now."""
    sight = sight_of(session, reviewer)
    articles = db.articles.count_articles(session)
    labels = labels_now(session) if articles and not sight.withheld else None
    return Overview(
        articles=articles,
        reviewed=reviewed(session, sight),
        proposed=db.proposing.proposals.count_proposed(session),
        sight=sight,
        key_sentences=sum(sum(given.values()) for given in labels.labels.values()) if labels else None,
        measured=_measured(session, labels) if labels else (),
        agreement=team_agreement(session).overall if articles and allowed(session, Right.AGREEMENT) else None,
    )


def _measured(session: Session, labels: LabelSet) -> list[Measured]:
    """Of each version the evaluation by the ranking that proposes, else by that which comes nearest to it; with the
    labels of now, else with earlier ones."""
    found = []
    for version in db.proposing.versions.versions(session):
        told = [
            figures
            for ranking in (Ranking.LEARNED, Ranking.HYBRID, Ranking.COSINE)
            if (figures := last_figures(session, version.id, ranking, Split.TEST, labels))
        ]
        if told:
            figures = min(told, key=lambda one: one.old)  # the first of them, of the labels of now where there is one
            row = figures.evaluation
            interval = row.metrics["arp"], row.metrics["arp_low"], row.metrics["arp_high"]
            number = db.proposing.versions.count_scores(session, row.id)
            found.append(Measured(version.name, row.ranking, *interval, number, row.created_at, figures.since))
    return found


def next_steps(session: Session, reviewer: str | None, now: Overview) -> list[Step]:
    """What this person can do next, the first step first: review where an article waits, then the other duties.

    The duties are decisions on disputes and a retraining that is worth it. Where nothing waits to be reviewed they come
    first. At least one step.
    """
    if not now.articles:
        if not allowed(session, Right.IMPORT):
            return [Step("start", "", "No articles yet: a curator imports them.")]
        why = "No articles yet. Import your own, or load the sample to look around."
        return [Step("import_articles", "Import articles", why)]
    if not now.proposed:
        return [
            Step("articles", "Propose sentences", "No article holds proposals yet: Articles has the button for it.")
        ]
    duties = [
        step
        for right, duty in ((Right.ADJUDICATE, _decide), (Right.TRAIN, _retrain))
        if allowed(session, right) and (step := duty(session))
    ]
    reviewing = _review(session, reviewer)
    if reviewing.page in REVIEWING:
        return [reviewing, *duties]
    return [*duties, reviewing]


def work_waiting(session: Session, reviewer: str) -> dict[str, int]:
    """What waits for this person, by the page where they do it: articles to review, disputed sentences to decide."""
    found = {"review": _articles_waiting(session, reviewer)}
    if allowed(session, Right.ADJUDICATE):
        found["adjudicate"] = _disputed(session)
    return found


def _articles_waiting(session: Session, reviewer: str) -> int:
    return len(standing_of(session, reviewer).waiting)


def _disputed(session: Session) -> int:
    return sum(len(row.sentence_ids) for row in disputes(session).ready)


def _decide(session: Session) -> Step | None:
    if not (disputed := _disputed(session)):
        return None
    sentences = count_of(disputed, "sentence")
    verb = "wait" if disputed != 1 else "waits"
    return Step("adjudicate", f"Decide {sentences}", f"{sentences} on which experts disagree {verb} for a decision.")


def _retrain(session: Session) -> Step | None:
    if any(job.kind == "train" for job in db.jobs.active(session)):
        return None
    advice = advise(session, labels_now(session))
    return Step("retrain", "Retrain", f"{advice.words}.") if advice.worth is Worth.WORTH else None


def _review(session: Session, reviewer: str | None) -> Step:
    if is_newcomer(session, reviewer):
        known = len(left_of(session, reviewer or ""))
        why = f"Before your first article: {known:,} whose key sentences are known, to learn what counts."
        return Step("practice", "Begin the training round", why)
    if waiting := _articles_waiting(session, reviewer or ""):
        wait = "waits" if waiting == 1 else "wait"
        return Step("review", "Review the next article", f"{count_of(waiting, 'article')} {wait} for you.")
    if allowed(session, Right.IMPORT):
        return Step("import_articles", "Import more articles", "Nothing waits to be reviewed.")
    return Step("progress", "See the progress", "Nothing waits for you now.")
