"""Which sentences somebody has judged, on which it depends what a comparison of versions may count."""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy.orm import Session

import db.gold
import db.review.verdicts
from db.curation import chunks


@dataclass(frozen=True, slots=True)
class Judged:
    """What was judged of some articles: the positions of which anybody said anything, if only that they are unsure, by
    article id; and the articles that somebody read in full, in which every sentence was."""

    positions: dict[int, frozenset[int]]
    in_full: frozenset[int]

    @property
    def sha256(self) -> str:
        """Equal for equal judgements."""
        described = [sorted((number, sorted(found)) for number, found in self.positions.items()), sorted(self.in_full)]
        return hashlib.sha256(json.dumps(described).encode()).hexdigest()

    def unjudged_share(self, sentences: Mapping[int, int]) -> float:
        """The share of the sentences of articles, {article id: how many}, without a verdict; 0 to 1."""
        seen = sum(n if number in self.in_full else len(self.positions[number]) for number, n in sentences.items())
        return 1 - seen / max(1, sum(sentences.values()))


def judged_of(session: Session, article_ids: Collection[int]) -> Judged:
    """The judged sentences of these articles now."""
    positions: dict[int, set[int]] = {article_id: set() for article_id in article_ids}
    for some in chunks(positions):
        for row in db.gold.verdict_rows(session, article_ids=some):
            positions[row.article_id].add(row.position)
    read = {article_id for article_id, _ in db.review.verdicts.read_in_full(session)} & positions.keys()
    return Judged({number: frozenset(found) for number, found in positions.items()}, frozenset(read))
