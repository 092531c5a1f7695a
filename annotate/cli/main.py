"""The command line of Keyline: the same functions as the pages.

Exit codes: 0 done; 1 nothing could be done; 2 wrong usage; 3 done in part (the report names what failed);
4 a job of this kind is running already; 130 cancelled.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from annotate.capabilities.chosen import capabilities
from annotate.cli import agreement, articles, gold, models, people, project, topic
from annotate.cli.common import BUSY, CANCELLED, DONE, FAILED, NO_PAGES, Command, Commands, Pages
from annotate.jobs.lifecycle import AlreadyRunning, without_slow_patterns
from annotate.jobs.monitor import Cancelled
from annotate.project.acting import OPERATOR, acting
from annotate.project.release import PROGRAM, VERSION
from db.engine import DATABASE_ERRORS

# The modules whose `add_commands` registers commands, in the order of --help: the core's, then those of the parts that
# are on.
CORE = (articles, gold, topic, models, agreement, people, project)
MODULES = (
    *CORE,
    *(import_module(f"annotate.cli.{name}") for capability in capabilities() for name in capability.commands),
)


def main(arguments: Sequence[str] | None = None, pages: Pages = NO_PAGES) -> int:
    """Runs one command; returns its exit code. The commands that need the pages fail without them."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__.partition("\n")[0])
    parser.add_argument("--version", action="version", version=f"Keyline {VERSION}")
    commands = Commands(parser, pages)
    for module in MODULES:
        module.add_commands(commands)
    options = parser.parse_args(commands.completed(sys.argv[1:] if arguments is None else arguments))
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
    except (ValueError, LookupError, OSError, RuntimeError, *DATABASE_ERRORS) as error:
        return _fail(options, FAILED, str(error))
    code, result = found if isinstance(found, tuple) else (DONE, found)
    with suppress(BrokenPipeError):
        _show(options, result)
        sys.stdout.flush()
        return code
    # The reader of the output has read enough and closed it, as head does. Nothing is left to write when Python ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


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
                print(f"{indent}  {' | '.join(map(str, entry)) if isinstance(entry, list) else entry}")
        else:
            print(f"{indent}{label}: {f'{value:.4f}' if isinstance(value, float) else value}")
