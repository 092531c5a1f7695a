"""What the difference between the proposing version and a candidate means: its interval, of how many articles it is,
and which ranking would propose once the candidate is promoted."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from annotate.evaluation.metric_labels import change_written
from annotate.project.words import count_of
from annotate.proposing.encoder_versions import MIN_ARTICLES, Comparison, direction_of
from annotate.proposing.propose import default_ranking
from db.tables import ModelVersion
from model.evaluation.metrics import Interval
from model.proposing.ranking import Ranking


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean difference in R-precision with its paired 95 % interval over `articles`, of which it is the fair ones
    alone where `fair`; `compared` is the ranking that it was measured with, `serves` the one that would propose."""

    change: Interval
    articles: int
    fair: bool
    compared: Ranking
    serves: Ranking

    @property
    def words(self) -> str:
        """The difference and how far it can be trusted, in two or three sentences."""
        interval = f"{change_written(self.change.low)} to {change_written(self.change.high)}"
        articles = count_of(self.articles, "fair test article" if self.fair else "test article")
        return (
            f"ARP {change_written(self.change.mean)} (95 % interval {interval}) on {articles}, ranked by "
            f"{self.compared}. {self._trust} {self._serving}"
        )

    @property
    def _trust(self) -> str:
        if self.articles < MIN_ARTICLES:
            return (
                f"So few articles cannot tell which is better: the interval, too, is only to be trusted from "
                f"{MIN_ARTICLES} on."
            )
        if not any(round(value, 3) for value in (self.change.low, self.change.high)):
            return "Both rank alike: no difference."
        direction = direction_of(self.change, self.articles)
        if not direction:
            return "The interval holds 0: no difference is shown."
        return f"The interval leaves out 0: {'better' if direction > 0 else 'worse'} by more than chance."

    @property
    def _serving(self) -> str:
        if self.serves is self.compared:
            return f"Promoted, it proposes by {self.serves}, too."
        return f"Promoted, it proposes by {self.serves}, which this difference is not of."


def difference_of(session: Session, found: Comparison, candidate: ModelVersion, compared: Ranking) -> Difference | None:
    """The difference that decides: of the fair articles where these are enough, else of all; None without numbers."""
    if found.change is None:
        return None
    articles = len(found.deciding)
    return Difference(found.change, articles, found.is_fair, compared, default_ranking(session, candidate))
