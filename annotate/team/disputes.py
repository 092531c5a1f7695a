"""How many disputed sentences there are: the one count of them, which every page and command tells."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy.orm import Session

from annotate.project.words import count_of
from annotate.team.adjudication import Disputed, Kinds, disputed_articles


@dataclass(frozen=True, slots=True)
class Disputes:
    """The articles with disputed sentences: those `ready` to be decided, and those on which experts are `at_work`."""

    ready: tuple[Disputed, ...]
    at_work: tuple[Disputed, ...]

    @property
    def by_article(self) -> Mapping[int, int]:
        """Disputed sentences by article, of all."""
        return {row.article_id: len(row.sentence_ids) for row in (*self.ready, *self.at_work)}

    @property
    def words(self) -> str:
        """Counts of the disputes that can be decided now, and of those too early, in words."""
        now = [_counted(self.ready)] if self.ready or not self.at_work else []
        return "; ".join([*now, *([f"{_counted(self.at_work)} still at work"] if self.at_work else [])])


def _counted(rows: tuple[Disputed, ...]) -> str:
    sentences = count_of(sum(len(row.sentence_ids) for row in rows), "disputed sentence")
    return f"{sentences} in {count_of(len(rows), 'article')}"


BESIDE_KEY = Kinds()


def disputes(session: Session, kinds: Kinds = BESIDE_KEY, *, everything: bool = False) -> Disputes:
    """All disputed sentences as of now; with `everything` sentences of articles at work are ready, too."""
    found = disputed_articles(session, kinds)
    ready = tuple(row for row in found if everything or not row.at_work)
    return Disputes(ready, tuple(row for row in found if row.at_work and not everything))
