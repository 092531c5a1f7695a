"""Which article comes next: drawn by lot, or chosen by the query strategy from what the head has learnt."""

from collections.abc import Sequence

import numpy as np
from sqlalchemy.orm import Session

from annotate.active_learning.live_state import Learnt, State, open_articles, state_of
from annotate.active_learning.reasons import reasons
from annotate.review.queue_settings import QueueSettings
from annotate.review.waiting import Choice
from annotate.screening.standing import UNKNOWN, weights
from db.review.assignments import lots_in_block
from model.active_learning.acquisition import GONE, STRATEGIES, Waiting, choose
from model.review.blocks import BLOCK, chance

RANDOM = "random"


def choose_next(
    session: Session, waiting_ids: Sequence[int], settings: QueueSettings, rng: np.random.Generator
) -> Choice:
    """The article to read next among those that wait, in the caller's write transaction.

    The random share of each block (model/review/blocks.py) is drawn by lot, and all where nothing is known of any:
    each that waits is then as likely as any other. Else the strategy chooses among those that have features. Raises
    ValueError where none waits.
    """
    if not len(waiting_ids):
        raise ValueError("no article waits")
    by_lot = rng.random() < chance(settings.random_share, *lots_in_block(session, [*STRATEGIES, *GONE], BLOCK))
    state = state_of(session)
    known = [] if state is None else [number for number in waiting_ids if number in state.place]
    if by_lot or settings.strategy == RANDOM or state is None or not known:
        drawn = int(waiting_ids[int(rng.integers(len(waiting_ids)))])
        return Choice(drawn, RANDOM, STRATEGIES[RANDOM].explanation, None, True, None)
    learnt = state.learnt(session)
    return _chosen(session, state, learnt, known, settings.strategy, 1, state.head_id(session, learnt))[0]


def preview(session: Session, waiting_ids: Sequence[int], settings: QueueSettings, n: int) -> list[Choice]:
    """What would come next, best first, if no lot were drawn; by lot, always the same one, where nothing is known."""
    state = state_of(session)
    known = [] if state is None else [number for number in waiting_ids if number in state.place]
    if state is None or not known or settings.strategy == RANDOM:
        drawn = np.random.default_rng(0).permutation(np.asarray(waiting_ids, dtype=np.int64))[:n].tolist()
        return [Choice(number, RANDOM, STRATEGIES[RANDOM].explanation, None, True, None) for number in drawn]
    return _chosen(session, state, state.learnt(session), known, settings.strategy, n, None)


def _chosen(
    session: Session,
    state: State,
    learnt: Learnt,
    article_ids: Sequence[int],
    strategy: str,
    number: int,
    head_id: int | None,
) -> list[Choice]:
    """The best of these articles, all of which have features; a committee is drawn alike each time, so that what was
    announced is what comes."""
    everything = len(article_ids) == len(state.ids)
    places = slice(None) if everything else np.array([state.place[article_id] for article_id in article_ids])
    waiting = Waiting(state.rows[places], state.mask[places], learnt.head)
    held = state.vectors(open_articles(session))
    ids = state.ids[places]
    known = weights(session)
    matter = np.array([known.get(article_id, UNKNOWN) for article_id in ids.tolist()])
    order, scores = choose(strategy, waiting, number, np.random.default_rng(0), held, matter)
    whys = reasons(strategy, waiting, order, scores, state.platt)
    return [
        Choice(int(ids[index]), strategy, reason, float(scores[index]), False, head_id)
        for index, reason in zip(order, whys, strict=True)
    ]
