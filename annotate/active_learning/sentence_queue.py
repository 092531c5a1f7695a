"""The best sentences of all articles: which of them an expert judges next, each in its paragraph.

Experts give verdicts like any other, which are marked as picked. Their articles were not read, so estimates and
comparisons leave them out (db.values.PICKED). Nothing is picked from three sorts of articles, so that these stay
honest: several experts judge the same sentences, they are read without proposals, or an expert has them in hand.
"""

import threading
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

import db.articles
import db.proposing
import db.review.assignments
import db.review.verdicts
import db.rows
from annotate.active_learning.live_state import State, keep_up, prepare, renew_base, state_of
from annotate.active_learning.taught_examples import teach_when_shown
from annotate.articles.document_labels import labels_of
from annotate.gold.label_sets import live_gold
from annotate.jobs.repeating import try_duty
from annotate.project.home import read
from annotate.project.memory import Memory
from annotate.project.stored_settings import settings_now
from annotate.project.words import count_of
from annotate.proposing.judged import judged_of
from annotate.review.assignments import standing_of, why_empty
from annotate.review.judged_sentences import Question
from annotate.review.queue_settings import QueueSettings
from annotate.review.waiting import judged_by_several
from db.tables import ModelVersion
from db.values import PICKED
from model.active_learning.head import PROJECTIONS
from model.active_learning.picking import pick

# After this number the ranking learns from them and picks again.
BATCH = 10
# How often articles that have learnt from the verdicts may make way for others before a batch is asked about.
MOST_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Open:
    """The articles from which sentences may be picked for an expert; how many others wait, since several judge them or
    since they are read without proposals."""

    article_ids: frozenset[int]
    several: int
    blind: int


def open_to(session: Session, reviewer: str) -> Open:
    """The articles from which sentences may be picked for this reviewer, of all that wait for them. Left out are
    articles that they have in hand, that several are to judge, or that anybody was to read without proposals."""
    waiting = set(standing_of(session, reviewer).waiting)
    annotator_id = db.review.verdicts.find_annotator(session, reviewer) or 0
    waiting -= {row.article_id for row in db.review.assignments.open_assignments(session, annotator_id)}
    several = waiting & judged_by_several(session, settings_now(session, QueueSettings)).keys()
    blind = (waiting - several) & db.review.assignments.read_blind(session)
    return Open(frozenset(waiting - several - blind), len(several), len(blind))


def next_picked(reviewer: str, number: int = BATCH) -> list[Question]:
    """The sentences that this reviewer judges next, the likeliest first: none that anybody has judged, nor one that
    another reviewer is asked about now. Fewer where their articles are few; none where nothing is left to pick.

    The order is by the present head, else by the score of the proposals that are shown at first. All articles are
    ranked: some tenths of a second at 10,000. Under a topic by examples, articles learn from the verdicts before a
    sentence is picked from them, as opened articles do. Others may then come first.
    """
    prepare()
    found = _picked(reviewer, number)
    for _ in range(MOST_ROUNDS):
        if not (renewed := teach_when_shown({one.sentence.article_id for one in found})):
            break
        keep_up(renewed)
        found = _picked(reviewer, number)
    with _asking:
        if any(one.place in _asked_of_others(reviewer) for one in found):  # another reviewer asked meanwhile
            found = _picked(reviewer, number)
        _ask(reviewer, found)
    with read() as session:
        state = state_of(session)
    if state and state.is_due:
        renew = partial(renew_base, state)
        threading.Thread(target=try_duty, args=("renewing", renew), name="renewing", daemon=True).start()
    return found


def _picked(reviewer: str, number: int) -> list[Question]:
    """The likeliest sentences that may be asked of this reviewer."""
    with read() as session:
        open_ids = open_to(session, reviewer).article_ids
        state = state_of(session)
        ranked = _by_head(session, state, open_ids) if state else _by_proposals(session, open_ids)
        lines = live_gold(session).lines
        asked = _asked_of_others(reviewer)

        def is_fresh(place: int) -> bool:
            article, position = int(ranked.articles[place]), int(ranked.positions[place])
            judged = any(line.position == position for line in lines.get(article, ()))
            return not judged and (article, position) not in asked

        return _in_place(session, ranked, pick(ranked.scores, ranked.articles, ranked.vectors, number, is_fresh), state)


@dataclass(frozen=True, slots=True, eq=False)
class _Ranked:
    """Sentences to pick from: the article and the position of each, and its score, shape (n,), -inf for one that may
    not be picked; the projected embedding, shape (n, PROJECTIONS), where known. `version_id` proposed them."""

    articles: np.ndarray
    positions: np.ndarray
    scores: np.ndarray
    vectors: np.ndarray | None
    version_id: int


