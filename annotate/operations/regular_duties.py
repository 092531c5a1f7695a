"""What the app does by itself: once after its start, and once a minute: seals, scheduled backups, a look at the files
of versions in use, and one at the folder that is watched."""

import gc
import time
from contextlib import AbstractContextManager
from datetime import UTC, datetime

from annotate.jobs.repeating import repeating, try_duty
from annotate.operations import backup_schedule, model_files, sealing, watched_folder
from annotate.project.home import read

# An app that has just been started, or is started again and again, has other things to do than to back up.
WARM_UP_SECONDS = 600


def tick(now: datetime, *, backups: bool = True) -> None:
    """One round: each duty is done even if the other fails."""
    try_duty("seals", sealing.seal_all)
    try_duty("model files", model_files.tick)
    try_duty("watched folder", watched_folder.tick)
    if backups:
        try_duty("scheduled backup", lambda: backup_schedule.tick(now))


def operating(seconds: float) -> AbstractContextManager[None]:
    """Ticks at once and then every `seconds` seconds, as long as the block lasts."""
    warm_at = time.monotonic() + WARM_UP_SECONDS
    return repeating("operating", seconds, lambda: tick(datetime.now(UTC), backups=time.monotonic() >= warm_at))


def warm_up() -> None:
    """Remembers the gold, who is done with which article, how far people agree, and what learns at once: seconds at
    10,000 articles.

    All that is in memory then stays there, so that collections of cycles, 0.15 s each, need not look at it again.
    """
    from annotate.active_learning.live_state import prepare  # noqa: PLC0415 (likewise)
    from annotate.gold.label_sets import live_gold  # noqa: PLC0415 (their imports take a second, and the app starts meanwhile)
    from annotate.review.waiting import done_by  # noqa: PLC0415 (likewise)
    from annotate.team.agreement import team_agreement  # noqa: PLC0415 (likewise)

    def remember() -> None:
        with read() as session:
            live_gold(session)
            done_by(session)
            team_agreement(session)
        prepare()

    try_duty("warming up", remember)
    gc.freeze()
