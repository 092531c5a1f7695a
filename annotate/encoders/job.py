"""The job that compares encoders, and its start after a training. No torch until it runs."""

from typing import Any

from annotate.encoders.losses import beside_parent
from annotate.encoders.probes import Rewritings
from annotate.jobs.lifecycle import start_if_none_runs
from annotate.jobs.monitor import Monitor


def compare_encoders(payload: dict[str, Any], monitor: Monitor, rewritings: Rewritings) -> dict[str, Any]:
    """Scores frozen encoders on tasks, each result kept; see `evaluate_encoders`."""
    monitor.report("starting")
    from annotate.encoders.evaluate_encoders import evaluate_encoders  # noqa: PLC0415 (torch takes seconds to import)

    return evaluate_encoders(payload, monitor, rewritings)


def score_beside_parent(child: str) -> None:
    """Starts that job for a new version and its parent on the cheap tasks, where any is installed and none runs."""
    if payload := beside_parent(child):
        start_if_none_runs("encoders", payload)  # the page Retrain offers it, too
