"""The command that replays a labelled corpus under query strategies and prints what each would have saved."""

import argparse
from pathlib import Path
from typing import Any

from annotate.cli.common import Commands, Result
from annotate.cli.experiments.common import add_options, carried_out, result_text
from annotate.experiments.simulation_spec import read_spec, shipped_specs
from annotate.experiments.simulation_tables import cells_of
from annotate.experiments.simulations import list_replays


def _simulate(options: argparse.Namespace) -> Result:
    payload: dict[str, Any] = {
        "spec": read_spec(options.spec),
        "files": [str(path.resolve()) for path in options.files or ()],
    }
    if options.strategies:
        payload["spec"]["strategies"] = [name.strip() for name in options.strategies.split(",")]
    return carried_out("simulate", payload, options, plan=list_replays, named_by=[], told=_text)


def _text(result: dict[str, Any]) -> str:
    corpus = result["corpus"]
    counted = f"{corpus['articles']:,} articles, {corpus['sentences']:,} sentences, {corpus['key']:,} key"
    interval = "the 95 % interval of the mean over the seeds"
    return result_text(result, counted, cells_of(result["rows"]), "replays", interval)


def add_commands(commands: Commands) -> None:
    """Registers the command `simulate` with the parser."""
    command = commands.add("simulate", _simulate, "Replay a labelled corpus; finished replays are not done again.")
    add_options(command, "replays", shipped_specs())
    command.add_argument("--files", type=Path, nargs="+", metavar="FILE", help="labelled JSON lines, as one corpus")
    command.add_argument("--strategies", metavar="LIST", help="such as random,committee, in place of the spec's")
    command.add_argument("--limit", type=int, metavar="N", help="at most N articles, for a quick try")
    command.add_argument("--processes", type=int, metavar="N", help="at once (default: the cores but one)")
