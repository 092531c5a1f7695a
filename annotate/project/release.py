"""Which Keyline this is, where its files lie, and how its commands are called."""

import subprocess
from functools import lru_cache
from pathlib import Path

VERSION = "0.1.0"
ROOT = Path(__file__).parents[2]
# An installed Keyline is a package and brings a program of this name; a checkout is neither.
PROGRAM = "keyline" if (ROOT / "__init__.py").exists() else "python -m annotate"


@lru_cache(maxsize=1)
def release() -> str:
    """The commit of this checkout, 12 digits, with "-dirty" where files differ from it; VERSION where it is none."""
    if not (ROOT / ".git").exists():  # git would find that of a folder above
        return VERSION
    try:
        done = subprocess.run(
            ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12"],
            capture_output=True,
            text=True,
            timeout=5,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return VERSION
    return done.stdout.strip()
