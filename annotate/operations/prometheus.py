"""Numbers for Prometheus, in a registry of their own: rows are counted when they are asked for, events as they come."""

import os
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from annotate.operations.server_status import ServerStatus, server_status

SWITCH = "KEYLINE_METRICS"
REGISTRY = CollectorRegistry()
STORED = Counter("keyline_events_stored", "Events of annotators stored since the start", registry=REGISTRY)
REFUSED = Counter("keyline_events_refused", "Events of annotators refused since the start", registry=REGISTRY)
PAGE_ERRORS = Counter("keyline_page_errors", "Pages that ended in an error since the start", registry=REGISTRY)
REQUESTS = Histogram(
    "keyline_request_seconds",
    "Duration of requests to Keyline's own routes",
    ["route", "status"],
    registry=REGISTRY,
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)


def on() -> bool:
    """Whether metrics are given at all: KEYLINE_METRICS=1, by default not."""
    return os.environ.get(SWITCH) == "1"


def count_events(stored: int, refused: int) -> None:
    """Counts the events that a page sent: how many are on disk now, or were before, and how many were refused."""
    STORED.inc(stored)
    REFUSED.inc(refused)


def exposition() -> bytes:
    """All metrics in Prometheus' text format."""
    return generate_latest(REGISTRY)


class _Rows(Collector):
    """What the database and the machine say at the moment of asking."""

    def describe(self) -> list[Metric]:
        """Nothing: registering must not open the database."""
        return []

    def collect(self) -> Iterator[Metric]:
        """The gauges, all of one moment."""
        status = server_status()
        for name, (text, value) in _gauges(status).items():
            yield GaugeMetricFamily(f"keyline_{name}", text, value=value)
        jobs = GaugeMetricFamily("keyline_jobs", "Jobs by state", labels=["state"])
        for state, number in status.jobs.items():
            jobs.add_metric([state], number)
        yield jobs


def _gauges(status: ServerStatus) -> dict[str, tuple[str, float]]:
    found: dict[str, tuple[str, float]] = {
        "articles": ("Articles", status.articles),
        "sentences": ("Sentences", status.sentences),
        "verdicts": ("Verdict events", status.verdicts),
        "queue_waiting": ("Articles that wait for an annotator", status.waiting),
        "queue_leased": ("Articles that somebody is reviewing", status.leased),
        "people_logged_in": ("People with a login that lasts", status.logged_in),
        "wrong_passwords": ("Passwords of the last hour that were wrong", status.wrong_passwords),
        "database_bytes": ("Size of the database", status.database.bytes),
        "wal_bytes": ("Size of SQLite's write-ahead log", status.database.wal_bytes),
        "disk_free_bytes": ("Free space where the data folder lies", status.free_bytes),
        "memory_bytes": ("Resident memory of the app", status.memory_bytes),
        "warnings": ("Warnings on the status page", len(status.warnings)),
    }
    if status.backups.age_hours is not None:
        found["backup_age_seconds"] = ("Age of the last backup", status.backups.age_hours * 3600)
    return found


REGISTRY.register(_Rows())
