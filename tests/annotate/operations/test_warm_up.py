"""The app makes ready what its first visitors would wait for."""

import gc
from collections.abc import Iterator

import pytest

import annotate.gold.label_sets
import annotate.review.waiting
from annotate.operations.regular_duties import warm_up
from annotate.project import logs
from tests.support.making import judge, paper, store, verdict

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture(autouse=True)
def unfrozen() -> Iterator[None]:
    """What was frozen here is looked at again after the test."""
    yield
    gc.unfreeze()


def test_what_was_made_ready_is_remembered() -> None:
    store(paper(pmid="1"))
    judge("Anna", 1, verdict(0))
    warm_up()
    assert "now" in annotate.gold.label_sets._gold.here()
    assert "last" in annotate.review.waiting._done.here()
    assert gc.get_freeze_count() > 10_000


def test_trouble_is_logged_and_ends_there(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, dict[str, object]]] = []
    monkeypatch.setattr(logs, "warning", lambda name, **details: told.append((name, details)))

    def fail(session: object) -> None:
        raise OSError("the disk is away")

    monkeypatch.setattr(annotate.gold.label_sets, "live_gold", fail)
    warm_up()
    assert told == [("tries again later", {"duty": "warming up", "reason": "OSError: the disk is away"})]
