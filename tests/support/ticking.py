"""A clock that never tells the same moment twice, for tests of what is ordered by time."""

from datetime import datetime, timedelta, tzinfo
from typing import ClassVar, Self

STEP = timedelta(milliseconds=1)  # the least by which stamps differ


class Ticking(datetime):
    """The time; a step after what it told last where the clock has not moved so far."""

    told: ClassVar["Ticking | None"] = None

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        """The time, later than any that was told before. A time zone is always given."""
        found = super().now(tz)
        if cls.told is not None and found < cls.told + STEP:
            found = cls.fromtimestamp((cls.told + STEP).timestamp(), tz)
        cls.told = found
        return found
