"""What the commands of experiments and simulations share: their options, the plan, and the result that they print."""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotate.cli.common import DONE, Result, add_engine, aligned, code_of, engine_asked
from annotate.work import run_or_attend


def add_options(command: argparse.ArgumentParser, runs: str, specs: Iterable[str]) -> None:
    """The spec, and which of its runs are done; `runs` is what they are called."""
    command.add_argument("spec", type=Path, metavar="SPEC", help=f"a YAML file, or one of {', '.join(specs)}")
    command.add_argument("--seeds", type=int, metavar="N", help="the number of seeds, in place of the spec's")
    command.add_argument("--only", type=int, metavar="N", help=f"do at most N of the {runs} that are missing")
    command.add_argument("--list", action="store_true", help="say what would be done and what is done already")
    add_engine(command)


def carried_out(
    kind: str,
    payload: Mapping[str, Any],
    options: argparse.Namespace,
    *,
    plan: Callable[[Mapping[str, Any]], list[dict[str, Any]]],
    named_by: Sequence[str],
    told: Callable[[dict[str, Any]], str],
) -> Result:
    """Does a job of this kind and prints its result, or with --list the plan: each run by the values of `named_by`."""
    payload = {**payload, **{name: getattr(options, name) for name in ("seeds", "limit", "only", "processes")}}
    payload |= engine_asked(options)
    if options.list:
        runs = plan(payload)
        return DONE, {"runs": runs, "text": "\n".join(_planned(run, named_by) for run in runs)}
    result = run_or_attend(kind, payload)
    failed = len(result["failed"])
    return code_of(result["runs"] - failed, failed), result | {"text": told(result)}


def _planned(run: Mapping[str, Any], named_by: Sequence[str]) -> str:
    state = run.get("error") or ("done" if run["done"] else "to do")
    return " | ".join([run["row"], f"seed {run['seed']}", *(run[name] for name in named_by), state])


def result_text(
    result: Mapping[str, Any], counted: str, cells: Sequence[Mapping[str, str]], runs: str, interval: str
) -> str:
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
