"""The commands of studies: experiments, and replays of a labelled corpus under query strategies, with their tables."""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotate.cli.frame.common import DONE, Commands, Result, add_engine, aligned, code_of, engine_asked
from annotate.experiments import experiment_spec, experiment_tables, simulation_spec, simulation_tables
from annotate.experiments.corpora import PARTS
from annotate.experiments.experiments import list_runs
from annotate.experiments.simulations import list_replays
from annotate.work import run_or_attend


def _experiment(options: argparse.Namespace) -> Result:
    payload = {
        "spec": experiment_spec.read_spec(options.spec),
        "files": {part: str(path.resolve()) for part in PARTS if (path := getattr(options, part))},
        "devices": _listed(options.devices or ""),
    }
    return _carried_out("experiment", payload, options, plan=list_runs, told=_of_experiment)


def _of_experiment(result: dict[str, Any]) -> str:
    corpus = result["corpus"]
    counted = ", ".join(f"{corpus[part]['articles']:,} {part} ({corpus[part]['key']:,} key)" for part in PARTS)
    interval = "two standard deviations over the seeds"
    return _text(result, f"articles: {counted}", experiment_tables.cells_of(result["rows"]), "runs", interval)


def _simulate(options: argparse.Namespace) -> Result:
    payload: dict[str, Any] = {
        "spec": simulation_spec.read_spec(options.spec),
        "files": [str(path.resolve()) for path in options.files or ()],
    }
    if options.strategies:
        payload["spec"]["strategies"] = _listed(options.strategies)
    return _carried_out("simulate", payload, options, plan=list_replays, told=_of_simulation)


def _of_simulation(result: dict[str, Any]) -> str:
    corpus = result["corpus"]
    counted = f"{corpus['articles']:,} articles, {corpus['sentences']:,} sentences, {corpus['key']:,} key"
    interval = "the 95 % interval of the mean over the seeds"
    return _text(result, counted, simulation_tables.cells_of(result["rows"]), "replays", interval)


def _listed(written: str) -> list[str]:
    return [name.strip() for name in written.split(",") if name.strip()]


def _carried_out(
    kind: str,
    payload: Mapping[str, Any],
    options: argparse.Namespace,
    *,
    plan: Callable[[Mapping[str, Any]], list[dict[str, Any]]],
    told: Callable[[dict[str, Any]], str],
) -> Result:
    """Does a job of this kind and prints its result, or with --list the plan."""
    payload = {**payload, **{name: getattr(options, name) for name in ("seeds", "limit", "only", "processes")}}
    payload |= engine_asked(options)
    if options.list:
        runs = plan(payload)
        lines = [
            [
                *(run["row"], f"seed {run['seed']}"),
                *([run["encoder"]] if kind == "experiment" else []),
                run.get("error") or ("done" if run["done"] else "to do"),
            ]
            for run in runs
        ]
        return DONE, {"runs": runs, "text": "\n".join(map(" | ".join, lines))}
    result = run_or_attend(kind, payload)
    failed = len(result["failed"])
    return code_of(result["runs"] - failed, failed), result | {"text": told(result)}


def _text(result: Mapping[str, Any], counted: str, cells: Sequence[Mapping[str, str]], runs: str, interval: str) -> str:
    """Title, corpus, table, and what became of the runs, which are called `runs`; ± is the `interval`."""
    lines = [
        result["title"],
        f"{' + '.join(source['name'] for source in result['corpus']['sources'])}: {counted}",
        "",
        aligned(cells) if cells else "nothing done yet",
        "",
        f"{result['done_now']} {runs} done now, {result['done_before']} before, {result['left']} left, "
        f"{len(result['failed'])} failed; ± is {interval}",
        *(f"failed: {run['row']}, seed {run['seed']}: {run['error']}" for run in result["failed"]),
    ]
    return "\n".join(lines)


def _options(command: argparse.ArgumentParser, runs: str, specs: Iterable[str], articles: str) -> None:
    command.add_argument("spec", type=Path, metavar="SPEC", help=f"a YAML file, or one of {', '.join(specs)}")
    command.add_argument("--seeds", type=int, metavar="N", help="the number of seeds, in place of the spec's")
    command.add_argument("--only", type=int, metavar="N", help=f"do at most N of the {runs} that are missing")
    command.add_argument("--limit", type=int, metavar="N", help=f"at most N {articles}, for a quick try")
    command.add_argument("--list", action="store_true", help="say what would be done and what is done already")
    add_engine(command)


def add_commands(commands: Commands) -> None:
    """Registers the commands `experiment` and `simulate` with the parser."""
    command = commands.add("experiment", _experiment)
    _options(command, "runs", experiment_spec.shipped_specs(), "articles of each part")
    for part in PARTS:
        command.add_argument(f"--{part}", type=Path, metavar="FILE", help="labelled JSON lines, in place of the spec's")
    command.add_argument("--devices", metavar="LIST", help="such as cuda:0,cuda:1; default: all, or the CPU")
    command.add_argument("--processes", type=int, default=1, metavar="N", help="processes a device (default 1)")

    command = commands.add("simulate", _simulate)
    _options(command, "replays", simulation_spec.shipped_specs(), "articles")
    command.add_argument("--files", type=Path, nargs="+", metavar="FILE", help="labelled JSON lines, as one corpus")
    command.add_argument("--strategies", metavar="LIST", help="such as random,committee, in place of the spec's")
    command.add_argument("--processes", type=int, metavar="N", help="at once (default: the cores but one)")
