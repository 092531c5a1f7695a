"""Which Keyline this is."""

import subprocess
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
UNKNOWN = "unknown"


@lru_cache(maxsize=1)
def release() -> str:
    """The commit of this checkout, 12 digits, with "-dirty" where files differ from it; UNKNOWN without git."""
    try:
        done = subprocess.run(
            ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12"],
            capture_output=True,
            text=True,
            timeout=5,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return UNKNOWN
    return done.stdout.strip()
