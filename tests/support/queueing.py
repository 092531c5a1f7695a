"""A queue to test: articles in it, a choice that is known beforehand, a clock to set, and what became of it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from annotate.active_learning.queue import hand_out
from annotate.project.home import read
from annotate.project.stored_settings import change_settings
from annotate.review.assignments import holder_of
from annotate.review.queue_settings import QueueSettings
from annotate.review.waiting import Choice
from tests.support.making import judge, query, store_proposed, verdict


def choose_the_first(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Lets the queue choose the first article that waits; returns where it keeps what it was asked."""
    asked: list[tuple[Any, ...]] = []

    def first(article_id: int) -> Choice:
        return Choice(article_id, "score", "it is the first", 0.5, False, None)

    def choose_next(session: Any, waiting_ids: list[int], settings: QueueSettings, rng: Any) -> Choice:
        asked.append((list(waiting_ids), settings, rng))
        return first(waiting_ids[0])

    monkeypatch.setattr("annotate.active_learning.queue.choose_next", choose_next)
    monkeypatch.setattr(
        "annotate.active_learning.queue.preview", lambda session, ids, settings, n: [first(i) for i in ids[:n]]
    )
    return asked


def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Sets the clock by which leases count to so many minutes from now."""
    start = datetime.now(UTC)

    def set_to(minutes: float) -> None:
        for module in ("annotate.review.assignments", "annotate.review.assignments"):
            monkeypatch.setattr(f"{module}.present", lambda: start + timedelta(minutes=minutes))

    set_to(0)
    return set_to


def set_queue(**settings: Any) -> None:
    """Sets the queue; nothing is left to the lot unless asked for."""
    change_settings("Cleo", QueueSettings(**{"random_share": 0.0, "blind_share": 0.0} | settings))


def begin(articles: int, **settings: Any) -> None:
    """Stores articles with two proposals each, the sentences 0 and 1, and sets the queue."""
    store_proposed(articles)
    set_queue(**settings)


def given(reviewer: str) -> int | None:
    """The id of the article that a reviewer gets."""
    found = hand_out(reviewer)
    return found.article_id if found else None


NOBODY = 0


def holder(article_id: int) -> str | None:
    """Who holds an article."""
    with read() as session:
        return holder_of(session, article_id, NOBODY)


def judge_all(reviewer: str, article_id: int) -> None:
    """Gives a verdict on each proposal."""
    judge(reviewer, article_id, verdict(0, "reject"), verdict(1))


def endings() -> list[tuple[Any, ...]]:
    """(annotator, article id, ending) of all assignments, in order."""
    return query(
        "SELECT name, article_id, ending FROM assignment "
        "JOIN annotator ON annotator.id = annotator_id ORDER BY assignment.id"
    )
