"""How the files of a new version come into their folder: whole or not at all."""

import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp

from annotate.project.whole_files import locked
from model.files import sync

PARTIAL = ".training-"


def write_files(within: Path, save: Callable[[Path], str | None], name: str | None = None) -> Path:
    """Lets `save` fill an empty folder, and puts it into `within` under a name, on disk and whole.

    The name is `name`, and what a training that was killed left there goes; or what `save` returns, the name of its
    content, and a folder that bears it already stays. What else killed trainings left is removed.
    """
    with locked(within):  # no other process writes now, so that all partial files are leftovers
        for leftover in [*within.glob(f"{PARTIAL}*"), *([within / name] if name else [])]:
            shutil.rmtree(leftover, ignore_errors=True)
        partial = Path(mkdtemp(prefix=PARTIAL, dir=within))
        try:
            final = within / (save(partial) or name or partial.name)
            for path in partial.rglob("*"):
                sync(path)
            if not final.exists():
                partial.rename(final)
            sync(within)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    return final
