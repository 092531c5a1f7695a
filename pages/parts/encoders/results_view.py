"""The results: a row an encoder, a column a task, differences to a base, cost, probes, and a file of all."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from annotate.encoders.results import Result
from annotate.encoders.table import as_csv, cost_cells, heading_of, measure_label
from annotate.encoders.tasks.registry import find_task
from annotate.encoders.tasks.task import Kind
from annotate.evaluation.metric_labels import change_written
from annotate.project.rights import Right
from annotate.project.words import count_of
from pages.parts.frame.text import shown
from pages.parts.shared.charts import Measured, intervals_by_row
from pages.parts.shared.downloads import CSV, File, offer
from pages.parts.shared.figures import show_figure
from pages.parts.shared.tables import head_of, text_table

NO_BREAK = "\u00a0"
DASH = "\u2060–\u2060"  # at which no line is broken
PROBES = {
    "stop_words": "Stop words left out",
    "abbreviations": "Abbreviations written out",
    "gene_synonyms": "A gene under another name",
}
Row = Mapping[str, Any]


def chosen_base(results: Sequence[Result]) -> tuple[str, bool]:
    """The encoder that the others are compared with: the first one that is no words, unless another is chosen."""
    names = {result.row: result.source for result in results}
    rows = list(names)
    first = next((place for place, row in enumerate(rows) if not row[1]), 0)
    return st.selectbox("Base, which the others are compared with", rows, first, format_func=lambda row: names[row])


def result_table(rows: Sequence[Row]) -> None:
    """The leading measure of each task with its interval; differences that are more than chance are coloured."""
    names = _tasks(rows)
    st.table(
        [{"Encoder": shown(row["encoder"])} | {heading_of(name): _cell(row, name) for name in names} for row in rows]
    )
    st.caption(
        "Each value has its 95% interval by bootstrap over the tested items, or over their articles. Then comes the "
        "difference to the base: ▲ better, ▼ worse, in colour where its interval leaves out 0. "
        "floor: what the commonest answer, or chance, reaches."
    )
    file = File("All numbers as CSV", "encoders.csv", CSV, Right.EVALUATE, lambda: as_csv(rows))
    offer([file], key="encoders")


def _tasks(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row["tasks"]))


def _cell(row: Row, name: str) -> str:
    if name not in row["tasks"]:
        return "–"
    found = row["tasks"][name]["measures"][find_task(name).measures[0]]
    interval = f" ({found['low']:.3f}{DASH}{found['high']:.3f})" if "low" in found else ""
    text = f"**{found['value']:.3f}**{interval}"
    if "difference" in found:
        return f"{text} {_change(found)}"
    return f"{text} :gray[floor{NO_BREAK}{found['floor']:.3f}]" if found.get("floor") else text


def _change(found: Mapping[str, float]) -> str:
    """The difference with its sign; blue and orange are told apart by people who do not see red and green."""
    change = change_written(found["difference"])
    if found["difference_low"] > 0:
        return f":blue-background[▲{NO_BREAK}{change}]"
    if found["difference_high"] < 0:
        return f":orange-background[▼{NO_BREAK}{change}]"
    return f":gray[{change}]"


def figures(rows: Sequence[Row]) -> None:
    """One task and measure at a time: each encoder with its interval."""
    left, right = st.columns(2)
    name = left.selectbox("Task", _tasks(rows), format_func=lambda name: find_task(name).title)
    task = find_task(name)
    measure = right.selectbox("Measure", task.measures, format_func=measure_label)
    with_it = [row for row in rows if name in row["tasks"]]
    found = [row["tasks"][name]["measures"][measure] for row in with_it]
    points = [
        Measured(row["encoder"], one["value"], one.get("low"), one.get("high"))
        for row, one in zip(with_it, found, strict=True)
    ]
    title = f"{task.title}, {measure_label(measure)}{', 95% interval' * ('low' in found[0])}"
    tested = with_it[0]["tasks"][name]["tested"]
    n = count_of(tested, "tested item") if tested else "not told"
    show_figure(intervals_by_row(points, title, y="encoder", n=n, floor=found[0].get("floor")), key="encoders")
    st.caption(shown(_described(name, with_it[0]["tasks"][name])))


def _described(name: str, found: Mapping[str, Any]) -> str:
    task = find_task(name)
    if task.kind is Kind.SUITE:
        return f"{head_of(task.kind)}, scored by its own rules, which give no interval. Source: {task.source}."
    learnt = f"learnt from {found['trained_on']:,}, " if found["trained_on"] else "nothing learnt, "
    part = "" if found["full"] else "; a sample of whole articles"
    on = {"folds": "in ten folds", "all": "all items"}.get(found["tested_on"], f"the {found['tested_on']} part")
    tested = f"{head_of(task.kind)}; {learnt}tested on {found['tested']:,} ({on}){part}"
    note = f" {task.note}." if task.note else ""
    return f"{tested}. Source: {task.source}. Licence: {task.licence}.{note}"


def cost_and_probes(rows: Sequence[Row]) -> None:
    """What each encoder costs, and the cosine of sentences with what the probes made of them."""
    rows = _encoders(rows)
    costs = [{"encoder": row["encoder"]} | cost_cells(cost) for row in rows if (cost := row.get("cost"))]
    if costs:
        st.subheader("Cost")
        text_table(costs, "Cost")
        st.caption("Seconds on this machine, the quickest of three passes; other work on it makes them longer.")
    probes = [line for row in rows for line in _probes(row)]
    if probes:
        st.subheader("Probes")
        text_table(probes, "Probes")
        st.caption("Cosine of a sentence with itself as changed: 1 where the encoder takes both for the same.")


def _encoders(rows: Sequence[Row]) -> list[Row]:
    """One row of each encoder, the one without words where it is there."""
    found: dict[str, Row] = {}
    for row in sorted(rows, key=lambda row: row["words"]):
        found.setdefault(row["encoder_sha256"], row)
    return [row for row in rows if found[row["encoder_sha256"]] is row]


def _probes(row: Row) -> list[dict[str, Any]]:
    return [
        {
            "encoder": row["encoder"],
            "probe": PROBES[name],
            "sentences": found["pairs"],
            "mean cosine": found.get("mean"),
            "worst cosine": found.get("worst"),
            "worst sentence": (found.get("worst_pair") or ["", ""])[0],
            "as changed": (found.get("worst_pair") or ["", ""])[1],
        }
        for name, found in row.get("probes", {}).items()
    ]
