"""The job that brings the search index up to date, and when it begins by itself."""

from contextlib import suppress
from functools import partial
from typing import Any

from annotate.jobs.lifecycle import AlreadyRunning, start
from annotate.jobs.monitor import Monitor
from annotate.search.upkeep import update_whole


def index_articles(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Brings the search index up to date; from nothing where the payload says `anew`, or it is damaged."""
    report = partial(monitor.report, "indexing articles")
    count = update_whole(report, monitor.cancelled, monitor.report, anew=bool(payload.get("anew")))
    monitor.stop_if_cancelled()
    return {"articles_indexed": count}


def start_indexing() -> None:
    """Starts the indexing job; one that runs already takes new articles, too. Raises OSError where no process can
    begin."""
    with suppress(AlreadyRunning):
        start("index", {})
