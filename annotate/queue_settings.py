"""How the queue works: the query strategy, its random, blind and double shares, and how long a lease lasts."""

from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

import db.assignments
import db.settings
from annotate.acting import own_name
from annotate.home import write
from annotate.rights import Right

NAME = "queue"
# Least and most of each number; a share of 1 is every article. An open page gives a sign of life every 4 minutes.
BOUNDS: dict[str, tuple[float, float]] = {
    "random_share": (0.0, 1.0),
    "blind_share": (0.0, 1.0),
    "double_share": (0.0, 1.0),
    "experts": (2, 10),
    "lease_minutes": (5, 24 * 60),
}
WHOLE = {"experts", "lease_minutes"}


@dataclass(frozen=True, slots=True)
class QueueSettings:
    """Which article comes next, and how it is handed out. Raises ValueError for a value out of bounds.

    random_share: of the articles, drawn by lot instead of by the strategy. blind_share: shown without proposals.
    double_share: annotated by as many as `experts`, blind to each other. learn_at_once: the ranking learns from each
    verdict.
    """

    strategy: str = "change"
    random_share: float = 0.1
    blind_share: float = 0.05
    double_share: float = 0.0
    experts: int = 2
    lease_minutes: int = 30
    learn_at_once: bool = True

    def __post_init__(self) -> None:
        from model.acquisition import STRATEGIES  # noqa: PLC0415 (with scipy: the route of the verdicts starts without)

        if self.strategy not in STRATEGIES:
            raise ValueError(f"strategy is {self.strategy!r}; it must be one of {', '.join(STRATEGIES)}")
        for name, (least, most) in BOUNDS.items():
            value = getattr(self, name)
            number = isinstance(value, int if name in WHOLE else int | float) and not isinstance(value, bool)
            if not number or not least <= value <= most:
                kind = "a whole number" if name in WHOLE else "a number"
                raise ValueError(f"{name} is {value!r}; it must be {kind} from {least:g} to {most:g}")
        if not isinstance(self.learn_at_once, bool):
            raise ValueError(f"learn_at_once is {self.learn_at_once!r}; it must be True or False")

    @property
    def lease(self) -> timedelta:
        """How long an article is leased from the last sign of life."""
        return timedelta(minutes=self.lease_minutes)


def queue_settings(session: Session) -> QueueSettings:
    """What holds now. A stored value that this release does not take (any more) gives way to the default, since a
    setting must never stop a review."""
    stored = db.settings.latest_setting(session, NAME)
    made = QueueSettings()
    for field in fields(QueueSettings):
        if stored is not None and field.name in stored.content:
            made = _with(made, field.name, stored.content[field.name])
    return made


def _with(settings: QueueSettings, name: str, value: Any) -> QueueSettings:
    try:
        return QueueSettings(**asdict(settings) | {name: value})
    except (TypeError, ValueError):
        return settings


def change_queue_settings(by: str, settings: QueueSettings) -> None:
    """Stores a choice under the name of whoever made it; a shorter lease shortens those that run.

    QueueSettings has refused what is out of bounds; a choice that holds already is not stored again.
    """
    with write(Right.QUEUE) as session:
        if queue_settings(session) == settings:
            return
        db.settings.insert_setting(session, NAME, asdict(settings), changed_by=own_name(by))
        db.assignments.shorten_leases(session, stamp(datetime.now(UTC) + settings.lease))


def stamp(moment: datetime) -> str:
    """A moment as rows hold it: ISO 8601 in UTC with milliseconds, so that the order of the texts is that of time."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
