"""Commands of the language model: which one, the consent that text is sent to it, and the jobs that ask it."""

import argparse
import getpass
from dataclasses import replace
from functools import partial
from typing import Any

from annotate.cli.frame.common import DONE, IN_PART, Commands, Result, number
from annotate.cli.frame.settings import add_settings, settings_given
from annotate.llm.llm_comparison import MEASURE, RANK
from annotate.project.home import look_up, read
from annotate.project.stored_settings import change_settings, settings_now
from annotate.project.words import count_of
from annotate.proposing.answers.llm_settings import (
    LlmConsent,
    LlmSettings,
    consent_row,
    settings_to_ask_by,
    why_not_asked,
)
from annotate.proposing.encoder_versions import proposing_version
from annotate.proposing.llm_ranking import may_propose
from annotate.work import run_or_attend
from db.articles import ALL, SPLITS
from db.values import Split
from model.checked_settings import as_json

TEXTS = {"address": "of an OpenAI-compatible service, such as http://localhost:11434/v1", "model": "as it calls it"}


def _set(options: argparse.Namespace) -> Result:
    given = settings_given(options, LlmSettings)
    with read() as session:
        settings = replace(settings_now(session, LlmSettings), **given)
    change_settings(getpass.getuser(), settings)
    return _status(options)


def _status(_: argparse.Namespace) -> dict[str, Any]:
    version = proposing_version()
    with read() as session:
        settings, consent = settings_now(session, LlmSettings), consent_row(session)
        return as_json(settings) | {
            "consent": f"{consent.changed_by} on {consent.created_at}" if consent else "none",
            "may be asked": why_not_asked(session) or "yes",
            "proposes now": may_propose(session, version),
        }


def _consent(options: argparse.Namespace) -> Result:
    consent = LlmConsent(address=LlmSettings(address=options.address).address)
    named = look_up(settings_now, LlmSettings).address
    if consent.address != named:
        raise ValueError(f"the address that is set is {named or 'none'}: agree to that one, word for word")
    change_settings(getpass.getuser(), consent)
    return _status(options)


def _withdraw(options: argparse.Namespace) -> Result:
    change_settings(getpass.getuser(), LlmConsent())
    return _status(options)


def _ask(task: str, options: argparse.Namespace) -> Result:
    settings_to_ask_by()  # says why not before a job begins
    payload = {"task": task, "budget": options.budget}
    payload |= {"split": options.split} if task == MEASURE else {"most": options.most}
    result = run_or_attend("llm", payload)
    text = _compared(result) if task == MEASURE and result["compared"] else ""
    in_part = result["articles_failed"] or result["stopped"]
    return IN_PART if in_part else DONE, result | ({"text": text} if text else {})


def _compared(result: dict[str, Any]) -> str:
    lines = [f"{'ranking':10}{'ARP':>7}  {'95% interval':16}{'seconds':>9}  language model above it by"]
    for name, row in result["compared"].items():
        line = f"{name:10}{row['arp']:7.3f}  {row['low']:.3f} to {row['high']:.3f}  {row['seconds']:9.2f}"
        above = row.get("llm_above")
        lines.append(line + (f"  {above['mean']:+.3f} ({above['low']:+.3f} to {above['high']:+.3f})" if above else ""))
    took = result["took"]
    lines.append(
        f"{count_of(result['articles_compared'], 'article')} of the {result['split']} split, "
        f"{result['articles_left_out']} without an answer; the answers took {took['seconds']:g} s, "
        f"{took['tokens_in']:,} tokens in and {took['tokens_out']:,} out, and cost {took['cost']:g}"
    )
    lines += [f"failed: {failed['title']}: {failed['reason']}" for failed in result["failed"]]
    return "\n".join([*lines, *([result["stopped"]] if result["stopped"] else [])])


def add_commands(commands: Commands) -> None:
    """Registers the commands of `llm` with the parser."""
    group = commands.group("llm")
    commands.add("status", _status, "Which model is set, who agreed to it, and whether it proposes.", group)
    setting = commands.add("set", _set, "Name the service, its model, its prices and what a job may cost.", group)
    add_settings(setting, LlmSettings, TEXTS)
    text = "Agree that the text of articles is sent to this address, also where it is this machine."
    commands.add("consent", _consent, text, group).add_argument("address")
    commands.add("withdraw", _withdraw, "Withdraw the consent: nothing is sent any more.", group)
    measuring = commands.add(
        "evaluate",
        partial(_ask, MEASURE),
        "Ask about a split's articles, and compare all rankings.",
        group,
    )
    measuring.add_argument("--split", choices=[ALL, *SPLITS], default=Split.TEST)
    ranking = commands.add(
        "rank", partial(_ask, RANK), "Ask about all articles that it was not asked about yet.", group
    )
    ranking.add_argument("--most", type=number, metavar="N", help="at most N articles")
    for added in (measuring, ranking):
        added.add_argument("--budget", type=float, help="what this job may cost (default: as set)")
