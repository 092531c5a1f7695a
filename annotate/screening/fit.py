"""Learning which articles hold a key sentence, from verdicts: a job's work, seconds at 10,000 articles.

Every article gets its probability from what others taught: its own verdicts never move it.
"""

import hashlib
from collections.abc import Callable, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from sqlalchemy.orm import Session

import db.active_learning.screening
import db.articles
import db.review.progress
import db.review.verdicts
import db.rows
from annotate.gold.label_sets import live_gold
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.review.waiting import done_by
from annotate.screening.abstracts import texts_of
from annotate.screening.screening_files import cue_of, measured
from annotate.topics.project_topic import current_topic
from db.tables import TriageFit, TriageScore
from db.values import Split
from model.active_learning.screening import CALIBRATED, Examples, TooFewArticles, counts_of, fit_triage, missed_share
from model.labelled import KEY

FOLDS = 5
# By lot: with 933 abstracts a fold takes a second, and twice as many would take eight.
MOST = 1_000
BATCH = 500


@dataclass(frozen=True, slots=True)
class Known:
    """Of each judged article whether it holds a key sentence, and the last verdict, reading and removal that say so.

    `by_proposals`: those without of which nothing but the proposals was judged; `missed`: the share of such articles
    that hold one all the same, as those show that were read in full.
    """

    held: Mapping[int, bool]
    marks: Mapping[str, int]
    by_proposals: frozenset[int]
    missed: float

    @property
    def chances(self) -> dict[int, float]:
        """The chance by article that it holds a key sentence, by what people said: triage learns from it."""
        return {
            number: self.missed if number in self.by_proposals else float(held) for number, held in self.held.items()
        }


def known_articles(session: Session) -> Known:
    """The known labels of articles that may teach: those with a key sentence, and those judged or read to the end
    without.

    Never of the test split, nor articles of which only picked sentences were judged: among these, articles without a
    key sentence could not teach. An article whose only possible key sentences are disputed or unsure is not known.
    """
    marks = db.review.verdicts.last_events(session)
    gold = live_gold(session)
    labels = gold.label_set
    undecided = {number for number, lines in gold.lines.items() if len(lines) > len(labels.labels.get(number, ()))}
    finished = {number for number, experts in done_by(session).items() if experts} | labels.read
    counts = db.articles.sentence_counts(session, list(labels.labels))
    whole = labels.read | {number for number, given in labels.labels.items() if len(given) == counts[number]}
    finished |= whole
    held = {n: KEY in given.values() for n, given in labels.labels.items() if n not in labels.picked}
    held = {number: found for number, found in held.items() if found or number in finished}
    held |= {number: False for number in labels.read if number not in held}
    held = {number: found for number, found in held.items() if found or number not in undecided}
    splits = db.articles.splits(session, list(held))
    held = {number: found for number, found in held.items() if splits[number] != Split.TEST}
    by_proposals = frozenset(number for number, found in held.items() if not found and number not in whole)
    missed = missed_share(_past_proposals(session, held.keys() & whole)) if by_proposals else 0.0
    return Known(held, marks, by_proposals, missed)


def _past_proposals(session: Session, whole: Set[int]) -> list[bool]:
    """Of these articles, judged in whole, whether each without a key sentence among its proposals holds one."""
    blind = {row.article_id for row in db.review.progress.handed_out(session) if not row.with_proposals}
    keys = db.review.progress.key_counts(session)
    proposed = done_by(session).keys() & whole - blind
    return [number in keys for number in sorted(proposed) if number not in keys or not keys[number].proposed]


def store_cues(
    progress: Callable[[int], None] = lambda done: None, cancelled: Callable[[], bool] = lambda: False
) -> int:
    """Computes the cue scores of articles that have none of their present text by the topic of now; returns their
    number."""
    done = last = 0
    rules = current_topic().rules
    while not cancelled():
        with read() as session:
            found = db.active_learning.screening.outdated(session, rules.name, after=last, limit=BATCH)
            texts = texts_of(session, {number: title for number, title, _ in found})
        if not found:
            break
        rows = [
            {
                "article_id": number,
                "sentence_count": count,
                "version": rules.name,
                "cue": cue_of(*texts[number], rules),
                "probability": None,
            }
            for number, _, count in found
        ]
        with write(Right.SYSTEM) as session:
            db.rows.put(session, TriageScore, rows, "sentence_count", "version", "cue")
        done, last = done + len(rows), found[-1][0]
        progress(done)
    return done


