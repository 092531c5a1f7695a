"""How the queue works: the query strategy, its random, blind and double shares, and how long a lease lasts."""

from datetime import UTC, datetime, timedelta

from pydantic import Field, field_validator
from sqlalchemy.orm import Session

import db.review.assignments
import db.rows
from annotate.articles.document_labels import plain_name
from annotate.project.rights import Right
from annotate.project.stored_settings import StoredSettings
from db.base import stamp
from db.tables import Setting
from model.checked_settings import checked
from model.review.blocks import share_in_words


@checked
class QueueSettings(StoredSettings):
    """Which article comes next, and how it is handed out.

    random_share: of the articles, drawn by lot instead of by the strategy. blind_share: shown without proposals.
    double_share: annotated by as many as `experts`, blind to each other; a share of 1 is every article. lease_minutes:
    an open page gives a sign of life every 4. learn_at_once: the ranking learns from each verdict. with_tag,
    without_tag: only articles that bear a tag, or do not, come by themselves; "" for any. A strategy of an earlier
    release becomes the one that takes its place.
    """

    NAME = "queue"
    RIGHT = Right.QUEUE

    strategy: str = "committee"
    random_share: float = Field(default=0.1, ge=0, le=1)
    blind_share: float = Field(default=0.05, ge=0, le=1)
    double_share: float = Field(default=0.0, ge=0, le=1)
    experts: int = Field(default=2, ge=2, le=10)
    lease_minutes: int = Field(default=30, ge=5, le=24 * 60)
    learn_at_once: bool = True
    with_tag: str = ""
    without_tag: str = ""

    @field_validator("strategy")
    @classmethod
    def _known(cls, strategy: str) -> str:
        from model.active_learning.acquisition import GONE, IN_THEIR_PLACE, STRATEGIES  # noqa: PLC0415 (with scipy: the route of the verdicts starts without)

        strategy = IN_THEIR_PLACE if strategy in GONE else strategy
        if strategy not in STRATEGIES:
            raise ValueError(f"strategy is {strategy!r}; it must be one of {', '.join(STRATEGIES)}")
        return strategy

    @field_validator("with_tag", "without_tag")
    @classmethod
    def _cleaned(cls, tag: str) -> str:
        return plain_name(tag)

    @property
    def lease(self) -> timedelta:
        """How long an article is leased from the last sign of life."""
        return timedelta(minutes=self.lease_minutes)

    @property
    def random_in_words(self) -> str:
        """The random share: "2 of every 20 articles"."""
        return share_in_words(self.random_share)

    @property
    def tags_in_words(self) -> str:
        """What follows "articles": "tagged pilot and not tagged off topic"; empty where no tag matters."""
        wanted = [f"tagged {self.with_tag}"] if self.with_tag else []
        return " and ".join([*wanted, f"not tagged {self.without_tag}"] if self.without_tag else wanted)

    def after_change(self, session: Session) -> None:
        """A shorter lease shortens those that run."""
        db.review.assignments.shorten_leases(session, stamp(datetime.now(UTC) + self.lease))


def replaced_strategy(session: Session) -> str:
    """The strategy that the project chose under an earlier release and that another one replaces now; else ""."""
    from model.active_learning.acquisition import GONE  # noqa: PLC0415 (as above)

    stored = db.rows.find(session, Setting, name=QueueSettings.NAME)
    chosen = str(stored.content.get("strategy")) if stored else ""
    return chosen if chosen in GONE else ""
