"""`python -m annotate`: the command line, made of the commands, three of which call the pages.

The one module of this package that imports the pages, as app.py does for the app. It does so when a command asks:
plotly and Streamlit take seconds to import.
"""

import gc
import sys
from collections.abc import Sequence
from contextlib import chdir
from typing import Any, NoReturn

from annotate.cli import main as commands
from annotate.cli.frame.common import Pages
from annotate.project.release import ROOT
from annotate.project.whole_files import keep_private


def _report_html(report_id: int, app_url: str) -> bytes:
    from pages.parts.evaluation.report_html import html_of  # noqa: PLC0415 (for this command alone)

    return html_of(report_id, app_url)


def _options_of_run(arguments: Sequence[str]) -> dict[str, Any]:
    # Streamlit takes the files of the folder in which it begins: the app's folder, wherever the command is run.
    with chdir(ROOT):
        from pages.parts.server.start import options_of_run  # noqa: PLC0415 (for this command alone)

        return options_of_run(arguments)


def _command_of_app(arguments: Sequence[str]) -> list[str]:
    from pages.parts.server.app_command import command_of_app  # noqa: PLC0415 (for this command alone)

    return command_of_app(arguments)


PAGES = Pages(_report_html, _options_of_run, _command_of_app)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit code."""
    return commands.main(arguments, PAGES)


def run(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs one command as a program does: what it writes is its owner's, and it ends with the command's exit code."""
    keep_private()
    gc.disable()  # imported modules stay: to search them for garbage, again and again, is a third of a command's start
    command = commands.ready(arguments, PAGES)
    gc.freeze()  # nor is it looked through when Python ends
    gc.enable()
    sys.exit(command())


if __name__ == "__main__":
    run()
