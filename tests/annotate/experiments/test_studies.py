"""Processes of a study: what becomes of the others when one dies or fails, and of all when the study is stopped."""

import os
import signal
from multiprocessing import active_children

import pytest

from annotate.engines.child_processes import ChildProcesses
from annotate.experiments.studies import Runner


class Numbers(Runner):
    """A run is a number, and some come to an end of their own."""

    def do(self, run, report):
        if run == 13:
            os.kill(os.getpid(), signal.SIGKILL)
        if run == 7:
            raise ValueError("seven is none of the others")
        return {"place": self.place, "pid": os.getpid()}


class NeverStarts(Runner):
    def begin(self):
        os.kill(os.getpid(), signal.SIGKILL)


def done(runner, runs, *places):
    with ChildProcesses(len(places), places) as children:
        return list(children.map(runner, runs, ordered=False))


def test_a_process_that_dies_is_replaced_in_its_place_and_a_run_that_fails_is_named():
    ended = {finished.run: finished for finished in done(Numbers(), [13, 1, 13.0, 13.0, 13.0, 7, 2, 3], "here")}
    assert ended[13].error == "its process ended without a word" and ended[13].values == {}
    assert ended[7].error == "seven is none of the others"
    good = [ended[run].values for run in (2, 3)]
    assert {own["place"] for own in good} == {"here"} and ended[1].values["pid"] != os.getpid()
    assert len({own["pid"] for own in good}) == 1 and good[0]["pid"] != os.getpid()


def test_each_place_has_a_process_of_its_own():
    ended = done(Numbers(), [1, 2, 3, 4], "a", "b")
    places = {(finished.values["place"], finished.values["pid"]) for finished in ended}
    assert sorted(finished.run for finished in ended) == [1, 2, 3, 4]
    assert {place for place, _ in places} <= {"a", "b"} and len(places) == len({pid for _, pid in places})


def test_a_study_that_is_stopped_leaves_no_process_behind():
    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), ChildProcesses(2) as children:
        list(children.map(Numbers(), [1, 2], stop, ordered=False))
    assert active_children() == []


def test_where_no_process_starts_every_run_is_lost():
    assert [finished.error for finished in done(NeverStarts(), [1, 2], "nowhere")] == [
        "its process ended without a word"
    ] * 2
