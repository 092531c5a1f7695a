"""What has changed in the labels since the last training, and the gain to expect of another one."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy.orm import Session

import db.evaluation
import db.registry
import db.review.progress
import db.review.verdicts
import db.rows
from annotate.gold.label_sets import LabelSet, current_label_set
from annotate.project.home import read
from annotate.project.memory import Latest
from annotate.project.words import count_of
from annotate.retraining.training_set import key_sentences, label_marks
from db.articles import SPLITS, keys_and_splits
from db.curation import last_removal
from db.tables import Job, ModelVersion
from db.values import Split
from model.evaluation.intervals import Estimate
from model.evaluation.learning_curve import MIN_POINTS, expected_gain
from model.proposing.ranking import Ranking

# New, changed and withdrawn labels over the key sentences trained on. By the rule below a tenth more key sentences
# brings about .004 ARP, a quarter about .01; the standard error on 90 test articles is .035. Judged, not measured.
WORTH_SHARE, SOME_SHARE = 0.25, 0.1
FEWEST = 20  # key sentences of a first training: as many as the articles from which the ranking learns. Judged, too.
# ARP for each doubling of the labels, on Evidence Inference (docs/measurements/training.md): fine-tuned on 50 and
# 732 articles .444 and .559; the least is the learned ranking's, .328 to .423 from 5 to 400 articles; the most is that
# of 50 articles with 40% and all of their key sentences, .316 and .444.
DOUBLING, DOUBLING_LOW, DOUBLING_HIGH = 0.030, 0.015, 0.097
LEAST_ERROR = 0.01  # of a point whose few test articles all score alike
WHOLE_INTERVAL = 3.92  # standard errors that a 95% interval is wide


class Worth(StrEnum):
    """How much a training would learn that the last one did not know."""

    NOTHING = "nothing"
    LITTLE = "little"
    SOME = "some"
    WORTH = "worth it"


@dataclass(frozen=True, slots=True)
class SplitChange:
    """Labels of one split that are there now and were not, changed sides, or are gone; articles read in full since."""

    split: str
    key: int = 0
    not_key: int = 0
    changed: int = 0
    withdrawn: int = 0
    read_in_full: int = 0

    @property
    def labels(self) -> int:
        """How many labels differ."""
        return self.key + self.not_key + self.changed + self.withdrawn


@dataclass(frozen=True, slots=True)
class Change:
    """The new labels since a version was trained. `described` is None for a run that did not count document labels.

    `exact` is False where the labels of that time could not be read again, and times stand in for them.
    """

    since: str
    verdicts: int
    splits: tuple[SplitChange, ...]
    key_before: int
    key_now: int
    described: int | None
    exact: bool


@dataclass(frozen=True, slots=True)
class Point:
    """A version on the learning curve: key sentences trained on, and its test ARP by hybrid with its 95% interval.

    Of its `articles` those in `fair` were judged wherever it ranks first.
    """

    version: str
    key_sentences: int
    arp: Estimate
    articles: int = 0
    fair: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Effect:
    """The ARP that another training may add, and what that is read from."""

    gain: Estimate
    basis: str


@dataclass(frozen=True, slots=True)
class Advice:
    """The advice in words, with what it rests on; `change` is None before the first training."""

    worth: Worth
    words: str
    change: Change | None
    curve: tuple[Point, ...]
    effect: Effect | None

    @property
    def fair_to_all(self) -> tuple[int, int]:
        """(test articles in which what each version of the curve ranks first was judged, all that they stand for)."""
        fair = frozenset.intersection(*(point.fair for point in self.curve)) if self.curve else frozenset()
        return len(fair), max((point.articles for point in self.curve), default=0)

    @property
    def expected(self) -> Point | None:
        """Where the next version is expected on the curve; None without an effect or a point to begin from."""
        if self.effect is None or self.change is None or not self.curve:
            return None
        last, gain = self.curve[-1].arp.value, self.effect.gain
        arp = Estimate(*(min(1.0, max(0.0, last + added)) for added in (gain.value, gain.low, gain.high)))
        return Point("next", self.change.key_now, arp)


def marks_of(session: Session, trained: ModelVersion) -> dict[str, int]:
    """The last verdict and the last reading that a training knew, as its job kept them, else by the time it began."""
    job = db.rows.get(session, Job, trained.job_id) if trained.job_id else None
    if job is not None and "until_verdict" in job.result:
        return job.result
    return db.review.verdicts.last_events(session, until=(job.started_at if job else None) or trained.created_at)


def advise(session: Session, label_set: LabelSet | None = None) -> Advice:
    """What a training now would learn that the newest version does not know, and what that may be worth."""
    label_set = label_set or current_label_set(session)
    trained = db.registry.fine_tuned(session)
    key_now = key_sentences(session, label_set)
    if not trained:
        first = f"Nothing was trained here yet: {count_of(key_now, 'key sentence')} to learn from"
        if key_now < FEWEST:
            first += f"; below {FEWEST} that is little"
        if not key_now:
            first = "Nothing to learn from yet: no key sentence in the train split"
        worth = Worth.WORTH if key_now >= FEWEST else Worth.LITTLE if key_now else Worth.NOTHING
        return Advice(worth, first, change=None, curve=(), effect=None)
    change = _change(session, trained[-1], label_set, key_now)
    curve = _curve(session, trained, label_set.split_sha256[Split.TEST])
    worth, words = _judged(change)
    return Advice(worth, words, change, curve, _effect(change, curve))


def _change(session: Session, trained: ModelVersion, label_set: LabelSet, key_now: int) -> Change:
    marks = marks_of(session, trained)
    cut = {name: marks[name] for name in ("until_verdict", "until_reading")}
    sha256 = trained.trained_on["label_set_sha256"]
    before = label_set if sha256 == label_set.sha256 else _label_set_until(**cut)
    described = marks.get("described_articles")
    return Change(
        since=trained.name,
        verdicts=db.review.progress.count_verdicts(session, after=cut["until_verdict"]),
        splits=_by_split(session, before, label_set),
        key_before=trained.trained_on["label_counts"]["key"],
        key_now=key_now,
        described=None if described is None else label_marks(session, label_set)["described_articles"] - described,
        exact=before.sha256 == sha256,
    )


_label_sets: Latest[LabelSet] = Latest(1)


def _label_set_until(until_verdict: int, until_reading: int) -> LabelSet:
    """The labels of that moment, without articles removed since: remembered, since each click asks for them."""
    cut = {"until_verdict": until_verdict, "until_reading": until_reading}
    with read() as session:
        mark = (*cut.values(), last_removal(session))
        return _label_sets.at(mark, lambda: current_label_set(session, **cut))


def _by_split(session: Session, before: LabelSet, after: LabelSet) -> tuple[SplitChange, ...]:
    counts = {split: dict.fromkeys(("key", "not_key", "changed", "withdrawn", "read_in_full"), 0) for split in SPLITS}
    known = keys_and_splits(session)
    for article_id in {*before.labels, *after.labels}:
        old, new = before.labels.get(article_id, {}), after.labels.get(article_id, {})
        found = counts[known[article_id][1]]
        for position in {*old, *new}:
            if position not in new:
                found["withdrawn"] += 1
            elif position not in old:
                found["key" if new[position] else "not_key"] += 1
            elif old[position] != new[position]:
                found["changed"] += 1
    for article_id in after.read - before.read:
        counts[known[article_id][1]]["read_in_full"] += 1
    return tuple(SplitChange(split, **found) for split, found in counts.items())


def _judged(change: Change) -> tuple[Worth, str]:
    train, *others = change.splits
    verdicts = count_of(change.verdicts, "new verdict")
    if not any(split.labels or split.read_in_full for split in change.splits):
        but = f": {verdicts}, but no label differs" if change.verdicts else ""
        return Worth.NOTHING, f"Nothing new since {change.since} was trained{but}"
    mended = train.changed + train.withdrawn
    share = (train.key + mended) / max(1, change.key_before)
    growth = change.key_now / max(1, change.key_before) - 1
    few = "as many" if growth == 0 else "hardly more" if growth > 0 else "fewer"
    more = f"{growth:.0%} more" if growth >= 0.01 else few
    parts = [f"{more} key sentences {'as' if more == 'as many' else 'than'} {change.since} was trained on"]
    if mended:
        parts.append(f"{count_of(mended, 'label')} changed or withdrawn")
    if share >= SOME_SHARE:
        worth = Worth.WORTH if share >= WORTH_SHARE else Worth.SOME
        return worth, f"{'Worth it' if worth is Worth.WORTH else 'Some new'}: {', '.join(parts)}"
    if not train.labels and not train.read_in_full and not others[0].labels:
        return Worth.LITTLE, f"Little new: {verdicts}, on test articles alone: evaluate again, it changes no training"
    if train.read_in_full or train.not_key:
        more = f"{count_of(train.not_key, 'more sentence')} not key"
        parts.append(more if train.not_key else "articles read in full")
    return Worth.LITTLE, f"Little new: {verdicts}; {', '.join(parts)}"


def _curve(session: Session, trained: Sequence[ModelVersion], label_set_sha256: str) -> tuple[Point, ...]:
    """The trained versions that were evaluated on the test articles: under the present labels where all that is
    needed is there, else each under the labels of its time."""
    present: list[Point] = []
    latest: list[Point] = []
    for version in trained:
        key_sentences = version.trained_on["label_counts"]["key"]
        for points, labels in ((present, label_set_sha256), (latest, None)):
            found = db.evaluation.latest_evaluation(session, version.id, Ranking.HYBRID, Split.TEST, labels)
            if found is not None and key_sentences:
                metrics = found.metrics
                arp = Estimate(metrics["arp"], metrics["arp_low"], metrics["arp_high"])
                fair = frozenset(metrics.get("fair_articles", ()))
                points.append(Point(version.name, key_sentences, arp, metrics.get("articles", 0), fair))
    return tuple(present if len(present) >= min(MIN_POINTS, len(latest)) else latest)


def _effect(change: Change, curve: Sequence[Point]) -> Effect | None:
    """None where there are no more key sentences than before."""
    before, now = change.key_before, change.key_now
    if not 0 < before < now:
        return None
    sizes = [point.key_sentences for point in curve]
    if len(curve) >= MIN_POINTS and len(set(sizes)) > 1:
        errors = [max(LEAST_ERROR, (point.arp.high - point.arp.low) / WHOLE_INTERVAL) for point in curve]
        gain = expected_gain(sizes, [point.arp.value for point in curve], errors, now=before, then=now)
        return Effect(gain, f"by the curve of {len(curve)} versions trained here")
    doublings = math.log2(now / before)
    gain = Estimate(*(doublings * each for each in (DOUBLING, DOUBLING_LOW, DOUBLING_HIGH)))
    rule = f"{DOUBLING} ARP for each doubling of the labels, {DOUBLING_LOW} to {DOUBLING_HIGH}"
    return Effect(gain, f"by rule of thumb, from Evidence Inference: {rule}")
