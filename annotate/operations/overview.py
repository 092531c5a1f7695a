"""Where the project stands in a few numbers, and the next steps of the person who looks: what the page Start shows."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

import db.curation
import db.jobs
import db.proposing
from annotate.gold.label_sets import labels_now
from annotate.gold.practice import is_newcomer, left_of
from annotate.project.acting import allowed
from annotate.project.rights import Right
from annotate.project.words import count_of
from annotate.retraining.advice import Worth, advise
from annotate.review.assignments import standing_of
from annotate.review.blindness.released import sight_of
from annotate.review.blindness.sight import Sight
from annotate.review.waiting import Reviewed, reviewed
from annotate.team.adjudication import disputes

# The pages on which people review.
REVIEWING = ("review", "practice")
# The jobs that make proposals.
PROPOSING = ("import", "propose")


@dataclass(frozen=True, slots=True)
class Overview:
    """How many articles there are, how many hold proposals, and which are reviewed, in the sight of who looks."""

    articles: int
    reviewed: Reviewed
    proposed: int
    sight: Sight


@dataclass(frozen=True, slots=True)
class Step:
    """What to do next: the page it is done on, what its button says, and why, in a sentence."""

    page: str
    label: str
    why: str


def overview(session: Session, reviewer: str | None) -> Overview:
    """The project as this person may see it now."""
    sight = sight_of(session, reviewer)
    return Overview(
        articles=db.curation.count_listed(session),
        reviewed=reviewed(session, sight),
        proposed=db.proposing.count_proposed(session),
        sight=sight,
    )


def next_steps(session: Session, reviewer: str | None, now: Overview) -> list[Step]:
    """What this person can do next, the first step first: review where an article waits, then the other duties.

    The duties are decisions on disputes and a retraining that is worth it. Where nothing waits to be reviewed they come
    first. At least one step.
    """
    if not now.proposed and any(job.kind in PROPOSING for job in db.jobs.active(session)):
        return [Step("start", "", "Sentences are being ranked: your first article comes in a moment.")]
    if not now.articles:
        if not allowed(session, Right.IMPORT):
            return [Step("start", "", "No articles yet: a curator imports them.")]
        why = "No articles yet: import your own, or the sample to look around."
        return [Step("import_articles", "Import articles", why)]
    if not now.proposed:
        return [Step("articles", "Propose sentences", "No article has proposals yet.")]
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
    sentences = count_of(disputed, "disputed sentence")
    verb = "wait" if disputed != 1 else "waits"
    return Step("adjudicate", f"Decide {sentences}", f"{sentences} {verb} for a decision.")


def _retrain(session: Session) -> Step | None:
    if any(job.kind == "train" for job in db.jobs.active(session)):
        return None
    advice = advise(session, labels_now(session))
    return Step("retrain", "Retrain", f"{advice.words}.") if advice.worth is Worth.WORTH else None


def _review(session: Session, reviewer: str | None) -> Step:
    if is_newcomer(session, reviewer):
        known = len(left_of(session, reviewer or ""))
        why = f"Before your first article: {known:,} whose key sentences are known, to learn what counts."
        return Step("practice", "Begin the practice round", why)
    if waiting := _articles_waiting(session, reviewer or ""):
        wait = "waits" if waiting == 1 else "wait"
        return Step("review", "Review the next article", f"{count_of(waiting, 'article')} {wait} for you.")
    if allowed(session, Right.IMPORT):
        return Step("import_articles", "Import more articles", "Nothing waits to be reviewed.")
    return Step("queue", "See the progress", "Nothing waits for you now.")
