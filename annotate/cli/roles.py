"""Commands of functions: what sentences do, how good that is, and what it is learnt from."""

import argparse
from pathlib import Path

from annotate.cli.frame.common import Commands, Result, add_engine, engine_asked
from annotate.jobs.attending import showing
from annotate.project.acting import current_actor
from annotate.registry.versions import choose, roll_back, version_named
from annotate.work import run_job
from db.values import Kind


def _evaluate(options: argparse.Namespace) -> Result:
    from annotate.roles.evaluate_roles import evaluate, measured_fields  # noqa: PLC0415 (torch takes seconds to import)
    from annotate.roles.train_roles import train_if_missing  # noqa: PLC0415 (takes seconds)

    measured_fields(options.file)  # before a model is trained, which takes minutes
    with showing() as report:
        train_if_missing(report)
    return evaluate(options.file, with_seen=options.with_seen)


def _train(options: argparse.Namespace) -> Result:
    from annotate.roles.encoder_reader import EncoderChoice  # noqa: PLC0415 (torch takes seconds to import)
    from annotate.roles.train_roles import train  # noqa: PLC0415 (torch takes seconds to import)

    encoder = (
        EncoderChoice(options.encoder, options.layers, options.tuned_on, options.loss) if options.encoder else None
    )
    with showing() as report:
        return train(
            options.files,
            left_out=options.without,
            also_shipped=options.also_shipped,
            phrases_only=options.phrases_only,
            encoder=encoder,
            seed=options.seed,
            report=report,
        )


def _list(_options: argparse.Namespace) -> Result:
    from annotate.roles.model_files import compared  # noqa: PLC0415 (takes a while to import)

    return {"versions": compared()}


def _promote(options: argparse.Namespace) -> Result:
    choose(Kind.ROLES, version_named(options.version, Kind.ROLES), by=current_actor().name)
    return {"in_use": options.version}


def _roll_back(_options: argparse.Namespace) -> Result:
    return {"in_use": roll_back(Kind.ROLES, by=current_actor().name)}


def add_commands(commands: Commands) -> None:
    """Registers the commands of `functions` with the parser."""
    group = commands.group("functions")
    add_engine(
        commands.add(
            "read",
            lambda options: run_job("functions", engine_asked(options)),
            "Tell the roles of the sentences not yet read.",
            group,
        )
    )
    measured = commands.add("evaluate", _evaluate, "Measure roles and their vectors on a labelled file.", group)
    measured.add_argument("file", type=Path, help="JSON lines, also compressed by gzip")
    measured.add_argument("--with-seen", action="store_true", help="also on the articles that it was trained on")
    commands.add("list", _list, "The versions of the model, with their figures.", group)
    promoted = commands.add("promote", _promote, "Let a version read roles from now on.", group)
    promoted.add_argument("version")
    commands.add("roll-back", _roll_back, "Let the version before read roles again.", group)
    trained = commands.add("train", _train, "Learn roles and their vectors again.", group)
    trained.add_argument("files", type=Path, nargs="*", help="labelled abstracts; by default those that come along")
    trained.add_argument("--without", type=Path, nargs="+", default=[], metavar="FILE", help="learn nothing from these")
    trained.add_argument("--also-shipped", action="store_true", help="learn from the abstracts that come along, too")
    trained.add_argument("--phrases-only", action="store_true", help="learn from the list of phrases, from no label")
    trained.add_argument(
        "--encoder", default="", metavar="NAME", help="besides the words: embedded, a folder, a hub id"
    )
    trained.add_argument("--layers", type=int, default=3, help="how many of its first layers are kept; 0: all")
    trained.add_argument("--tuned-on", type=int, default=40_000, metavar="N", help="sentences at most it is tuned on")
    trained.add_argument("--loss", default="softmax", help="by which it is tuned")
    trained.add_argument("--seed", type=int, default=0)
