"""The jobs that add and compare encoders, and the start of the latter after a training. No torch until they run."""

from contextlib import suppress
from typing import Any

import db.proposing.versions
from annotate.encoders.losses import beside_parent
from annotate.jobs.job_files import noted
from annotate.jobs.lifecycle import AlreadyRunning, start
from annotate.jobs.monitor import Monitor
from annotate.project.home import read


def compare_encoders(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Scores frozen encoders on tasks, each result kept; see `evaluate_encoders`."""
    monitor.report("starting")
    from annotate.encoders.evaluate import evaluate_encoders  # noqa: PLC0415 (torch takes seconds to import)

    return evaluate_encoders(payload, monitor)


def score_beside_parent(child: str) -> None:
    """Starts that job for a new version and its parent on the cheap tasks, where any is installed and none runs."""
    if payload := beside_parent(child):
        with suppress(AlreadyRunning):  # the page Retrain offers it
            start("encoders", payload)


def add_encoder_version(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Makes a hub id or a local folder a version to begin with."""
    monitor.report(f"loading {payload['source']}")
    from annotate.proposing.encoders import add_encoder  # noqa: PLC0415 (torch takes seconds to import)

    source = payload["source"]
    with read() as session:
        encoders = {version.name: version.encoder for version in db.proposing.versions.versions(session)}
    before = noted(monitor.job_id, "versions", {"names": [*encoders]})["names"]
    # A version that an attempt added right before its process was killed.
    added = next((name for name, encoder in encoders.items() if encoder == source and name not in before), None)
    return {"version": added or add_encoder(source, payload.get("name"), payload.get("max_tokens")).name}
