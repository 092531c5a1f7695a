"""Works to suggest from, held in memory, and the parts of which a ranking is made: meaning, words, who cites them."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from annotate.articles.sentences import sentence_texts
from annotate.finding.library import Document
from annotate.search.words import WordIndex, Words
from model.vectors import unit

# A text finds this many works by its words: what a suggestion further down would get by them is nothing.
WORDS_DEPTH = 2_000
# Weights of the parts, each a share of its best score (docs/measurements/related.md).
WEIGHTS: Mapping[str, float] = {
    "meaning": 1.0,
    "words": 0.4,
    "lists": 1.0,
    "cited": 1.0,
    "references": 0.5,
    "sentences": 0.75,
}
# A work loses so much of its score for each year before the text, at most YEARS of them.
A_YEAR = 0.003
YEARS = 25
# A work with an unknown reference list counts as works with lists do that stand as high by all else, at most as the
# best: e^(score / GUESS) times the share of the KNOWN highest of these. Else it would stand behind all of them.
GUESS = 0.25
KNOWN = 50
# A cited work counts e times less for each such share of the best score that it lies below it. Chosen on the
# validation part (docs/measurements/related.md).
NEAR = 0.1
# The first AGAIN works are ranked again by the sentences of their OPENING, some fifteen in an abstract: by the mean of
# the ALIKE highest cosines of a sentence of the text to any of the work's. Chosen on training articles
# (docs/measurements/related.md).
AGAIN = 100
OPENING = 15
ALIKE = 5
AT_ONCE = 4_096  # works that are compared with a reference list at once: of 85,000 and 1,000 it would be 340 MB


@dataclass(frozen=True, slots=True)
class Asked:
    """What related works are looked for: its words, its unit vector, and parts of a ranking that come from links.

    `vector`: float32[dimension], or None without an encoder. `parts`: scores by key, by part. `year`: works after it
    are left out unless `later`. `but`: keys that are left out. `lists`: how like it the reference lists of works are,
    by key, of all works whose lists are known. `cited`: `Pool.likeness` of its own list.
    """

    words: str
    vector: np.ndarray | None = None
    year: int | None = None
    parts: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    but: frozenset[str] = frozenset()
    later: bool = False
    lists: Mapping[str, float] = field(default_factory=dict)
    cited: np.ndarray | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """Places of works, best first, with their scores and, by part, the share of the part's best that each has."""

    places: np.ndarray
    scores: np.ndarray
    parts: Mapping[str, np.ndarray]


class Pool:
    """Works by place. `vectors`: float32[works, dimension], unit length, or None where meaning is not known."""

    def __init__(self, works: Sequence[Document], vectors: np.ndarray | None, index: WordIndex | None = None) -> None:
        self.works = works
        self.places = {work.key: place for place, work in enumerate(works)}
        self._vectors = None if vectors is None else np.ascontiguousarray(vectors, dtype=np.float32)
        self._years = np.array([work.year or 0 for work in works], dtype=np.int32)
        self._index = index or WordIndex()
        if index is None:
            self._index.add(Words(work.key, work.title, work.text) for work in works)

    def __len__(self) -> int:
        return len(self.works)

    @property
    def vectors(self) -> np.ndarray:
        """float32[works, dimension]. Raises ValueError where meaning is not known."""
        if self._vectors is None:
            raise ValueError("these works have no vectors")
        return self._vectors

    def with_vectors(self, vectors: np.ndarray) -> "Pool":
        """The pool of these works with other vectors."""
        return Pool(self.works, vectors, self._index)

    def likeness(self, keys: Iterable[str]) -> np.ndarray | None:
        """Of each work its highest cosine to one of these, float32[works]; None where none of these has a vector."""
        own = self.vectors[sorted(self.places[key] for key in keys if key in self.places)]
        own = own[own.any(axis=1)]
        if not len(own):
            return None
        begins = range(0, len(self.works), AT_ONCE)
        return np.concatenate([(self.vectors[at : at + AT_ONCE] @ own.T).max(axis=1) for at in begins])

    def by_words(self, text: str, limit: int) -> list[tuple[str, float]]:
        """(key, BM25 score), best first."""
        return self._index.search(text, limit)

    def rank(self, asked: Asked, weights: Mapping[str, float] = WEIGHTS, a_year: float = A_YEAR) -> Ranked:
        """All works of the pool that are let through, best first. Takes 85,000 works in less than a tenth of a second.

        score = sum over parts of weight * share of the part's best score - a_year * years before the question. A work
        that is left out, such as the article itself, is no best.
        """
        left_out = [self.places[key] for key in asked.but if key in self.places]
        parts = {name: _shares(score, left_out) for name, score in self._parts(asked, weights)}
        total = np.zeros(len(self.works), dtype=np.float32)
        for name, shares in parts.items():
            total += np.float32(weights.get(name, 0.0)) * shares
        if asked.year is not None and a_year:
            total -= np.float32(a_year) * np.where(self._years, np.clip(asked.year - self._years, 0, YEARS), 0)
        allowed = np.ones(len(self.works), dtype=bool)
        if asked.year is not None and not asked.later:
            allowed = self._years <= asked.year
        allowed[left_out] = False
        if asked.lists and weights.get("lists"):
            parts["lists"] = _shares(self._likeness(asked.lists, total, allowed), left_out)
            total += np.float32(weights["lists"]) * parts["lists"]
        places = np.flatnonzero(allowed)
        places = places[np.argsort(-total[places], kind="stable")]
        return Ranked(places, total[places], parts)

    def _parts(self, asked: Asked, weights: Mapping[str, float]) -> list[tuple[str, np.ndarray]]:
        found: list[tuple[str, np.ndarray]] = []
        if asked.vector is not None and self._vectors is not None and weights.get("meaning"):
            found.append(("meaning", self._vectors @ asked.vector.astype(np.float32)))
        if asked.cited is not None and weights.get("cited"):
            found.append(("cited", asked.cited))
        if weights.get("words"):
            found.append(("words", self._of_keys(dict(self.by_words(asked.words, WORDS_DEPTH)))))
        found += [(name, self._of_keys(scores)) for name, scores in asked.parts.items() if scores]
        return found

    def _likeness(self, lists: Mapping[str, float], total: np.ndarray, allowed: np.ndarray) -> np.ndarray:
        """The likeness of the reference lists, guessed by the other scores where they are not known: float64[works]."""
        known = np.zeros(len(self.works), dtype=bool)
        known[[self.places[key] for key in lists if key in self.places]] = True
        known &= allowed
        found = np.where(known, self._of_keys(lists), 0.0)
        guessed = np.exp((total - total.max(initial=0.0)) / GUESS)
        highest = np.flatnonzero(known)[np.argsort(-total[known], kind="stable")[:KNOWN]]
        if len(highest):
            guessed *= found[highest].sum() / guessed[highest].sum()
            found[~known] = np.minimum(guessed[~known], found[known].max())
        found[~allowed] = 0.0
        return found

    def _of_keys(self, scores: Mapping[str, float]) -> np.ndarray:
        found = np.zeros(len(self.works), dtype=np.float32)
        for key, score in scores.items():
            if key in self.places:
                found[self.places[key]] = score
        return found


