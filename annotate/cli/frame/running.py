"""Runs a command and tells what it found."""

import argparse
import json
import os
import sys
from contextlib import suppress
from typing import Any

from annotate.cli.frame.common import BUSY, CANCELLED, DONE, FAILED, Command
from annotate.jobs.lifecycle import AlreadyRunning, without_slow_patterns
from annotate.jobs.monitor import Cancelled
from annotate.project.acting import OPERATOR, acting
from db.engine import DATABASE_ERRORS


def run(options: argparse.Namespace) -> int:
    """Runs the command that these options were given for; returns its exit code."""
    try:
        with acting(OPERATOR):  # who can run this can read and write the files anyway
            run: Command = options.run
            found = without_slow_patterns(lambda: run(options))
    except Cancelled:
        return _fail(options, CANCELLED, "cancelled")
    except KeyboardInterrupt:
        return _fail(options, CANCELLED, "interrupted")
    except AlreadyRunning as error:
        return _fail(options, BUSY, str(error))
    except (ValueError, LookupError, ArithmeticError, EOFError, OSError, RuntimeError, *DATABASE_ERRORS) as error:
        return _fail(options, FAILED, _reason(error))
    code, result = found if isinstance(found, tuple) else (DONE, found)
    with suppress(BrokenPipeError):
        _show(options, result)
        sys.stdout.flush()
        return code
    # The reader of the output has read enough and closed it, as head does. Nothing is left to write when Python ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def _reason(error: Exception) -> str:
    if isinstance(error, EOFError):
        return "the standard input ended where an answer was asked for"
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    driver_error = getattr(error, "orig", None)  # SQLAlchemy's own message holds the whole SQL statement
    return f"the database says: {driver_error}" if driver_error else str(error)


def _show(options: argparse.Namespace, result: dict[str, Any]) -> None:
    if options.json:
        print(json.dumps({name: value for name, value in result.items() if name != "text"}, ensure_ascii=False))
    elif "text" in result:
        print(result["text"])
    else:
        _print(result)


def _fail(options: argparse.Namespace, code: int, message: str) -> int:
    print(f"error: {message}", file=sys.stderr)
    if options.json:
        print(json.dumps({"error": message}))
    return code


def _print(result: dict[str, Any], indent: str = "") -> None:
    for name, value in result.items():
        label = str(name).replace("_", " ")
        if isinstance(value, dict):
            print(f"{indent}{label}:")
            _print(value, indent + "  ")
        elif isinstance(value, list):
            print(f"{indent}{label}: {len(value)}")
            for entry in value:
                print(f"{indent}  {_in_line(entry)}")
        else:
            print(f"{indent}{label}: {f'{value:.4f}' if isinstance(value, float) else value}")


def _in_line(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{str(name).replace('_', ' ')}: {_in_line(part)}" for name, part in value.items())
    return " | ".join(map(_in_line, value)) if isinstance(value, list) else str(value)
