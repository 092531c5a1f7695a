"""The table: one row an encoder, one column a task, the difference to the base, and as a file. Needs no torch."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotate.articles.table_files import csv_text
from annotate.encoders.results import Result, all_results, facts_of
from annotate.encoders.tasks.registry import TASKS, find_task
from annotate.evaluation.metric_labels import change_written, interval_text
from model.evaluation.intervals import Estimate
from model.evaluation.sums import MEASURES

DIGITS = 4


def measure_label(name: str) -> str:
    """A measure as people read it."""
    return MEASURES[name].label if name in MEASURES else name.replace("_", " ")


def measured(result: Result, measure: str, base: Result | None = None) -> dict[str, Any]:
    """A measure as numbers: value and, where known, low, high, and the difference to a base with its bounds."""
    numbers: dict[str, Any] = dict(zip(("value", "low", "high"), _numbers(result.measured(measure)), strict=True))
    if measure not in result.sums:
        return {"value": numbers["value"]}
    change = result.change_from(base, measure) if base is not None else None
    if change is not None:
        names = ("difference", "difference_low", "difference_high")
        numbers |= dict(zip(names, _numbers(change), strict=True))
    return numbers


def _numbers(found: Estimate) -> list[float]:
    return [round(number, DIGITS) for number in (found.value, found.low, found.high)]


def measures_of(result: Result, base: Result | None = None) -> dict[str, Any]:
    """All of one result that programs read: every measure, its floor, and on how much it was trained and tested."""
    measures = {
        name: measured(result, name, base)
        | ({"floor": round(result.floor[name], DIGITS)} if name in result.floor else {})
        for name in find_task(result.task).measures
    }
    return {
        "measures": measures,
        "trained_on": result.trained_on,
        "tested": result.tested,
        "tested_on": result.tested_on,
        "full": result.full,
        "classifier": result.classifier,
        "seconds": result.seconds,
    } | ({"not_comparable": why} if base is not None and (why := result.why_not_comparable(base)) else {})


def rows_of(results: Iterable[Result], facts: Mapping[tuple[str, bool], Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One row an encoder, in the order of the results; the first row is the base of the differences."""
    rows: dict[tuple[str, bool], dict[str, Any]] = {}
    base: dict[str, Result] = {}
    for result in results:
        if result.row not in rows:
            rows[result.row] = {"encoder": result.source, "encoder_sha256": result.source_sha256, "words": result.words}
            rows[result.row] |= facts.get(result.row, {})
            rows[result.row]["tasks"] = {}
        first = next(iter(rows))
        if result.row == first:
            base[result.task] = result
        rows[result.row]["tasks"][result.task] = measures_of(
            result, None if result.row == first else base.get(result.task)
        )
    return list(rows.values())


def stored_results(classifier: str) -> list[Result]:
    """The latest of each encoder and task under this classifier: encoders as they came, tasks as in their list."""
    found = [result for result in all_results() if result.classifier == classifier]
    order = list(dict.fromkeys(result.row for result in found))
    places = {name: place for place, name in enumerate(TASKS)}
    latest = {(result.row, result.task): result for result in found}  # of those computed again the last one
    return sorted(
        latest.values(), key=lambda result: (order.index(result.row), places.get(result.task, len(places)), result.task)
    )


def compared(results: Sequence[Result], base: tuple[str, bool]) -> list[dict[str, Any]]:
    """The rows of these results, the base's first, with the facts known of each encoder."""
    ordered = sorted(results, key=lambda result: result.row != base)
    encoders = {result.row: result.source_sha256 for result in ordered if result.source_sha256 != "words"}
    return rows_of(ordered, {row: facts_of(sha256) for row, sha256 in encoders.items()})


def cells_of(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """The rows as a table of texts: the leading measure of each task with its interval, then the cost."""
    names = list(dict.fromkeys(name for row in rows for name in row["tasks"]))
    return [
        {"": row["encoder"]}
        | {heading_of(name): _cell(row["tasks"].get(name), find_task(name).measures[0]) for name in names}
        | cost_cells(row.get("cost"))
        for row in rows
    ]


def heading_of(name: str) -> str:
    """A task with its leading measure, as people read it."""
    task = find_task(name)
    return f"{task.title}, {measure_label(task.measures[0])}"


def _cell(task: Mapping[str, Any] | None, measure: str) -> str:
    if task is None:
        return "-"
    found = task["measures"][measure]
    if found["value"] is None:  # no number can be stored: it was none
        return "-"
    text = interval_text(found["value"], found.get("low"), found.get("high"))
    if why := task.get("not_comparable"):
        return f"{text} ({why})"
    return text + (f" {change_written(found['difference'])}" if "difference" in found else "")


def cost_cells(cost: Mapping[str, Any] | None) -> dict[str, str]:
    """The cost of an encoder as texts; dashes where it is not known."""
    if not cost:
        return dict.fromkeys(("dimension", "parameters", "s per 1,000 sentences", "memory, MB"), "-")
    return {
        "dimension": f"{cost['dimension']:,}",
        "parameters": f"{cost['parameters']:,}",
        "s per 1,000 sentences": f"{cost['seconds_per_1000']:.2f}",
        "memory, MB": f"{cost['memory_bytes'] / 1e6:,.1f}",
    }


COLUMNS = (
    *("encoder", "task", "measure", "value", "low", "high", "difference", "difference_low", "difference_high", "floor"),
    *("trained_on", "tested", "tested_on", "full", "classifier", "dimension", "parameters", "seconds_per_1000"),
    *("memory_bytes", "source", "licence"),
)


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line an encoder, task and measure."""
    return csv_text(COLUMNS, [[line.get(name, "") for name in COLUMNS] for line in _lines(rows)])


def _lines(rows: Sequence[Mapping[str, Any]]) -> Iterable[dict[str, Any]]:
    for row in rows:
        for name, task in row["tasks"].items():
            for measure, found in task["measures"].items():
                known = TASKS.get(name)
                yield (
                    {"encoder": row["encoder"], "task": name, "measure": measure, **found}
                    | {key: value for key, value in task.items() if key != "measures"}
                    | dict(row.get("cost") or {})
                    | ({"source": known.source, "licence": known.licence} if known else {})
                )
