"""Commands on when to train: advice, the policy, and the training that begins by itself."""

import argparse
import getpass
from dataclasses import asdict, fields, replace
from datetime import datetime

from annotate.cli.common import DONE, Commands, Result
from annotate.jobs.lifecycle import AlreadyRunning
from annotate.project.home import read
from annotate.project.stored_settings import change_settings, settings_now
from annotate.retraining.advice import advise
from annotate.retraining.auto_retrain import begin, decide
from annotate.retraining.retrain_policy import RetrainPolicy
from model.checked_settings import bounds, closed_sets


def _auto_retrain(_: argparse.Namespace) -> Result:
    decision = decide(datetime.now().astimezone())
    job_id = begin(decision)
    if job_id is None and decision.payload is not None:
        raise AlreadyRunning("a training is running already; a second one was not started")
    text = decision.reason if job_id is None else f"job {job_id} was started: {decision.reason}"
    return DONE, {"job": job_id, "reason": decision.reason, "text": text}


def _policy(options: argparse.Namespace) -> Result:
    names = [field.name for field in fields(RetrainPolicy)]
    given = {name: getattr(options, name) for name in names if hasattr(options, name)}
    with read() as session:
        policy = settings_now(session, RetrainPolicy)
    if given:
        policy = replace(policy, **given)
        change_settings(getpass.getuser(), policy)
    with read() as session:
        words = advise(session).words
    return DONE, asdict(policy) | {"advice": words}


def add_commands(commands: Commands) -> None:
    """Registers the commands `auto-retrain` and `retrain-policy` with the parser."""
    commands.add(
        "auto-retrain",
        _auto_retrain,
        "Start a training if the policy says so, else say why not: what the app does every minute, for cron.",
    )
    policy = commands.add("retrain-policy", _policy, "When to train and who promotes; shown, or changed by options.")
    sets, numbers = closed_sets(RetrainPolicy), bounds(RetrainPolicy)
    for name in (field.name for field in fields(RetrainPolicy)):
        option = f"--{name.replace('_', '-')}"
        if name in sets:
            policy.add_argument(option, choices=list(map(str, sets[name])), default=argparse.SUPPRESS)
        else:
            low, high = numbers[name]
            text = f"from {low} to {high}"
            policy.add_argument(option, type=int, metavar="N", default=argparse.SUPPRESS, help=text)
