"""How the app is started: for the command that runs several projects, which imports neither the app nor Streamlit."""

import sys
from collections.abc import Sequence
from pathlib import Path

APP = Path(__file__).parents[3] / "app.py"


def command_of_app(arguments: Sequence[str]) -> list[str]:
    """The program and its arguments that serve the app, in a process of its own, with these arguments of `streamlit
    run`."""
    return [sys.executable, "-m", "streamlit", "run", str(APP), *arguments]
