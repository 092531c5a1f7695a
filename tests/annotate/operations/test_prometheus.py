"""Metrics: what is stored is counted from the rows, what happens as it happens; quick in a large project."""

import time

import pytest
from prometheus_client.parser import text_string_to_metric_families

import annotate.operations.prometheus
from annotate.jobs.lifecycle import enqueue
from annotate.operations.prometheus import count_events, exposition
from annotate.team.logins import LoginFailed, log_in
from tests.support.making import judge, store_proposed, verdict
from tests.support.reviewed import write_pool

pytestmark = pytest.mark.usefixtures("home")


def values() -> dict[str, float]:
    """Each sample by its name, with its labels where it has some."""
    return {
        sample.name + "".join(f"[{value}]" for value in sample.labels.values()): sample.value
        for family in text_string_to_metric_families(exposition().decode())
        for sample in family.samples
    }


def test_the_rows_are_counted_as_they_are():
    store_proposed(3)
    judge("Anna", 1, verdict(0), verdict(1, "reject"))
    enqueue("train", {})
    with pytest.raises(LoginFailed):
        log_in("anna", "hunter2hunter2", address="192.0.2.7")
    found = values()
    assert found["keyline_articles"] == 3 and found["keyline_sentences"] == 9
    assert found["keyline_verdicts"] == 2
    assert found["keyline_queue_waiting"] == 2 and found["keyline_queue_leased"] == 0
    assert found["keyline_jobs[queued]"] == 1 and found["keyline_jobs[running]"] == 0
    assert found["keyline_wrong_passwords"] == 1
    assert (
        found["keyline_database_bytes"] + found["keyline_wal_bytes"] > 100_000 and found["keyline_disk_free_bytes"] > 0
    )
    assert "keyline_backup_age_seconds" not in found  # there is none: no age is not an age of zero


def test_events_are_counted_as_they_come():
    before = values()
    count_events(3, 1)
    after = values()
    assert after["keyline_events_stored_total"] - before["keyline_events_stored_total"] == 3
    assert after["keyline_events_refused_total"] - before["keyline_events_refused_total"] == 1


def test_no_metric_names_a_person_or_an_article():
    store_proposed(1)
    judge("Hildegard", 1, verdict(0))
    told = exposition().decode()
    assert "Hildegard" not in told and "Article 1" not in told


def test_they_are_off_unless_asked_for(monkeypatch):
    monkeypatch.delenv("KEYLINE_METRICS", raising=False)
    assert not annotate.operations.prometheus.on()
    for value, on in (("0", False), ("yes", False), ("1", True)):
        monkeypatch.setenv("KEYLINE_METRICS", value)
        assert annotate.operations.prometheus.on() == on


@pytest.mark.timeout(60)
def test_the_numbers_of_ten_thousand_articles_take_less_than_a_second(record_property):
    write_pool(10_000, 20, [[0, 1, 2]] * 10_000)
    exposition()  # what the queue remembers from call to call is made once
    began = time.perf_counter()
    assert values()["keyline_articles"] == 10_000
    record_property("seconds", round(time.perf_counter() - began, 2))
