"""Related articles: titles of cited works compared by meaning, and what reference lists teach."""

from functools import partial
from typing import Any

from annotate.capabilities.capability import Capability, Payload
from annotate.jobs.monitor import Monitor


def compare_works(payload: Payload, monitor: Monitor) -> dict[str, Any]:
    """Computes the vectors of works in reference lists that have none."""
    from annotate.related.library import encode_titles  # noqa: PLC0415 (few need what it imports)

    count = encode_titles(partial(monitor.report, "comparing cited works by meaning"), monitor.cancelled)
    monitor.stop_if_cancelled()
    return {"works_compared": count}


def train_related(payload: Payload, monitor: Monitor) -> dict[str, Any]:
    """Learns from reference lists a map that brings articles near to what they cite."""
    from annotate.related.train_maps import train_map  # noqa: PLC0415 (torch takes seconds to import)

    return train_map(payload, monitor)


CAPABILITY = Capability(
    jobs={"related": compare_works, "related-train": train_related},
    needs=("finding",),
)
