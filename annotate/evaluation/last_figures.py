"""The last figures of a version: on the present labels, else on earlier ones, with their age."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

import db.evaluation
import db.review.progress
import db.review.verdicts
from annotate.gold.label_sets import LabelSet
from annotate.project.words import count_of
from db.articles import ALL
from db.tables import Evaluation


@dataclass(frozen=True, slots=True)
class Figures:
    """An evaluation; `old` where the labels are others by now, with the verdicts on its split since."""

    evaluation: Evaluation
    old: bool = False
    verdicts_since: int = 0

    @property
    def since(self) -> str:
        """The changes since then, in words; empty for figures on the present labels."""
        if not self.old:
            return ""
        return f"{count_of(self.verdicts_since, 'verdict')} since" if self.verdicts_since else "labels changed since"


def last_figures(session: Session, version_id: int, ranking: str, split: str, label_set: LabelSet) -> Figures | None:
    """The newest evaluation of a version with this ranking on a split: under this label set, else under an earlier one.

    None where there is none at all.
    """
    latest = db.evaluation.latest_evaluation
    if found := latest(session, version_id, ranking, split, label_set.split_sha256[split]):
        return Figures(found)
    found = latest(session, version_id, ranking, split)
    return Figures(found, True, _verdicts_since(session, found)) if found else None


def _verdicts_since(session: Session, found: Evaluation) -> int:
    known = found.metrics.get("until_verdict")
    if known is None:  # of an earlier release: its time stands in
        known = db.review.verdicts.last_events(session, until=found.created_at)["until_verdict"]
    split = None if found.split == ALL else found.split
    return db.review.progress.count_verdicts(session, after=known, split=split)
