"""Processes beside this one: the same as here and in order, whatever is killed, and nothing left behind."""

import os
import subprocess
import sys
from multiprocessing import active_children

import psutil
import pytest

from annotate.engines import child_processes as engine
from annotate.engines.child_processes import ChildProcesses
from tests.support.engine_works import Sleeping, Told

LONG = 60  # seconds until what hangs is ended
# Prints the process that works beside it, then waits for its end.
BEGINS_ONE = """
import time
from annotate.engines.child_processes import ChildProcesses
from tests.support.engine_works import Told
if __name__ == "__main__":
    with ChildProcesses(1) as beside:
        print(next(beside.map(Told(), [1]))[1], flush=True)
        time.sleep(600)
"""


def test_what_is_made_comes_in_order_from_processes_beside_this_one_which_end_with_the_block() -> None:
    with ChildProcesses(2) as beside:
        made = [*beside.map(Told(), range(6)), *beside.map(Told(), [9, 8])]
        assert 1 <= len({where for _, where in made}) <= 2 and os.getpid() not in {where for _, where in made}
    assert [number for number, _ in made] == [0, 1, 2, 3, 4, 5, 9, 8]
    assert active_children() == []


def test_an_error_is_raised_at_its_turn_as_it_was_raised_there() -> None:
    made: list[int] = []
    with ChildProcesses(1) as beside, pytest.raises(ValueError, match=r"^seven is none of the others$"):
        made.extend(number for number, _ in beside.map(Told(), [5, 6]))
        for number, _ in beside.map(Told(), [4, 7, 3]):
            made.append(number)
    assert made == [5, 6, 4] and active_children() == []


def test_what_ends_its_process_is_done_here_and_after_some_deaths_so_is_all_the_rest() -> None:
    with ChildProcesses(1) as beside:
        made = list(beside.map(Told(), [1, 13, 2, *[13] * engine.LIVES, 3, 4]))
    here = {number for number, where in made if where == os.getpid()}
    assert [number for number, _ in made] == [1, 13, 2, *[13] * engine.LIVES, 3, 4]
    assert here == {13, 3, 4} and active_children() == []


def test_where_no_process_can_be_begun_all_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(place: str) -> None:
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(engine, "Child", refused)
    with ChildProcesses(2) as beside:
        assert {where for _, where in beside.map(Told(), range(5))} == {os.getpid()}


def test_inputs_are_taken_as_there_is_room() -> None:
    taken: list[int] = []
    with ChildProcesses(1) as beside:
        made = beside.map(Told(), (taken.append(number) or number for number in range(1000)))
        for _ in range(3):
            next(made)
    assert len(taken) <= 3 + engine.AHEAD


def test_what_nobody_wants_any_more_is_dropped_in_the_midst() -> None:
    asked: list[bool] = []
    with ChildProcesses(1) as beside:
        assert list(beside.map(Sleeping(), [3600, 3600], lambda: asked.append(True) or len(asked) > 2)) == []
    assert active_children() == []


def test_processes_end_where_the_one_that_began_them_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", BEGINS_ONE], stdout=subprocess.PIPE, text=True) as begun:
        assert begun.stdout is not None
        helper = psutil.Process(int(begun.stdout.readline()))
        begun.kill()
    assert psutil.wait_procs([helper], timeout=LONG)[1] == []
