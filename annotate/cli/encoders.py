"""Commands that compare encoders on tasks."""

import argparse
from pathlib import Path
from typing import Any

from annotate.cli.frame.common import Commands, Result, aligned, code_of
from annotate.encoders.sources import AND_WORDS, WORDS, known_versions
from annotate.encoders.table import cells_of
from annotate.encoders.tasks.registry import TASKS, TaskFolder, find_task, installed, place_of
from annotate.project.home import read
from annotate.project.stored_settings import settings_now
from annotate.proposing.encoder_versions import proposing_version
from annotate.work import run_or_attend
from model.evaluation.frozen import ON_VECTORS, Classifier


def _evaluate(options: argparse.Namespace) -> Result:
    payload = {
        "encoders": options.encoders or [WORDS, *_versions()],
        "tasks": [name.strip() for name in options.only.split(",") if name.strip()] if options.only else None,
        "folders": [str(path.expanduser().resolve()) for path in options.tasks or ()],
        "classifier": options.classifier,
        "full": options.full,
        "probes": options.probes,
    }
    place_of(payload["folders"])
    result = run_or_attend("encoders", payload)
    return code_of(sum(len(row["tasks"]) for row in result["rows"]), len(result["failed"])), result | {
        "text": _text(result)
    }


def _versions() -> list[str]:
    proposing_version()
    return known_versions()


def _text(result: dict[str, Any]) -> str:
    lines = [
        aligned(cells_of(result["rows"])),
        "",
        "in brackets the 95% interval, behind it the difference to the first row",
    ]
    lines += [
        f"{row['encoder']}, {name.replace('_', ' ')}: {_probe(found)}"
        for row in result["rows"]
        for name, found in row.get("probes", {}).items()
    ]
    shown = dict.fromkeys(name for row in result["rows"] for name in row["tasks"])
    lines += [f"{name}: {task.note}" for name in shown if (task := find_task(name)).note]
    lines += [f"left out: {name}: {why}" for name, why in result["left_out"].items()]
    lines += [f"failed: {each['encoder']} {each['task']}: {each['error']}" for each in result["failed"]]
    return "\n".join(lines)


def _probe(found: dict[str, Any]) -> str:
    if not found["pairs"]:
        return "no sentence of the stored articles has any"
    return f"{found['pairs']} sentences, cosine {found['mean']:.3f} on average, {found['worst']:.3f} at worst"


def _list(options: argparse.Namespace) -> Result:
    if options.tasks:
        place = place_of([str(path) for path in options.tasks])
    else:
        with read() as session:
            place = settings_now(session, TaskFolder).place
    reasons = installed(place)
    tasks = [
        {
            "name": name, "title": task.title, "kind": str(task.kind), "measures": list(task.measures),
            "source": task.source, "licence": task.licence, "cheap": task.cheap, "why_not": reasons[name],
            "note": task.note,
        }
        for name, task in TASKS.items()
    ]  # fmt: skip
    lines = [f"{task['name']:20}{task['title']:28}{task['why_not'] or 'ready'}" for task in tasks]
    versions = _versions()
    text = "\n".join([*lines, "", f"versions: {', '.join(versions)}"])
    return {"tasks": tasks, "versions": versions, "text": text}


def add_commands(commands: Commands) -> None:
    """Registers the command `encoders evaluate` with the parser."""
    group = commands.group("encoders")
    folders = "folders with the files of the tasks (default: the one that the page Encoders names)"

    command = commands.add(
        "evaluate", _evaluate, "Score frozen encoders on tasks; what is known is not scored again.", group
    )
    command.add_argument(
        "--encoders", nargs="+", metavar="NAME",
        help=f"versions, folders, hub ids, or {WORDS}; with {AND_WORDS} behind, words and vectors; the first "
        "one is the base (default: words and all versions)",
    )  # fmt: skip
    command.add_argument("--tasks", type=Path, nargs="+", metavar="FOLDER", help=folders)
    command.add_argument("--only", metavar="LIST", help="such as biosses,rqe (default: all that are installed)")
    command.add_argument("--classifier", choices=list(map(str, ON_VECTORS)), default=str(Classifier.LOGISTIC))
    command.add_argument("--full", action="store_true", help="all items of large tasks, not a sample")
    command.add_argument("--probes", action="store_true", help="also the three probes, on the stored articles")

    listing = commands.add("list", _list, "List the tasks, and what is missing for those that cannot be run.", group)
    listing.add_argument("--tasks", type=Path, nargs="+", metavar="FOLDER", help=folders)
