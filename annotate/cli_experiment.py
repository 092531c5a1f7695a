"""The command that runs experiments and prints their tables."""

import argparse
from pathlib import Path
from typing import Any

from annotate.cli_common import DONE, Commands, Result, code_of, run_job
from annotate.corpora import PARTS
from annotate.experiment_spec import read_spec, shipped_specs
from annotate.experiment_tables import as_text
from annotate.experiments import list_runs


def _experiment(options: argparse.Namespace) -> Result:
    payload: dict[str, Any] = {
        "spec": read_spec(options.spec),
        "files": {part: str(path.resolve()) for part in PARTS if (path := getattr(options, part))},
        "devices": [name.strip() for name in (options.devices or "").split(",") if name.strip()],
    }
    payload |= {name: getattr(options, name) for name in ("seeds", "limit", "only", "processes")}
    if options.list:
        runs = list_runs(payload)
        return DONE, {"runs": runs, "text": "\n".join(_listed(run) for run in runs)}
    result = run_job("experiment", payload)
    return code_of(result["runs"] - len(result["failed"]), len(result["failed"])), result | {"text": _text(result)}


def _listed(run: dict[str, Any]) -> str:
    state = run.get("error") or ("done" if run["done"] else "to do")
    return f"{run['row']} | seed {run['seed']} | {run['encoder']} | {state}"


def _text(result: dict[str, Any]) -> str:
    corpus = result["corpus"]
    counted = ", ".join(f"{corpus[part]['articles']:,} {part} ({corpus[part]['key']:,} key)" for part in PARTS)
    lines = [
        result["title"],
        f"{' + '.join(source['name'] for source in corpus['sources'])}: articles: {counted}",
        "",
        as_text(result["rows"]) if result["rows"] else "nothing done yet",
        "",
        f"{result['done_now']} runs done now, {result['done_before']} before, {result['left']} left, "
        f"{len(result['failed'])} failed; ± is two standard deviations over the seeds",
        *(f"failed: {run['row']}, seed {run['seed']}: {run['error']}" for run in result["failed"]),
    ]
    return "\n".join(lines)


def add_commands(commands: Commands) -> None:
    """Declares it."""
    command = commands.add("experiment", _experiment, "Run the grid of a spec file; finished runs are not run again.")
    command.add_argument("spec", type=Path, metavar="SPEC", help=f"a YAML file, or one of {', '.join(shipped_specs())}")
    for part in PARTS:
        command.add_argument(f"--{part}", type=Path, metavar="FILE", help="labelled JSON lines, in place of the spec's")
    command.add_argument("--seeds", type=int, metavar="N", help="so many seeds, in place of the spec's")
    command.add_argument("--limit", type=int, metavar="N", help="only so many articles of each part, for a quick try")
    command.add_argument("--only", type=int, metavar="N", help="do at most N of the runs that are missing")
    command.add_argument("--devices", metavar="LIST", help="such as cuda:0,cuda:1; default: all, or the CPU")
    command.add_argument("--processes", type=int, default=1, metavar="N", help="processes a device (default 1)")
    command.add_argument("--list", action="store_true", help="say what would run and what is done")
