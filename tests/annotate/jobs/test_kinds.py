"""The table of the kinds of job: each has somebody who does it, a title, a right, and patience of its own at most."""

import pytest

from annotate.jobs.kinds import KINDS, STALL_SECONDS
from annotate.jobs.many_articles import HANDLERS_OF_MANY
from annotate.project.rights import Right
from annotate.work import HANDLERS


def test_every_kind_is_done_and_nothing_else_is() -> None:
    assert set(KINDS) == set(HANDLERS)
    alone = [handler for kind, handler in HANDLERS.items() if kind not in HANDLERS_OF_MANY]
    assert len(set(alone)) == len(alone)


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_has_a_title_and_a_right_of_people(name: str) -> None:
    kind = KINDS[name]
    assert kind.title[0].isupper() and kind.title not in {other.title for key, other in KINDS.items() if key != name}
    assert kind.right in set(Right) - {Right.SYSTEM}
    assert kind.stall_seconds is None or kind.stall_seconds > STALL_SECONDS


@pytest.mark.parametrize("name", HANDLERS)
def test_what_does_a_job_says_what_it_does(name: str) -> None:
    assert HANDLERS[name].__doc__
