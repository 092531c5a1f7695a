"""What the app does by itself once a minute: scheduled backups, a look at the files of versions in use, and one at
the folder that is watched."""

import time
from contextlib import AbstractContextManager
from datetime import UTC, datetime

from annotate.jobs.repeating import repeating, try_duty
from annotate.operations import backup_schedule, model_files, watched_folder

TICK_SECONDS = 60
# An app that has just been started, or is started again and again, has other things to do than to back up.
WARM_UP_SECONDS = 600


def tick(now: datetime, *, backups: bool = True) -> None:
    """One round: each duty is done even if the other fails."""
    try_duty("model files", model_files.tick)
    try_duty("watched folder", watched_folder.tick)
    if backups:
        try_duty("scheduled backup", lambda: backup_schedule.tick(now))


def operating(seconds: float = TICK_SECONDS) -> AbstractContextManager[None]:
    """Ticks at once and then every `seconds` seconds, as long as the block lasts."""
    warm_at = time.monotonic() + WARM_UP_SECONDS
    return repeating("operating", seconds, lambda: tick(datetime.now(UTC), backups=time.monotonic() >= warm_at))
