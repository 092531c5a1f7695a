"""Encoders compared on small tasks; a new version is compared with its parent there."""

from typing import Any

from annotate.capabilities.capability import Capability, Payload
from annotate.capabilities.chosen import capabilities
from annotate.encoders.losses import start_comparison
from annotate.jobs.monitor import Monitor


def compare(payload: Payload, monitor: Monitor) -> dict[str, Any]:
    """Scores frozen encoders on tasks, each result kept, with the probes that other parts bring."""
    monitor.report("starting")
    from annotate.encoders.evaluate_encoders import evaluate_encoders  # noqa: PLC0415 (torch takes seconds to import)

    brought = {name: rewrite for part in capabilities() for name, rewrite in part.rewritings.items()}
    return evaluate_encoders(payload, monitor, brought)


CAPABILITY = Capability(jobs={"encoders": compare}, after_training=(start_comparison,))
