"""Commands on when to train: advice, the policy, and the training that begins by itself."""

import argparse
import getpass
from dataclasses import asdict, fields, replace
from datetime import datetime

from annotate.advice import advise
from annotate.auto_retrain import begin, decide
from annotate.cli_common import DONE, Commands, Result
from annotate.home import read
from annotate.retrain_policy import BOUNDS, ENUMS, RetrainPolicy, change_retrain_policy, retrain_policy


def _auto_retrain(_: argparse.Namespace) -> Result:
    decision = decide(datetime.now().astimezone())
    job_id = begin(decision)
    text = decision.reason if job_id is None else f"job {job_id} was started: {decision.reason}"
    return DONE, {"job": job_id, "reason": decision.reason, "text": text}


def _policy(options: argparse.Namespace) -> Result:
    names = [field.name for field in fields(RetrainPolicy)]
    given = {name: getattr(options, name) for name in names if hasattr(options, name)}
    with read() as session:
        policy = retrain_policy(session)
    if given:
        policy = replace(policy, **given)
        change_retrain_policy(getpass.getuser(), policy)
    with read() as session:
        words = advise(session).words
    return DONE, asdict(policy) | {"advice": words}


def add_commands(commands: Commands) -> None:
    """Declares them."""
    commands.add(
        "auto-retrain",
        _auto_retrain,
        "Start a training if the policy says so, else say why not: what the app does every minute, for cron.",
    )
    policy = commands.add("retrain-policy", _policy, "When to train and who promotes; shown, or changed by options.")
    for name in (field.name for field in fields(RetrainPolicy)):
        option = f"--{name.replace('_', '-')}"
        if name in ENUMS:
            policy.add_argument(option, choices=list(map(str, ENUMS[name])), default=argparse.SUPPRESS)
        else:
            low, high = BOUNDS[name]
            text = f"from {low} to {high}"
            policy.add_argument(option, type=int, metavar="N", default=argparse.SUPPRESS, help=text)
