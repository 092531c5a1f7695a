"""Encoders compared on small tasks; a new version is compared with its parent there."""

from typing import Any

from annotate.capabilities.capability import Capability, Payload
from annotate.capabilities.chosen import capabilities
from annotate.encoders.job import compare_encoders, score_beside_parent
from annotate.jobs.monitor import Monitor


def compare(payload: Payload, monitor: Monitor) -> dict[str, Any]:
    """Compares encoders, with the probes that other parts bring."""
    brought = {name: rewrite for part in capabilities() for name, rewrite in part.rewritings.items()}
    return compare_encoders(payload, monitor, brought)


CAPABILITY = Capability(jobs={"encoders": compare}, commands=("encoders",), after_training=(score_beside_parent,))
