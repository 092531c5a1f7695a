"""What a stored question finds now, for one person: ranked once, then reordered by that person's judgements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from annotate.finding.asking.saved import ALL_ARTICLES, FIRST, Asked
from annotate.finding.find import Found, Order, ranked, results
from annotate.finding.library import Document, Library, MemoryLibrary, vectors_of
from annotate.finding.matching import Matched, matched
from annotate.finding.question import NotRanked
from annotate.finding.stages import STAGES
from annotate.finding.stored_sentences import StoredLibrary
from annotate.project.home import read
from db.finding.questions import UNSURE, Judgement
from model.finding.feedback import Pool, pool_of, scores, telling_words

POOL = 5_000  # articles that judgements can reorder; later ones stay as they are


@dataclass(eq=False)
class Answered:
    """A question with what it was asked of, the order of all that its stages found, and what matches its words."""

    asked: Asked
    library: Library
    order: Order
    matched: Matched = field(default_factory=Matched)
    _pool: tuple[tuple[tuple[str, ...], bool], Pool] | None = field(default=None, repr=False)

    @property
    def keys(self) -> list[str]:
        """All that was found: what matches all of the question, then the rest; of both the best first.

        Measured in docs/measurements/find.md (match-order); to put what matches some before the rest loses more.
        """
        whole = set(self.matched.whole)
        return sorted(dict.fromkeys([*self.order.keys, *self.matched.some]), key=lambda key: key not in whole)

    @property
    def first(self) -> list[Found]:
        """The first results: a saved search tells which of these are new."""
        return self.found(self.keys[:FIRST])

    def found(self, keys: Sequence[str]) -> list[Found]:
        """Some of it as results, in this order, with what each facet matched."""
        return results(self.asked.question, self.library, self.order, keys)

    def pool(self, keys: Sequence[str], *, by_design: bool) -> Pool:
        """What feedback goes by, `by_design` with signs of how each study was done; made once for the same keys."""
        wanted = (tuple(keys), by_design)
        if self._pool is None or self._pool[0] != wanted:
            documents = self.library.documents(keys)
            texts = [(d.title, d.text) if (d := documents.get(key)) else ("", "") for key in keys]
            prior = np.array([self.order.scores.get(key, 0.0) for key in keys])
            try:
                vectors = vectors_of(self.library, keys)
            except NotRanked:
                vectors = None
            self._pool = (wanted, pool_of(texts, vectors, prior, by_design=by_design))
        return self._pool[1]


def all_ranked(asked: Asked, documents: Sequence[Document]) -> list[Found]:
    """All of these documents as results, those that no stage ranks last."""
    answer = answered(asked, MemoryLibrary(documents))
    rest = (each.key for each in documents if each.key not in answer.order.scores)
    return answer.found([*answer.order.keys, *rest])


def answered(asked: Asked, library: Library | None = None) -> Answered:
    """Ranks the stored articles, or another library, by the question's stages; leaves out stages of another release."""
    where = library or StoredLibrary()
    stages = [name for name in asked.stages if name in STAGES] or None
    order = ranked(asked.question, where, stages)
    if library is not None or asked == ALL_ARTICLES:
        return Answered(asked, where, order)
    with read() as session:
        return Answered(asked, where, order, matched(session, asked.question, order.allowed))


def reordered(
    answer: Answered, keys: Sequence[str], judgements: Mapping[str, Judgement], *, screening: bool = False
) -> list[str]:
    """The keys, the likeliest relevant first, by the judgements so far; unchanged until both kinds of judgement exist.

    What was said of articles that are not among them counts as well, where they are known; an unsure one counts for
    neither kind. `screening` goes by signs of how a study was done, too.
    """
    if not (taught := _taught(answer, keys, judgements, screening=screening)):
        return list(keys)
    found = scores(taught.pool, taught.judged, taught.relevant)
    return sorted(keys[:POOL], key=lambda key: -found[taught.places[key]]) + list(keys[POOL:])


def words_of_relevant(answer: Answered, keys: Sequence[str], judgements: Mapping[str, Judgement]) -> list[str]:
    """The words that tell the relevant articles of a screening from the others, the most telling first; none until both
    kinds of judgement exist."""
    taught = _taught(answer, keys, judgements, screening=True)
    return telling_words(taught.pool, taught.judged, taught.relevant) if taught else []


class _Taught(NamedTuple):
    """What judgements teach: a pool, the place of each key, and of the judged ones whether they are relevant."""

    pool: Pool
    places: Mapping[str, int]
    judged: Sequence[int]
    relevant: Sequence[bool]


def _taught(
    answer: Answered, keys: Sequence[str], judgements: Mapping[str, Judgement], *, screening: bool
) -> _Taught | None:
    sure = {key: each.grade > 0 for key, each in judgements.items() if each.grade != UNSURE}
    if len({*sure.values()}) < 2:
        return None
    pool = sorted({*keys[:POOL], *judgements})
    places = {key: place for place, key in enumerate(pool)}
    return _Taught(answer.pool(pool, by_design=screening), places, [places[key] for key in sure], [*sure.values()])
