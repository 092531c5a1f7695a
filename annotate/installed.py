"""The program `keyline` of an installed Keyline: its wheel has all rooms in one package, and this as its face.

The rooms import each other by their own names, so the package's folder comes first for this process and for those that
it starts. It has the commands of `python -m annotate` in a checkout.
"""

import os
import sys
from pathlib import Path


def main() -> None:
    """Runs one command, or serves the app where none is named; ends with its exit code."""
    here = str(Path(__file__).parent)
    sys.path.insert(0, here)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH"))))
    os.environ.setdefault("KEYLINE_HOME", str(usual_home()))
    os.environ.setdefault("HF_HUB_OFFLINE", "1")  # as make has it: nothing is fetched unless somebody asks
    from annotate.__main__ import run  # noqa: PLC0415 (found only from here on)

    run(sys.argv[1:] or ["serve"])


def usual_home() -> Path:
    """The data folder where KEYLINE_HOME names none: `keyline` where the user's programs keep data."""
    given = os.environ.get("XDG_DATA_HOME", "")
    data = Path(given) if given.startswith("/") else Path.home() / ".local" / "share"  # as its specification says
    return data / "keyline"
