"""A screening as the boxes of PRISMA 2020's flow diagram, from the records identified to the reports retrieved.

Source: Page et al. 2021 (BMJ 372:n71).
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

import db.curation
import db.finding.questions
import db.rows
from annotate.articles.import_report import KIND, ImportOutcome
from annotate.articles.table_files import csv_text
from annotate.finding.asking.screening import Progress
from db.finding.questions import Judgement
from db.tables import Job

IDENTIFICATION, SCREENING = "Identification", "Screening"


@dataclass(frozen=True, slots=True)
class Box:
    """A box of the diagram: its part, its words, and how many records or reports are in it."""

    part: str
    words: str
    count: int


def flow(session: Session, pool: Collection[str], judgements: Mapping[str, Judgement], now: Progress) -> list[Box]:
    """The boxes for a screening of `pool` that `now` counts. What imports found twice, or could not read, is summed
    over all of them. Reports are sought of relevant and unsure records, and retrieved where a full text is here.
    """
    outcomes: Counter[str] = Counter()
    for job in db.rows.latest(session, Job, kind=KIND):
        outcomes.update(job.result.get("counts", {}))
    twice = outcomes[ImportOutcome.ALREADY_THERE] + outcomes[ImportOutcome.FULL_TEXT_ADDED]
    gone = outcomes[ImportOutcome.FAILED] + len(db.curation.removed_ids(session))
    here = db.curation.count_listed(session)
    inside = set(pool)
    sought = [key for key, each in judgements.items() if each.kept and key in inside]
    full = sum(has_text for _, has_text in db.finding.questions.facts(session, sought).values())
    return [
        Box(IDENTIFICATION, "Records identified", here + twice + gone),
        Box(IDENTIFICATION, "Duplicate records removed", twice),
        Box(IDENTIFICATION, "Records removed for other reasons", gone),
        Box(IDENTIFICATION, "Records outside of this screening", here - now.pool),
        Box(SCREENING, "Records screened", now.judged),
        Box(SCREENING, "Records excluded", now.judged - len(sought)),
        Box(SCREENING, "Records not screened", now.pool - now.judged),
        Box(SCREENING, "Reports sought for retrieval", len(sought)),
        Box(SCREENING, "Reports retrieved", full),
        Box(SCREENING, "Reports not retrieved", len(sought) - full),
    ]


def flow_file(boxes: Sequence[Box]) -> str:
    """The boxes as a table."""
    return csv_text(("part", "box", "count"), ((box.part, box.words, box.count) for box in boxes))
