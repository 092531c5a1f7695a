"""Commands that train the stages of Find, list their versions and choose which serve."""

import argparse
import getpass
from pathlib import Path
from typing import Any

from annotate.cli.common import DONE, Commands, Result
from annotate.finding.rankers.jobs import FILES, SETTING_NAMES
from annotate.finding.rankers.versions import TITLES, Trained, Version, use, versions
from annotate.work import run_job
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
    rows = [_row(each) for each in versions()]
    lines = [f"{row['name']:10} {'in use' if row['in_use'] else '':7} {_measures(row['metrics'])}" for row in rows]
    return DONE, {"models": rows, "text": "\n".join(lines) or "no stage has been trained; see find train --help"}


def _row(each: Version) -> dict[str, Any]:
    return {
        "name": each.name,
        "stage": each.stage,
        "about": each.about,
        "parent": each.parent,
        "in_use": each.in_use,
        "settings": dict(each.settings),
        "trained_on": dict(each.trained_on),
        "metrics": dict(each.metrics),
        "created_by": each.created_by,
        "created_at": each.created_at,
    }


def _measures(metrics: dict[str, Any]) -> str:
    """The cross-validated nDCG@10 where there is one, else what words were found."""
    validated = metrics.get("cross_validated", {})
    if validated:
        return "nDCG@10 by cross-validation: " + ", ".join(
            f"{name} {own['ndcg_at_10']:.3f}" for name, own in validated.items()
        )
    if "recall" in metrics:
        return f"words of documents held out: recall {metrics['recall']:.3f}, precision {metrics['precision']:.3f}"
    if "published" in metrics:
        return f"comes with Keyline; its measures stand in {metrics['published']}"
    if "after" in metrics:
        before, after = (metrics[when]["recall_at_50"] for when in ("before", "after"))
        return f"recall@50 of what {metrics['n']:,} articles cite: {after:.3f}, {before:.3f} without a map"
    return "not measured; train with --folds, or see find evaluate"


def _use(options: argparse.Namespace) -> Result:
    return DONE, {"in_use": use(options.name, options.stage, by=getpass.getuser())}


def _words(_options: argparse.Namespace) -> Result:
    return DONE, run_job("find-words", {})


def add_commands(commands: Commands) -> None:
    """Declares them."""
    group = commands.group("find")
    trained = commands.add("train", _train, "Train a stage on judged questions.", group)
    about = "; ".join(f"{stage} {title}" for stage, title in TITLES.items())
    trained.add_argument("stage", choices=list(Trained), help=about)
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
    using.add_argument("stage", nargs="?", choices=list(Trained), help="with none: this stage alone")
    commands.add("words", _words, "Read what articles would be asked for, by the models in use.", group)


def _setting(parser: argparse.ArgumentParser, name: str) -> None:
    option, usual = f"--{name.replace('_', '-')}", getattr(USUAL, name)
    if isinstance(usual, bool):
        parser.add_argument(option, action=argparse.BooleanOptionalAction, help=f"default {usual}")
        return
    low, high = BOUNDS.get(name, ("any", "any"))
    parser.add_argument(option, type=type(usual), metavar="N", help=f"{low} to {high}, default {usual}")
