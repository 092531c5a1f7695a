"""The commands of studies: experiments, and replays of a labelled corpus under query strategies, with their tables."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotate.cli.frame.common import DONE, Commands, Result, add_engine, aligned, code_of, engine_asked, number
from annotate.experiments.corpora import PARTS
from annotate.experiments.experiments import EXPERIMENT
from annotate.experiments.simulations import SIMULATION
from annotate.experiments.studies import StudyKind, listed
from annotate.experiments.study_tables import cells_of
from annotate.project.words import count_of
from annotate.work import run_or_attend


def _experiment(options: argparse.Namespace) -> Result:
    payload = {
        "spec": EXPERIMENT.read_spec(options.spec),
        "files": {part: str(path.resolve()) for part in PARTS if (path := getattr(options, part))},
        "devices": _listed(options.devices or ""),
    }
    return _carried_out(EXPERIMENT, payload, options)


def _simulate(options: argparse.Namespace) -> Result:
    payload: dict[str, Any] = {
        "spec": SIMULATION.read_spec(options.spec),
        "files": [str(path.resolve()) for path in options.files or ()],
    }
    if options.strategies:
        payload["spec"]["strategies"] = _listed(options.strategies)
    return _carried_out(SIMULATION, payload, options)


def _listed(written: str) -> list[str]:
    return [name.strip() for name in written.split(",") if name.strip()]


def _carried_out(kind: StudyKind, payload: Mapping[str, Any], options: argparse.Namespace) -> Result:
    """Does a study of this kind and prints its result, or with --list the plan."""
    payload = {**payload, **{name: getattr(options, name) for name in ("seeds", "limit", "only", "processes")}}
    payload |= engine_asked(options)
    if options.list:
        runs = listed(kind, payload)
        lines = [
            [
                *(run["row"], f"seed {run['seed']}"),
                *([run["encoder"]] if kind is EXPERIMENT else []),
                run.get("error") or ("done" if run["done"] else "to do"),
            ]
            for run in runs
        ]
        return DONE, {"runs": runs, "text": "\n".join(map(" | ".join, lines))}
    result = run_or_attend(kind.job, payload)
    failed = len(result["failed"])
    return code_of(result["runs"] - failed, failed), result | {"text": _text(kind, result)}


def _text(kind: StudyKind, result: Mapping[str, Any]) -> str:
    """Title, corpus, table, and what became of the runs."""
    cells, corpus = cells_of(result["rows"], kind.columns), result["corpus"]
    lines = [
        result["title"],
        f"{' + '.join(source['name'] for source in corpus['sources'])}: {kind.counted(corpus)}",
        "",
        aligned(cells) if cells else "nothing done yet",
        "",
        f"{count_of(result['done_now'], 'run')} done now, {result['done_before']} before, {result['left']} left, "
        f"{len(result['failed'])} failed; ± is {kind.interval}",
        *(f"failed: {run['row']}, seed {run['seed']}: {run['error']}" for run in result["failed"]),
    ]
    return "\n".join(lines)


def _options(command: argparse.ArgumentParser, kind: StudyKind, articles: str) -> None:
    specs = ", ".join(kind.shipped)
    command.add_argument("spec", type=Path, metavar="SPEC", help=f"a YAML file, or one of {specs}")
    command.add_argument("--seeds", type=number, metavar="N", help="the number of seeds, in place of the spec's")
    command.add_argument("--only", type=number, metavar="N", help="do at most N of the runs that are missing")
    command.add_argument("--limit", type=number, metavar="N", help=f"at most N {articles}, for a quick try")
    command.add_argument("--list", action="store_true", help="say what would be done and what is done already")
    add_engine(command)


def add_commands(commands: Commands) -> None:
    """Registers the commands `experiment` and `simulate` with the parser."""
    command = commands.add("experiment", _experiment)
    _options(command, EXPERIMENT, "articles of each part")
    for part in PARTS:
        command.add_argument(f"--{part}", type=Path, metavar="FILE", help="labelled JSON lines, in place of the spec's")
    command.add_argument("--devices", metavar="LIST", help="such as cuda:0,cuda:1; default: all, or the CPU")
    command.add_argument("--processes", type=number, default=1, metavar="N", help="processes a device (default 1)")

    command = commands.add("simulate", _simulate)
    _options(command, SIMULATION, "articles")
    command.add_argument("--files", type=Path, nargs="+", metavar="FILE", help="labelled JSON lines, as one corpus")
    command.add_argument("--strategies", metavar="LIST", help="such as random,committee, in place of the spec's")
    command.add_argument("--processes", type=number, metavar="N", help="at once (default: the cores but one)")
