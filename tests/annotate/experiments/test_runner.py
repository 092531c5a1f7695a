"""Processes of a grid: what becomes of the others when one dies or fails, and of all when the grid is stopped."""

import os
import signal

import psutil
import pytest

from annotate.experiments.runner import Runner, RunProgress, in_processes


class Numbers(Runner):
    """A run is a number, and some come to an end of their own."""

    def do(self, run, place, report):
        report(RunProgress(run, "begun"))
        if run == 13:
            os.kill(os.getpid(), signal.SIGKILL)
        if run == 7:
            raise ValueError("seven is none of the others")
        return {"place": place, "pid": os.getpid()}


class NeverStarts(Runner):
    def share(self, processes):
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_dies_is_replaced_in_its_place_and_a_run_that_fails_is_named():
    begun = []
    ended = {
        finished.run: finished
        for finished in in_processes(Numbers(), [13, 1, 7, 2, 3], ["here"], lambda p: p and begun.append(p.run))
    }
    assert begun == [13, 1, 7, 2, 3] and list(ended) == begun
    assert ended[13].error == "its process ended without a word" and ended[13].values == {}
    assert ended[7].error == "seven is none of the others"
    good = [ended[run].values for run in (1, 2, 3)]
    assert {own["place"] for own in good} == {"here"}
    assert len({own["pid"] for own in good}) == 1 and good[0]["pid"] != os.getpid()


def test_each_place_has_a_process_of_its_own():
    ended = list(in_processes(Numbers(), [1, 2, 3, 4], ["a", "b"], lambda progress: None))
    places = {(finished.values["place"], finished.values["pid"]) for finished in ended}
    assert sorted(finished.run for finished in ended) == [1, 2, 3, 4]
    assert {place for place, _ in places} <= {"a", "b"} and len(places) == len({pid for _, pid in places})


def test_a_grid_that_is_stopped_leaves_no_process_behind():
    def stop(progress):
        raise KeyboardInterrupt

    before = {child.pid for child in psutil.Process().children(recursive=True)}
    with pytest.raises(KeyboardInterrupt):
        list(in_processes(Numbers(), [1, 2], ["a", "b"], stop))
    left = [child for child in psutil.Process().children(recursive=True) if child.pid not in before]
    assert not [child for child in left if "spawn_main" in " ".join(child.cmdline())]


def test_a_process_that_does_not_start_ends_the_grid():
    with pytest.raises(RuntimeError, match="the process for nowhere did not start"):
        list(in_processes(NeverStarts(), [1], ["nowhere"], lambda progress: None))
