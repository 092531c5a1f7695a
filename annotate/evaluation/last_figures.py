"""The last figures of versions: on the present labels, else on earlier ones, with their age."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy.orm import Session

import db.evaluation
import db.review.progress
import db.review.verdicts
from annotate.gold.label_sets import LabelSet
from annotate.project.words import count_of
from annotate.proposing.comparison import measured_as_now
from db.articles import ALL
from db.tables import Evaluation, ModelVersion

MARKS = ("judged_sha256", "ranked_by_sha256")  # of an evaluation: what was judged, and what ranked next to the version


@dataclass(frozen=True, slots=True)
class Figures:
    """An evaluation; `old` where labels, judged sentences or the topic are others by now, with the verdicts on its
    split since."""

    evaluation: Evaluation
    old: bool = False
    verdicts_since: int = 0

    @property
    def since(self) -> str:
        """The changes since then, in words; empty for figures that hold."""
        if not self.old:
            return ""
        changed = count_of(self.verdicts_since, "verdict") if self.verdicts_since else "labels or topic changed"
        return f"{changed} since"


def last_figures(
    session: Session, asked: Iterable[tuple[ModelVersion, str]], split: str, label_set: LabelSet
) -> dict[tuple[str, str], Figures]:
    """The newest evaluation of each version with a ranking on a split: under this label set, else under an earlier one.

    By the names of version and ranking, without those that were never measured.
    """
    found: dict[tuple[str, str], Figures] = {}
    as_now: dict[tuple[str | None, ...], bool] = {}  # equal marks are asked once
    latest, sha256 = db.evaluation.latest_evaluation, label_set.split_sha256[split]
    for version, ranking in asked:
        one = latest(session, version.id, ranking, split, sha256) or latest(session, version.id, ranking, split)
        if one is None:
            continue
        marks = (one.label_set_sha256, *map(one.metrics.get, MARKS))
        if marks not in as_now:
            as_now[marks] = one.label_set_sha256 == sha256 and measured_as_now(session, one)
        old = not as_now[marks]
        found[version.name, str(ranking)] = Figures(one, old, _verdicts_since(session, one) if old else 0)
    return found


def _verdicts_since(session: Session, found: Evaluation) -> int:
    known = found.metrics.get("until_verdict")
    if known is None:  # of an earlier release: its time stands in
        known = db.review.verdicts.last_events(session, until=found.created_at)["until_verdict"]
    split = None if found.split == ALL else found.split
    return db.review.progress.count_verdicts(session, after=known, split=split)