def _shares(scores: np.ndarray, left_out: Sequence[int]) -> np.ndarray:
    found: np.ndarray = np.maximum(scores, 0.0)
    found[left_out] = 0.0
    best = float(found.max(initial=0.0))
    return found / np.float32(best) if best > 0 else found


def ranked_again(ranked: Ranked, own: np.ndarray, sentences: Mapping[int, np.ndarray], weight: float) -> Ranked:
    """The first AGAIN works in the order of their score + weight * how alike their sentences are, a share of the best.

    own: float32[n, dimension], of the text's sentences; sentences: of works by place, float32[m, dimension] each: of a
    work with no more than a title its vector. A work without any counts as the mean of the others.
    """
    first = ranked.places[:AGAIN].tolist()
    alike = {place: _alike(own, sentences[place]) for place in first if len(own) and len(sentences.get(place, ()))}
    best = max(alike.values(), default=0.0)
    if best <= 0:
        return ranked
    mean = sum(alike.values()) / len(alike)
    scores = ranked.scores.copy()
    scores[: len(first)] += np.array([weight * alike.get(place, mean) / best for place in first], dtype=np.float32)
    order = np.concatenate([np.argsort(-scores[: len(first)], kind="stable"), np.arange(len(first), len(scores))])
    return Ranked(ranked.places[order], scores[order], ranked.parts)


def _alike(own: np.ndarray, other: np.ndarray) -> float:
    nearest = (own[:OPENING] @ other[:OPENING].T).max(axis=1)
    return max(0.0, float(np.sort(nearest)[-min(ALIKE, len(other)) :].mean()))


class ReferenceLists:
    """Reference lists by the key of the work that cites; only the works of one pool count. Such a list tells what the
    work is related to: it holds works that are near to the question."""

    def __init__(self, lists: Mapping[str, Iterable[str]], places: Mapping[str, int]) -> None:
        """`places`: of the pool's works by key."""
        found = {key: [places[work] for work in cited if work in places] for key, cited in lists.items()}
        self.keys = tuple(key for key, cited in found.items() if cited)
        self._works = len(places)
        self._owners = np.repeat(np.arange(len(self.keys)), [len(found[key]) for key in self.keys])
        self._cited = np.array([place for key in self.keys for place in found[key]], dtype=np.int64)

    def likeness(self, near: Ranked, but: str = "") -> dict[str, float]:
        """By key, of all but one: the sum of e^((score / best score - 1) / NEAR) over the works of its list.

        Were these weights the chances that a text cites a work, it would be the number of references that both share,
        on average. `near`: the pool's works, ranked for the text; one that is left out there counts nothing.
        """
        if not self.keys or not len(near.places) or near.scores[0] <= 0:
            return {}
        weights = np.zeros(self._works)
        weights[near.places] = np.exp((near.scores / near.scores[0] - 1) / NEAR)
        sums = np.bincount(self._owners, weights[self._cited], minlength=len(self.keys))
        return {key: value for key, value in zip(self.keys, sums.tolist(), strict=True) if key != but}


def pooled(vectors: np.ndarray) -> np.ndarray:
    """The unit vector of a text from its passages' vectors, float32[passages, dimension]: their mean."""
    return unit(vectors.mean(axis=0)).astype(np.float32, copy=False)


def sentences_by_line(text: str) -> list[str]:
    """The sentences of a text whose lines are paragraphs."""
    return [sentence for line in text.splitlines() for sentence in sentence_texts(line)]


PASSAGE = 900  # characters: some 200 tokens, which encoders read whole


def passages(title: str, sentences: Sequence[str]) -> list[str]:
    """A text cut between sentences so that an encoder reads every word of it; a long sentence is cut between words."""
    found = [title] if title else []
    for sentence in sentences:
        for piece in textwrap.wrap(" ".join(sentence.split()), PASSAGE, break_on_hyphens=False):
            if found and len(found[-1]) + len(piece) < PASSAGE:
                found[-1] = f"{found[-1]} {piece}"
            else:
                found.append(piece)
    return found
