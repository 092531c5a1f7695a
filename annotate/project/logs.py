"""The log: what happened, one line each, as JSON with KEYLINE_LOG=json. Never article text, passwords or tokens."""

import logging
import os
import secrets
import sys
from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from typing import Any, TextIO, cast

import structlog

from annotate.project.served import project_key

LOG = "KEYLINE_LOG"
JSON = "json"
# What must not be in a log is not trusted to be left out by every caller.
SECRET_WORDS = ("password", "token", "secret", "cookie", "text", "sentence")
# Without the values of variables, among which are sentences and passwords.
TRACEBACK = structlog.processors.ExceptionRenderer(structlog.tracebacks.ExceptionDictTransformer(show_locals=False))
PLAIN_TRACEBACK = structlog.dev.plain_traceback


def _dropped(_: Any, __: str, ___: MutableMapping[str, Any]) -> Mapping[str, Any]:
    raise structlog.DropEvent


# Until a program asks for a log there is none: commands print one object, and nothing else, on stdout.
structlog.configure(processors=[_dropped])


def configure() -> None:
    """Sends the log to stderr, readable or as JSON; the standard library's warnings come the same way."""
    as_json = os.environ.get(LOG) == JSON
    processors: list[Any] = [
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.stdlib.add_log_level,
        _safe_and_placed,
    ]
    render: list[Any] = (
        [TRACEBACK, structlog.processors.JSONRenderer(default=str, ensure_ascii=False)]
        if as_json
        else [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=PLAIN_TRACEBACK)]
    )
    structlog.configure(
        processors=[*processors, *render],
        logger_factory=structlog.WriteLoggerFactory(cast(TextIO, _Stderr())),
        cache_logger_on_first_use=False,
    )
    ours = logging.getLogger("annotate")
    ours.handlers, ours.propagate = [_Forward()], False
    ours.setLevel(logging.INFO)


class _Stderr:
    """Standard error as it is when it is written to, as it may be replaced. What cannot be written, the file that it
    goes to being on a full disk, is left out: a log must not hinder what it tells of."""

    def write(self, text: str) -> None:
        """Writes to the present standard error; ignores OSError, as of a closed pipe or a full disk."""
        with suppress(OSError):
            sys.stderr.write(text)

    def flush(self) -> None:
        """Flushes the present standard error; ignores OSError, as of a closed pipe or a full disk."""
        with suppress(OSError):
            sys.stderr.flush()


class _Forward(logging.Handler):
    """Takes what modules log by the standard library."""

    def emit(self, record: logging.LogRecord) -> None:
        """Logs the message at its level."""
        structlog.get_logger().log(record.levelno, record.getMessage(), exc_info=record.exc_info)


def event(name: str, **details: Any) -> None:
    """Logs that something happened: a short name in the past tense, with numbers, ids and names as `details`."""
    structlog.get_logger().info(name, **details)


def warning(name: str, **details: Any) -> None:
    """Logs an event that a person should check, with `details` as `event` takes them."""
    structlog.get_logger().warning(name, **details)


def error(name: str, problem: BaseException, **details: Any) -> str:
    """Logs an error with its traceback; returns the id under which it is found, to be shown to the user."""
    error_id = secrets.token_hex(4)
    structlog.get_logger().error(name, error_id=error_id, exc_info=problem, **details)
    return error_id


def _safe_and_placed(_: Any, __: str, fields: dict[str, Any]) -> dict[str, Any]:
    """The fields with the project's key, and without what is secret."""
    hidden = {name: "left out" for name in fields if any(word in name.lower() for word in SECRET_WORDS)}
    project = {"project": key} if (key := project_key()) else {}
    return {**project, **fields, **hidden}
