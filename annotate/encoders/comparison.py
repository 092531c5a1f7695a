"""What the page shows of stored results: the latest of each encoder and task, a base chosen first. Needs no torch."""

from collections.abc import Sequence
from typing import Any

from annotate.encoders.results import Result, all_results, facts_of, latest
from annotate.encoders.table import rows_of
from annotate.encoders.tasks.registry import TASKS


def stored_results(classifier: str) -> list[Result]:
    """The latest of each encoder and task under this classifier, encoders in the order in which they were first scored,
    tasks in the order of their list."""
    found = [result for result in all_results() if result.classifier == classifier]
    order = list(dict.fromkeys(result.row for result in found))
    places = {name: place for place, name in enumerate(TASKS)}
    chosen = latest(found).values()
    return sorted(
        chosen, key=lambda result: (order.index(result.row), places.get(result.task, len(places)), result.task)
    )


def compared(results: Sequence[Result], base: tuple[str, bool]) -> list[dict[str, Any]]:
    """The rows of these results, the base's first, with the facts known of each encoder."""
    ordered = sorted(results, key=lambda result: result.row != base)
    encoders = {result.row: result.source_sha256 for result in ordered if result.source_sha256 != "words"}
    return rows_of(ordered, {row: facts_of(sha256) for row, sha256 in encoders.items()})
