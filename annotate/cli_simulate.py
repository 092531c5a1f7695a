"""The command that replays a labelled corpus under query strategies and prints what each would have saved."""

import argparse
from pathlib import Path
from typing import Any

from annotate.cli_common import DONE, Commands, Result, code_of, run_job
from annotate.experiment_tables import aligned
from annotate.simulation import list_replays
from annotate.simulation_spec import read_spec, shipped_specs
from annotate.simulation_tables import cells_of


def _simulate(options: argparse.Namespace) -> Result:
    payload: dict[str, Any] = {
        "spec": read_spec(options.spec),
        "files": [str(path.resolve()) for path in options.files or ()],
    }
    payload |= {name: getattr(options, name) for name in ("seeds", "limit", "only", "processes")}
    if options.strategies:
        payload["spec"]["strategies"] = [name.strip() for name in options.strategies.split(",")]
    if options.list:
        runs = list_replays(payload)
        lines = [f"{run['row']} | seed {run['seed']} | {'done' if run['done'] else 'to do'}" for run in runs]
        return DONE, {"runs": runs, "text": "\n".join(lines)}
    result = run_job("simulate", payload)
    return code_of(result["runs"] - len(result["failed"]), len(result["failed"])), result | {"text": _text(result)}


def _text(result: dict[str, Any]) -> str:
    corpus = result["corpus"]
    names = " + ".join(source["name"] for source in corpus["sources"])
    lines = [
        result["title"],
        f"{names}: {corpus['articles']:,} articles, {corpus['sentences']:,} sentences, {corpus['key']:,} key",
        "",
        aligned(cells_of(result["rows"])) if result["rows"] else "nothing done yet",
        "",
        f"{result['done_now']} replays done now, {result['done_before']} before, {result['left']} left, "
        f"{len(result['failed'])} failed; ± is the 95 % interval of the mean over the seeds",
        *(f"failed: {run['row']}, seed {run['seed']}: {run['error']}" for run in result["failed"]),
    ]
    return "\n".join(lines)


def add_commands(commands: Commands) -> None:
    """Declares it."""
    command = commands.add("simulate", _simulate, "Replay a labelled corpus; finished replays are not done again.")
    command.add_argument("spec", type=Path, metavar="SPEC", help=f"a YAML file, or one of {', '.join(shipped_specs())}")
    command.add_argument("--files", type=Path, nargs="+", metavar="FILE", help="labelled JSON lines, as one corpus")
    command.add_argument("--strategies", metavar="LIST", help="such as random,committee, in place of the spec's")
    command.add_argument("--seeds", type=int, metavar="N", help="so many seeds, in place of the spec's")
    command.add_argument("--limit", type=int, metavar="N", help="only so many articles, for a quick try")
    command.add_argument("--only", type=int, metavar="N", help="do at most N of the replays that are missing")
    command.add_argument("--processes", type=int, metavar="N", help="at once (default: the cores but one)")
    command.add_argument("--list", action="store_true", help="say what would be replayed and what is done")