def learn_triage(
    progress: Callable[[str, int, int], None] = lambda stage, done, total: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """Brings the cue scores up to date and, where there are labels enough, the probabilities of all articles.

    Returns what it learnt from and how well, as the stored fit has it.
    """
    store_cues(lambda done: progress("reading titles and abstracts", done, 0), cancelled)
    with read() as session:
        known = known_articles(session)
        keys = {number: key for number, (key, _) in db.articles.keys_and_splits(session).items()}
    counts: dict[str, Any] = {"articles": len(known.held), "held": sum(known.held.values())}
    counts |= {"by_proposals": len(known.by_proposals), "missed": round(known.missed, 3)}
    metrics: dict[str, Any] = {"calibrated": False}
    if min(counts["held"], counts["articles"] - counts["held"]) >= CALIBRATED:
        progress("learning which articles hold key sentences", 0, 0)
        with suppress(TooFewArticles):  # where nearly all of a kind lie in one fold
            metrics = {"calibrated": True, **_learn(known, keys, progress, cancelled)}
    if not cancelled():
        with write(Right.SYSTEM) as session:
            kept = {**counts, **known.marks}
            db.rows.add(session, TriageFit(until_verdict=kept.pop("until_verdict"), counts=kept, metrics=metrics))
    return {**counts, **metrics}


def fold_of(key: str) -> int:
    """Which part of all articles this one belongs to: 0 to FOLDS - 1, by a hash of its key."""
    return int.from_bytes(hashlib.sha256(f"triage:{key}".encode()).digest()[:4]) % FOLDS


def _learn(
    known: Known,
    keys: Mapping[int, str],
    progress: Callable[[str, int, int], None],
    cancelled: Callable[[], bool],
) -> dict[str, Any]:
    """Stores the probability of every article, from a fit on articles of other folds; how true they are."""
    held, chances = known.held, known.chances
    drawn = sorted(held, key=lambda number: hashlib.sha256(f"triage lot:{keys[number]}".encode()).digest())[:MOST]
    ids = np.array(sorted(drawn))
    taught = _examples(ids.tolist())
    truth = np.array([chances[number] for number in ids.tolist()])
    folds = np.array([fold_of(keys[number]) for number in ids.tolist()])
    fits = [fit_triage(taught.at(np.flatnonzero(folds != own)), truth[folds != own]) for own in range(FOLDS)]
    of: dict[int, float] = {}
    every = sorted(keys)
    for start in range(0, len(every), BATCH):
        if cancelled():
            return {}
        batch = every[start : start + BATCH]
        found, own = _examples(batch), np.array([fold_of(keys[number]) for number in batch])
        for fold, fit in enumerate(fits):
            places = np.flatnonzero(own == fold)
            if len(places):
                p = scipy.special.expit(fit.log_odds(found.at(places))).tolist()
                of |= {batch[place]: float(value) for place, value in zip(places.tolist(), p, strict=True)}
        with write(Right.SYSTEM) as session:
            rows = [
                {"article_id": n, "sentence_count": 0, "version": "", "cue": 0.0, "probability": of[n]} for n in batch
            ]
            db.rows.put(session, TriageScore, rows, "probability")
        progress("scoring articles", start + len(batch), len(every))
    judged = [number for number in every if number in held]
    return measured([int(held[number]) for number in judged], np.array([of[number] for number in judged]))


def _examples(article_ids: list[int]) -> Examples:
    with read() as session:
        texts = texts_of(session, db.articles.titles(session, article_ids))
        cues = {number: cue for number, _, cue, _ in db.active_learning.screening.scores(session, article_ids)}
    return Examples(counts_of([texts[n] for n in article_ids]), np.array([cues.get(n, 0.0) for n in article_ids]))
