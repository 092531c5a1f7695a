"""The command that runs experiments and prints their tables."""

import argparse
from pathlib import Path
from typing import Any

from annotate.cli.common import Commands, Result
from annotate.cli.experiments.common import add_options, carried_out, result_text
from annotate.experiments.corpora import PARTS
from annotate.experiments.experiment_spec import read_spec, shipped_specs
from annotate.experiments.experiment_tables import cells_of
from annotate.experiments.experiments import list_runs


def _experiment(options: argparse.Namespace) -> Result:
    payload = {
        "spec": read_spec(options.spec),
        "files": {part: str(path.resolve()) for part in PARTS if (path := getattr(options, part))},
        "devices": [name.strip() for name in (options.devices or "").split(",") if name.strip()],
    }
    return carried_out("experiment", payload, options, plan=list_runs, named_by=["encoder"], told=_text)


def _text(result: dict[str, Any]) -> str:
    corpus = result["corpus"]
    counted = ", ".join(f"{corpus[part]['articles']:,} {part} ({corpus[part]['key']:,} key)" for part in PARTS)
    interval = "two standard deviations over the seeds"
    return result_text(result, f"articles: {counted}", cells_of(result["rows"]), "runs", interval)


def add_commands(commands: Commands) -> None:
    """Registers the command `experiment` with the parser."""
    command = commands.add("experiment", _experiment, "Run the grid of a spec file; finished runs are not run again.")
    add_options(command, "runs", shipped_specs())
    for part in PARTS:
        command.add_argument(f"--{part}", type=Path, metavar="FILE", help="labelled JSON lines, in place of the spec's")
    command.add_argument("--limit", type=int, metavar="N", help="at most N articles of each part, for a quick try")
    command.add_argument("--devices", metavar="LIST", help="such as cuda:0,cuda:1; default: all, or the CPU")
    command.add_argument("--processes", type=int, default=1, metavar="N", help="processes a device (default 1)")
