"""Commands that train the stages of Find, list their versions and choose which serve."""

import argparse
import getpass
from pathlib import Path
from typing import Any

from annotate.cli.common import DONE, Commands, Result
from annotate.finding.rankers.jobs import FILES, SETTING_NAMES
from annotate.finding.rankers.ranker_versions import measures_of, use
from annotate.registry.kinds import FOR_FINDING, KINDS
from annotate.registry.versions import Listed, listed
from annotate.work import run_job
from db.values import Kind
from model.finding.ranker_settings import BOUNDS, RankerSettings

USUAL = RankerSettings()


def _train(options: argparse.Namespace) -> Result:
    settings = {name: getattr(options, name) for name in SETTING_NAMES if getattr(options, name) is not None}
    payload: dict[str, Any] = {"stage": options.stage, "settings": settings, "folds": options.folds}
    payload |= {name: str(path.resolve()) for name in FILES if (path := getattr(options, name))}
    payload |= {"parent": options.parent} if options.parent else {}
    result = run_job("find-train", payload)
    if options.use:
        use(result["version"], by=getpass.getuser())
    return DONE, result | {"in_use": options.use}


def _models(_options: argparse.Namespace) -> Result:
    rows = [_row(each) for each in listed(*FOR_FINDING)]
    lines = [f"{row['name']:10} {'in use' if row['in_use'] else '':7} {measures_of(row['metrics'])}" for row in rows]
    return DONE, {"models": rows, "text": "\n".join(lines) or "no stage has been trained; see find train --help"}


def _row(each: Listed) -> dict[str, Any]:
    told = ("settings", "trained_on", "metrics", "created_by", "created_at")
    return {
        "name": each.version.name,
        "stage": each.version.kind,
        "about": KINDS[Kind(each.version.kind)].title,
        "parent": each.parent,
        "in_use": each.in_use,
        **{name: getattr(each.version, name) for name in told},
    }


def _use(options: argparse.Namespace) -> Result:
    return DONE, {"in_use": use(options.name, options.stage, by=getpass.getuser())}


def _words(_options: argparse.Namespace) -> Result:
    return DONE, run_job("find-words", {})


def add_commands(commands: Commands) -> None:
    """Registers the commands that train a stage of `find` with the parser."""
    group = commands.group("find")
    trained = commands.add("train", _train, "Train a stage on judged questions.", group)
    about = "; ".join(f"{kind} {KINDS[kind].title}" for kind in FOR_FINDING)
    trained.add_argument("stage", choices=list(FOR_FINDING), help=about)
    for name, text in zip(FILES, ("documents", "questions", "judgements"), strict=True):
        trained.add_argument(f"--{name}", type=Path, help=f"{text}; without all three the project's own verdicts")
    trained.add_argument("--parent", metavar="NAME", help="a model to go on from, by default the proposing encoder")
    trained.add_argument("--folds", type=int, default=0, help="of rel: measure by cross-validation over questions")
    trained.add_argument("--use", action="store_true", help="let the new model serve at once")
    for name in SETTING_NAMES:
        _setting(trained, name)
    commands.add("models", _models, "List the trained stages and how good they are.", group)
    using = commands.add("use", _use, "Choose the model that serves its stage, or none.", group)
    using.add_argument("name", metavar="NAME|none")
    using.add_argument("stage", nargs="?", choices=list(FOR_FINDING), help="with none: this stage alone")
    commands.add("words", _words, "Read what articles would be asked for, by the models in use.", group)


def _setting(parser: argparse.ArgumentParser, name: str) -> None:
    option, usual = f"--{name.replace('_', '-')}", getattr(USUAL, name)
    if isinstance(usual, bool):
        parser.add_argument(option, action=argparse.BooleanOptionalAction, help=f"default {usual}")
        return
    low, high = BOUNDS.get(name, ("any", "any"))
    parser.add_argument(option, type=type(usual), metavar="N", help=f"{low} to {high}, default {usual}")
