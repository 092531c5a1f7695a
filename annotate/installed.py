"""The program `keyline` of an installed Keyline: its wheel has all rooms in one package, and this as its face.

The rooms import each other by their own names, so the package's folder comes first for this process and for those that
it starts. It has the commands of `python -m annotate` in a checkout.
"""

import os
import sys
from pathlib import Path
from typing import Any


def __getattr__(name: str) -> Any:
    """`from keyline import KeySentenceRanker`: what programs are given of the rooms."""
    if name != "KeySentenceRanker":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    _rooms_first()
    from model.active_learning.key_sentence_ranker import KeySentenceRanker  # noqa: PLC0415 (found only from here on)

    return KeySentenceRanker


def _rooms_first() -> str:
    here = str(Path(__file__).parent)
    if here not in sys.path:
        sys.path.insert(0, here)
    return here


def main() -> None:
    """Runs one command, or serves the app where none is named; ends with its exit code."""
    here = _rooms_first()
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
