"""Commands of the project as a whole: how it stands, the sample, and the work that the app asks for."""

import argparse

from annotate.cli.common import DONE, Commands, Result
from annotate.gold.sample import is_empty
from annotate.jobs.lifecycle import run, start_after_other_work
from annotate.operations import project_status
from annotate.project import logs
from annotate.work import HANDLERS, run_job


def _status(_: argparse.Namespace) -> Result:
    return DONE, project_status.status()


def _sample(options: argparse.Namespace) -> Result:
    if options.if_empty and not is_empty():
        return DONE, {"sample": "not loaded: there are articles already"}
    done = run_job("import", {"sample": True, "propose": True})
    if "entities" in HANDLERS:
        done |= run_job("entities", {})
    if "functions" in HANDLERS:
        start_after_other_work("functions", {})  # learns for longer than the rest takes: the app need not wait for it
    return DONE, done


def _work(options: argparse.Namespace) -> Result:
    logs.configure()  # standard error is the job's log
    return DONE, run(options.job, HANDLERS)


def add_commands(commands: Commands) -> None:
    """Registers this module's commands with the parser."""
    commands.add("status", _status, "Articles, labels, versions and jobs.")
    sample = commands.add("sample", _sample, "Load the sample corpus, propose, and recognise its genes and cells.")
    sample.add_argument("--if-empty", action="store_true")
    commands.add("work", _work, "Run a queued job (used by the app).").add_argument("job", type=int)