def _by_head(session: Session, state: State, open_ids: Collection[int]) -> _Ranked:
    """What stands for these articles in the queue, by the log odds of the head of now."""
    with state.lock:
        ids, tops, rows, mask = state.ids, state.tops, state.rows, state.mask
    is_open = np.isin(ids, np.fromiter(open_ids, np.int64, len(open_ids)))
    rows = rows.reshape(-1, rows.shape[-1])  # a view: of a million articles a copy would be gigabytes
    scores = np.where((mask & is_open[:, None]).ravel(), state.learnt(session).head.log_odds(rows), -np.inf)
    return _Ranked(np.repeat(ids, mask.shape[1]), tops.ravel(), scores, rows[:, -PROJECTIONS:], state.version.id)


def _by_proposals(session: Session, open_ids: Collection[int]) -> _Ranked:
    """The proposals of these articles that are shown at first, by their scores: before anything can learn."""
    rows = [row for row in db.proposing.shown_first(session) if row[0] in open_ids]
    columns = list(zip(*rows, strict=True)) if rows else [()] * 4
    version_id = int(columns[3][0]) if rows else 0
    articles, positions = (np.array(column, dtype=np.int64) for column in columns[:2])
    return _Ranked(articles, positions, np.array(columns[2], dtype=float), None, version_id)


def _in_place(session: Session, ranked: _Ranked, places: Sequence[int], state: State | None) -> list[Question]:
    """These sentences with what a page shows of them."""
    wanted = [(int(ranked.articles[place]), int(ranked.positions[place])) for place in places]
    article_ids = sorted({article_id for article_id, _ in wanted})
    sentences = {(one.article_id, one.position): one for one in db.articles.sentences(session, article_ids)}
    texts = {row.id: row.text for number in article_ids for row in db.articles.paragraphs(session, number)}
    articles = {number: db.articles.article(session, number) for number in article_ids}
    labels = labels_of(session, article_ids)
    proposed = {number: _proposed(session, number) for number in article_ids}
    version = db.rows.get(session, ModelVersion, ranked.version_id)
    platt = state.platt if state else None
    chances = [None] * len(places) if platt is None else platt.probability(ranked.scores[list(places)]).tolist()
    found = []
    for key, chance in zip(wanted, chances, strict=True):
        article, sentence = articles[key[0]], sentences[key]
        assert article is not None
        assert version is not None
        paragraph = texts[sentence.paragraph_id]
        known = {"ranking": PICKED, "model": version.name, **proposed[key[0]].get(key[1], {})}
        found.append(
            Question(
                sentence,
                article.title,
                before=paragraph[: sentence.start].strip(),
                after=paragraph[sentence.end :].strip(),
                source=", ".join(str(part) for part in (article.journal, article.year) if part),
                labels=labels[key[0]],
                probability=chance,
                shown=known,
            )
        )
    return found


def _proposed(session: Session, article_id: int) -> dict[int, dict[str, Any]]:
    """By position, what a verdict keeps of each proposal that the article shows at first."""
    current = db.proposing.current_set(session, article_id)
    if current is None:
        return {}
    return {
        position: {"rank": proposal.rank, "cosine": round(proposal.cosine, 4), "set": current.id}
        for proposal, position in db.proposing.proposals(session, current.id)
        if proposal.rank <= current.k
    }


# By article and position: who is asked about the sentence, and until when, in seconds of this process's clock.
_asked: Memory[tuple[int, int], tuple[str, float]] = Memory()
_asking = threading.Lock()


def _ask(reviewer: str, found: Sequence[Question]) -> None:
    """Keeps these sentences from others for as long as a lease lasts; what this reviewer had before is free again."""
    with read() as session:
        until = time.monotonic() + settings_now(session, QueueSettings).lease.total_seconds()
    asked = _asked.here()
    for key, (who, _) in list(asked.items()):
        if who == reviewer:
            asked.pop(key, None)
    asked.update({one.place: (reviewer, until) for one in found})


def _asked_of_others(reviewer: str) -> set[tuple[int, int]]:
    now = time.monotonic()
    return {key for key, (who, until) in list(_asked.here().items()) if who != reviewer and until > now}


def still_open(reviewer: str, asked: Sequence[Question]) -> list[Question]:
    """The sentences that may still be asked of this reviewer: they were not judged since, and their articles have not
    come into anybody's hands, nor left the project."""
    if not asked:  # which articles are open is asked of the whole project
        return []
    with read() as session:
        article_ids = open_to(session, reviewer).article_ids
        left = [one for one in asked if one.sentence.article_id in article_ids]
        judged = judged_of(session, {one.sentence.article_id for one in left}).positions
    return [one for one in left if one.sentence.position not in judged[one.sentence.article_id]]


def why_none(reviewer: str) -> str:
    """In words, why no sentence is left to pick for this reviewer."""
    with read() as session:
        found = open_to(session, reviewer)
    if empty := why_empty(reviewer):
        return empty
    if found.article_ids:
        return "The best sentences of every waiting article are judged. Review shows whole articles."
    reasons = [f"{count_of(found.several, 'article')} for several annotators"] if found.several else []
    reasons += [f"{count_of(found.blind, 'article')} without proposals"] if found.blind else []
    left_out = f" Left out: {' and '.join(reasons)}." if reasons else ""
    return f"No waiting article is open to this view.{left_out} Review shows whole articles."
