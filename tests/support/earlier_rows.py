"""The rows of databases of earlier releases as an upgrade has to leave them."""

import json
from collections.abc import Callable
from typing import Any

Rows = dict[str, list[dict[str, Any]]]


def as_today(before: Rows) -> Rows:
    """All rows by today's tables; labels stand where they stood."""
    return in_one_table_each(in_one_table(in_one_registry(before)))


def in_one_registry(before: Rows) -> Rows:
    """The rows as they are where stages of Find and maps of Related are versions: behind those of encoders, with ids of
    their own, which the words of articles name too, and other names where an encoder has theirs."""
    rows = {name: [dict(row) for row in own] for name, own in before.items()}
    models, choices = rows.pop("retrieval_model", []), rows.pop("retrieval_choice", [])
    if not models:
        return rows
    first = max(row["id"] for row in rows["model_version"]) + 1
    ids = {row["id"]: first + place for place, row in enumerate(models)}
    for row in rows["pseudo_query"]:
        row["model_id"] = ids[row["model_id"]]
    for row in rows["model_version"]:
        row |= {"kind": "encoder", "settings": {}, "trained_on": {}, "metrics": {}, "job_id": None, "created_by": ""}
    for row in rows["promotion"]:
        row |= {"kind": "encoder"}
    for row in models:
        stage, parent = row.pop("stage"), row["parent_id"]
        row |= {"id": ids[row["id"]], "kind": stage, "name": f"{row['name']} ({stage})"}
        row |= {"parent_id": ids[parent] if parent else None, "encoder": "", "dimension": 0, "query": None}
        rows["model_version"].append(row | {"topic_sha256": None})
    last = max(row["id"] for row in rows["promotion"])
    for place, row in enumerate(choices, last + 1):
        made = {"kind": row["stage"], "promoted_by": row["chosen_by"], "created_at": row["created_at"], "reason": ""}
        rows["promotion"].append(made | {"id": place, "version_id": ids[row["model_id"]] if row["model_id"] else None})
    return rows


JOINED = {
    "fit": {"head": "head", "ranker": "ranker"},
    "finished_run": {"experiment_run": "experiment", "simulation_run": "simulation"},
}


def in_one_table(before: Rows) -> Rows:
    """The rows as they are where all fits share a table, as all finished runs do: a kind behind the other.

    Heads keep their ids, the ids of other fits are counted on from the last; runs are numbered again.
    """
    rows = dict(before)
    for table, kinds in JOINED.items():
        joined: list[dict[str, Any]] = []
        for old, kind in kinds.items():
            last = max((row["id"] for row in joined), default=0) if table == "fit" else len(joined)
            numbers = [row["id"] if table == "fit" else place for place, row in enumerate(rows.get(old, []), 1)]
            for row, number in zip(rows.pop(old, []), numbers, strict=True):
                joined.append(row | {"id": last + number, "kind": kind})
        if joined:
            rows[table] = joined
    return rows


def in_one_table_each(before: Rows) -> Rows:
    """The rows as they are where a training is told of by its version, triage has fits among others, people's own
    choices are settings, and what a reader made of an article is in one table, by kind or by version."""
    rows = {name: [dict(row) for row in own] for name, own in before.items()}
    for run in rows.pop("training_run", []):
        version = next(row for row in rows["model_version"] if row["id"] == run["child_id"])
        version |= {name: run[name] for name in ("settings", "history")}
        version["job_id"] = run["job_id"] or version.get("job_id")
        version["trained_on"] = {name: run[name] for name in ("label_counts", "label_set_sha256")}
    for table, old in (("fit", "triage_fit"), ("setting", "preference")):
        last = max((row["id"] for row in rows.get(table, [])), default=0)
        moved = [CHANGED[old](row, rows) | {"id": last + row["id"]} for row in rows.pop(old, [])]
        rows[table] = rows.get(table, []) + moved
    rows["article_scan"] = [
        CHANGED[old](row, rows) | {"kind": kind}
        for kind, old in (("entities", "entity_scan"), ("roles", "article_functions"), ("triage", "triage_score"))
        for row in rows.pop(old, [])
    ]
    made = {
        (row["version_id"], row["article_id"]): row
        for old in ("pseudo_query", "article_vector")  # no version makes both, but in these databases
        for row in (CHANGED[old](row, rows) for row in rows.pop(old, []))
    }
    rows["read_text"] = [made[key] for key in sorted(made)]
    return {table: own for table, own in rows.items() if own}


def _triage_fit(row: dict[str, Any], _: Rows) -> dict[str, Any]:
    counts = row["counts"] if isinstance(row["counts"], dict) else {}
    row["counts"] = counts | {"until_reading": row.pop("until_reading")}
    return row | {"kind": "triage", "version_id": None, "label_set_sha256": "", "weights": {}}


def _preference(row: dict[str, Any], rows: Rows) -> dict[str, Any]:
    owner_id = row.pop("annotator_id")
    owner = next(each for each in rows["annotator"] if each["id"] == owner_id)
    return row | {"owner_id": owner["id"], "changed_by": owner["name"], "created_at": row.pop("chosen_at")}


def _entity_scan(row: dict[str, Any], _: Rows) -> dict[str, Any]:
    return row | {"computed_at": row.pop("scanned_at"), "sentence_count": 0}  # their versions name no numbers


CHANGED: dict[str, Callable[[dict[str, Any], Rows], dict[str, Any]]] = {
    "triage_fit": _triage_fit,
    "preference": _preference,
    "entity_scan": _entity_scan,
    "article_functions": lambda row, _: row,
    "triage_score": lambda row, _: row | {"version": row.pop("rules"), "computed_at": ""},
    "pseudo_query": lambda row, _: (
        row | {"version_id": row.pop("model_id"), "made": json.dumps(row.pop("words")).encode()}
    ),
    "article_vector": lambda row, _: row | {"made": row.pop("vector")},
}
