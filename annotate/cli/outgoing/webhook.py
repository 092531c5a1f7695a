"""Commands of the webhook: where events are sent, a test, and how it goes."""

import argparse
from dataclasses import asdict
from typing import Any

from annotate.cli.frame.common import DONE, FAILED, Commands, Result
from annotate.cli.frame.settings import settings_given
from annotate.project.home import look_up, read
from annotate.project.stored_settings import settings_now
from annotate.webhook.delivery import deliver, send_test, skip_waiting
from annotate.webhook.webhook_progress import load
from annotate.webhook.webhook_settings import EVENTS, WebhookSettings, choose, new_secret


def _status(_: argparse.Namespace) -> dict[str, Any]:
    settings = look_up(settings_now, WebhookSettings)
    status: dict[str, Any] = {"address": settings.address or "none"} | {
        name: getattr(settings, name) for name in EVENTS
    }
    progress = load()
    names = ("sent", "failures", "next_try", "last_good", "last_bad", "problem")
    return status | ({name: asdict(progress)[name] for name in names} if progress else {})


def _set(options: argparse.Namespace) -> Result:
    given = settings_given(options, WebhookSettings)
    choose(**given)
    with read() as session:
        has_secret = bool(settings_now(session, WebhookSettings).nonce)
    return _status(options) | ({} if has_secret else {"secret": new_secret()})


def _test(_: argparse.Namespace) -> Result:
    problem = send_test()
    return FAILED if problem else DONE, {"taken": not problem, "problem": problem}


def _skip(options: argparse.Namespace) -> Result:
    skip_waiting()
    return _status(options)


def add_commands(commands: Commands) -> None:
    """Registers the commands of `webhook` with the parser."""
    group = commands.group("webhook")
    commands.add("status", _status, "Where events are sent, and how the last ones went.", group)
    setting = commands.add("set", _set, "Name the address, and which events it is told; prints a secret once.", group)
    setting.add_argument("--address", default=argparse.SUPPRESS, help="empty: events are sent nowhere")
    for name in EVENTS:
        setting.add_argument(f"--{name}", action=argparse.BooleanOptionalAction, default=argparse.SUPPRESS)
    commands.add("secret", lambda _: {"secret": new_secret()}, "Make another secret, and print it once.", group)
    commands.add("test", _test, "Send an event that tells nothing.", group)
    commands.add(
        "deliver", lambda _: {"taken": deliver(at_once=True)}, "Send at once what waits, also after a failure.", group
    )
    commands.add("skip", _skip, "Never tell what happened before now.", group)
