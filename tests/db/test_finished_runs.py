"""Finished runs of experiments: stored once, found by key, listed by experiment."""

import pytest

from annotate.project.home import read, write
from annotate.project.rights import Right
from db.evaluation import experiments, insert_run, keys_of, runs_of, runs_with_keys

pytestmark = pytest.mark.usefixtures("home")


def insert(experiment, key, **values):
    row = {"corpus": {}, "encoder": "e", "settings": {}, "metrics": {"arp": 0.5}, "articles": [], "history": []}
    row |= {"device": "cpu", "seconds": 1.0}
    with write(Right.SYSTEM) as session:
        insert_run(session, "experiment", experiment=experiment, key=key, **row | values)


def test_a_run_is_stored_once_an_experiment():
    insert("a", "k1")
    insert("a", "k1", metrics={"arp": 0.9})
    insert("b", "k1", metrics={"arp": 0.7})
    with read() as session:
        assert [run.metrics for run in runs_of(session, "experiment", "a")] == [{"arp": 0.5}]
        assert keys_of(session, "experiment", "a") == keys_of(session, "experiment", "b") == {"k1"}
        assert keys_of(session, "experiment", "none") == set()


def test_runs_are_found_by_key_in_any_experiment_the_latest_first():
    insert("a", "k1", metrics={"arp": 0.1})
    insert("b", "k1", metrics={"arp": 0.2})
    insert("b", "k2")
    many = [f"x{number}" for number in range(1200)]
    with read() as session:
        found = runs_with_keys(session, "experiment", ["k1", "k3", *many])
        assert {key: run.metrics["arp"] for key, run in found.items()} == {"k1": 0.2}
        assert runs_with_keys(session, "experiment", []) == {}


def test_experiments_are_listed_by_their_last_run():
    for experiment, key in (("a", "k1"), ("b", "k1"), ("a", "k2")):
        insert(experiment, key, created_at=f"2026-01-0{key[1]}")
    with read() as session:
        assert experiments(session, "experiment") == [("a", 2, "2026-01-02"), ("b", 1, "2026-01-01")]
        assert [run.key for run in runs_of(session, "experiment", "a")] == ["k1", "k2"]
