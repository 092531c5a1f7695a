"""Which article comes next: drawn by lot, or chosen by the query strategy from what the head has learnt."""

from collections.abc import Sequence

import numpy as np
from sqlalchemy.orm import Session

from annotate.active_learning.live_state import Learnt, State, open_articles, state_of
from annotate.active_learning.reasons import reasons
from annotate.project.home import signing_secret
from annotate.review.queue_settings import QueueSettings
from annotate.review.waiting import Choice
from annotate.screening.standing import UNKNOWN, weights
from db.review.assignments import lots_in_block
from model.active_learning.acquisition import GONE, STRATEGIES, Waiting, choose
from model.review.blocks import BLOCK, chance

RANDOM = "random"


def choose_next(
    session: Session, waiting_ids: Sequence[int], settings: QueueSettings, rng: np.random.Generator | None = None
) -> Choice:
    """The article to read next among those that wait, in the caller's write transaction. `rng` draws the lots;
    without it they are the ones of `preview`.

    The random share of each block (model/review/blocks.py) is drawn by lot, and all where nothing is known of any:
    each that waits is then as likely as any other. Else the strategy chooses among those that have features. Raises
    ValueError where none waits.
    """
    if not len(waiting_ids):
        raise ValueError("no article waits")
    return _first(session, waiting_ids, settings, 1, rng, store_head=True)[0]


def preview(session: Session, waiting_ids: Sequence[int], settings: QueueSettings, n: int) -> list[Choice]:
    """What comes next, and what would come after it if no further lot were drawn."""
    return _first(session, waiting_ids, settings, n, None, store_head=False)


def _first(
    session: Session,
    waiting_ids: Sequence[int],
    settings: QueueSettings,
    n: int,
    rng: np.random.Generator | None,
    *,
    store_head: bool,
) -> list[Choice]:
    handed, lots = lots_in_block(session, [*STRATEGIES, *GONE], BLOCK)
    # The same until the next article is handed out: the one that is announced comes.
    rng = rng or np.random.default_rng([int.from_bytes(signing_secret()), handed])
    by_lot = rng.random() < chance(settings.random_share, handed, lots)
    state = state_of(session)
    known = [] if state is None else [number for number in waiting_ids if number in state.place]
    if state is None or not known or settings.strategy == RANDOM:
        return [_by_lot(number) for number in rng.permutation(waiting_ids)[:n].tolist()]
    drawn = [_by_lot(int(rng.choice(waiting_ids)))] if by_lot else []
    if len(drawn) == n:
        return drawn
    learnt = state.learnt(session)
    head_id = state.head_id(session, learnt) if store_head else None
    chosen = _chosen(session, state, learnt, known, settings.strategy, n, head_id)
    return [*drawn, *(each for each in chosen if not drawn or each.article_id != drawn[0].article_id)][:n]


def _by_lot(article_id: int) -> Choice:
    return Choice(article_id, RANDOM, STRATEGIES[RANDOM].explanation, None, True, None)


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
