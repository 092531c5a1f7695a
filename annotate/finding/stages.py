"""The stages of a search: each ranks articles for a question in its own way. One stage is a function and a line.

A finder looks through the whole library. A reader is handed the first articles that the stages before it found
together, and ranks those.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from annotate.finding.library import Library, Ranking
from annotate.finding.question import Question
from annotate.finding.rankers import serving
from annotate.registry.versions import in_use
from db.values import Kind
from model.finding.fusion import best_first
from model.vectors import unit

# How many a finder gives. Beyond a thousand, one more rank changes a fused score by a millionth.
DEPTH = 1_000
# What a reader reads.
CANDIDATES = 100
# The vector of a question is moved by this share towards the vectors of the first articles found. These and the weights
# of the stages were chosen on MED, the trials' validation part and every second question on cystic fibrosis
# (docs/find.md).
NEAREST = 3
TOWARDS = 1.0
# Candidates are near to the middle of the first MIDDLE; the titles of the first TITLES are read. Both, and that titles
# are read of questions in free words only, were chosen on the same collections.
MIDDLE = 5
TITLES = 20


@dataclass(eq=False)
class Search:
    """What the stages of one search share: the question, the library, and the documents found so far.

    `so_far`: keys, best first, as all stages that have run put them together.
    """

    question: Question
    library: Library
    depth: int = DEPTH
    so_far: Sequence[str] = field(default=())

    @cached_property
    def allowed(self) -> frozenset[str] | None:
        """The keys that may answer the question at all; None for all."""
        return self.library.passing(self.question)

    @cached_property
    def asked(self) -> np.ndarray:
        """The vector of the question. Raises NotRanked."""
        return self.library.encode(self.question.asked)

    @cached_property
    def vectors(self) -> tuple[Sequence[str], np.ndarray]:
        """The keys and vectors of the library, asked for once. Raises NotRanked."""
        return self.library.vectors()

    def kept(self, ranking: Iterable[tuple[str, float]]) -> Ranking:
        """The first `depth` of a ranking that the filters let through."""
        allowed = self.allowed
        return [pair for pair in ranking if allowed is None or pair[0] in allowed][: self.depth]


@dataclass(frozen=True, slots=True)
class Stage:
    """One way to rank. `title` and `about` are for the screen; `on` where it is used unless a person changes that;
    `builds` where it goes on from `Search.so_far`, `reads` where it ranks only the first of these; `weight` is the
    weight of its scores among all stages'. Stages of one `family` look at the same thing: they share its weight."""

    title: str
    about: str
    rank: Callable[[Search], Ranking]
    on: bool = True
    builds: bool = False
    reads: bool = False
    weight: float = 1.0
    family: str = ""


def by_words(search: Search) -> Ranking:
    """By the words that question and article share, rare ones counting more (BM25)."""
    limit = search.depth if search.allowed is None else search.depth * 10
    while True:
        found = search.library.by_words(search.question, limit)
        kept = search.kept(found)
        if search.allowed is None or len(kept) >= min(search.depth, len(search.allowed)) or len(found) < limit:
            return kept
        limit *= 10  # a filter that lets few through: the rest of what the words find may hold them


def by_vectors(search: Search) -> Ranking:
    """By the cosine of the question's vector with the vector of title and abstract."""
    return nearest(search, search.asked)


def like_the_first(search: Search) -> Ranking:
    """By the cosine with the question's vector, once it is moved towards the vectors of the first articles found.

    asked + TOWARDS * mean of the NEAREST first. Source: Rocchio 1971, without verdicts.
    """
    keys, vectors = search.vectors
    wanted = set(search.so_far[:NEAREST])
    first = [place for place, key in enumerate(keys) if key in wanted]
    moved = search.asked + (TOWARDS * vectors[first].mean(axis=0) if first else 0.0)
    return nearest(search, unit(moved))


def nearest(search: Search, vector: np.ndarray) -> Ranking:
    """The library's articles by the cosine of their vectors with a unit vector, float32[dimension]."""
    keys, vectors = search.vectors
    cosines = vectors @ vector.astype(np.float32)
    if search.allowed is None and len(keys) > search.depth:
        chosen = np.argpartition(-cosines, search.depth)[: search.depth]
        order = chosen[np.lexsort((chosen, -cosines[chosen]))]
    else:
        order = np.argsort(-cosines, kind="stable")
    return search.kept((keys[place], float(cosines[place])) for place in order.tolist())


def near_the_first(search: Search) -> Ranking:
    """The first candidates by the cosine with the mean of the MIDDLE first ones."""
    keys, vectors = search.vectors
    candidates = search.so_far[:CANDIDATES]
    wanted = set(candidates)
    places = {key: place for place, key in enumerate(keys) if key in wanted}
    known = [key for key in candidates if key in places]
    if not known:
        return []
    rows = vectors[[places[key] for key in known]]
    return best_first(known, rows @ rows[:MIDDLE].mean(axis=0))


def by_titles(search: Search) -> Ranking:
    """The TITLES first candidates by the cosine of the question's vector with the vector of their title.

    Only for a question in free words: facets name particulars that titles leave out.
    """
    if not search.question.words.strip() or search.question.facets:
        return []
    documents = search.library.documents(search.so_far[:TITLES])
    titled = [key for key, each in documents.items() if each.title.strip()]
    if not titled:
        return []
    titles = search.library.titles([documents[key].title for key in titled])
    return best_first(titled, titles @ search.asked)


def by_relevance(search: Search) -> Ranking:
    """The first candidates by the probability that they answer the question, as a trained model reads both."""
    return serving.rank_by_relevance(search.question, search.library, search.so_far[:CANDIDATES])


# In the order in which they run. What a stage ranks by may be what those before it found.
STAGES: dict[str, Stage] = {
    "words": Stage("Words", "words of the search and their synonyms", by_words),
    "vectors": Stage("Meaning", "texts that say the same in other words", by_vectors, weight=1.5, family="meaning"),
    "alike": Stage(
        "Like the best", "texts similar to the best so far", like_the_first, builds=True, weight=1.5, family="meaning"
    ),
    "near": Stage(
        "Close to the best", "of the best hundred, those closest to the best five", near_the_first, reads=True
    ),
    "titles": Stage("Titles", "of the best twenty, those whose title says what your words ask", by_titles, reads=True),
    "rel": Stage(
        "Reads both", "search and article, read together by a trained model", by_relevance, on=False, reads=True
    ),
}


def stages_named(names: Sequence[str] | None = None) -> dict[str, Stage]:
    """The named stages in the order in which they run; for None the default ones. Raises ValueError that lists all."""
    if names is None:
        return {name: stage for name, stage in STAGES.items() if stage.on}
    if unknown := set(names) - set(STAGES):
        raise ValueError(f"no stage {', '.join(sorted(unknown))}; there are {', '.join(STAGES)}")
    if not names:
        raise ValueError(f"no stage at all; there are {', '.join(STAGES)}")
    return {name: stage for name, stage in STAGES.items() if name in names}


def stages_in_use() -> list[str]:
    """The default stages, and rel where a version of it serves."""
    return [name for name, stage in STAGES.items() if stage.on or (name == Kind.REL and in_use(Kind.REL))]
