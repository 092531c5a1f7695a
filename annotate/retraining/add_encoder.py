"""The job that makes an encoder a version to begin with. No torch until it runs."""

from typing import Any

import db.proposing.versions
from annotate.jobs.job_files import noted
from annotate.jobs.monitor import Monitor
from annotate.project.home import read


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
