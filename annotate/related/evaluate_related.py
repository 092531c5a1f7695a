"""Suggestions measured on reference lists: does what an article cites stand first, when its title and abstract ask?"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from annotate.finding.library import Document
from annotate.related.judged import Citing, Context, LearntFrom
from annotate.related.maps import LearntMap
from annotate.related.pool import (
    A_YEAR,
    AGAIN,
    WEIGHTS,
    Asked,
    Pool,
    Ranked,
    ReferenceLists,
    pooled,
    ranked_again,
    sentences_by_line,
)
from model.evaluation.intervals import Estimate
from model.evaluation.retrieval_scores import measured
from model.evaluation.sums import difference

Progress = Callable[[str, int, int], None]
Encode = Callable[[Sequence[str]], np.ndarray]
# A citing sentence says what the cited work is about, its article what both are about. The query's vector is the
# sentence's, moved by this share towards the article's. Chosen on the validation part, as are the other weights.
TOWARDS_ARTICLE = 0.8
CONTEXT_WEIGHTS: Mapping[str, float] = {"meaning": 1.0, "words": 0.4}
PAIR_WEIGHTS: Mapping[str, float] = {"meaning": 1.0, "words": 1.0, "lists": 2.0, "sentences": 1.0}
SHOWN = ("q", "recall_at_10", "recall_at_50", "precision_at_10", "mrr", "ndcg_at_10")
# Measures by which a map is compared with another one.
COMPARED = ("q", "recall_at_10", "recall_at_50", "precision_at_10")
# The rank of a work that is no candidate.
NOT_FOUND = 10**12


@dataclass(frozen=True, slots=True)
class Measured:
    """How to rank: weights of the parts, and what a year costs."""

    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)
    context_weights: Mapping[str, float] = field(default_factory=lambda: CONTEXT_WEIGHTS)
    pair_weights: Mapping[str, float] = field(default_factory=lambda: PAIR_WEIGHTS)
    a_year: float = A_YEAR
    towards_article: float = TOWARDS_ARTICLE


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A collection to measure on. `vectors` of the documents by id; `encode` makes vectors of sentences; `known`: whose
    reference lists are told; `sources` tell what the encoder of both was learnt from."""

    pool: Pool
    documents: Mapping[str, Document]
    vectors: Mapping[str, np.ndarray]
    encode: Encode
    known: Sequence[Citing] = ()
    learnt: LearntMap | None = None
    sources: Sequence[LearntFrom] = ()

    def asked(self, article: Citing) -> Asked:
        """What an article asks by its title and abstract. Raises ValueError where they are not there."""
        document = self.document(article.id)
        return Asked(document.whole, self.vectors[article.id], article.year)

    def asked_by(self, contexts: Sequence[Context], years: Mapping[str, int | None], towards: float) -> Iterator[Asked]:
        """What citing sentences ask, with their article behind them."""
        vectors = self.encode([each.sentence for each in contexts])
        for context, vector in zip(contexts, vectors, strict=True):
            self.document(context.article)
            moved = pooled(np.stack([vector, towards * self.vectors[context.article]]))
            yield Asked(context.sentence, moved, years.get(context.article))

    def lists(self, citing: Sequence[Citing]) -> dict[str, frozenset[str]]:
        """The reference lists that are told, by the id of their article. Who is asked about must leave its own out."""
        return {each.id: each.cites for each in [*self.known, *citing]}

    def refuse_known(self, citing: Sequence[Citing], others: Iterable[str] = ()) -> None:
        """Raises ValueError where an article to measure on has a known reference list, or taught the encoder or the map
        of its vectors. `others`: ids of articles of which sentences or pairs alone are measured."""
        named = {each.id for each in citing}
        asking = [*citing, *(Citing(each, None, frozenset()) for each in sorted({*others} - named))]
        for source in (*self.sources, *([self.learnt.source] if self.learnt else [])):
            refuse_learnt(asking, source)
        if both := named.intersection(each.id for each in self.known):
            raise ValueError(f"{len(both):,} articles to measure on, such as {min(both)}, are among the known ones")

    def sentences(self, keys: Sequence[str]) -> dict[str, np.ndarray]:
        """By id of a document the vectors of its sentences, float32[sentences, dimension]."""
        texts = {key: sentences_by_line(self.document(key).text) for key in dict.fromkeys(keys)}
        vectors = self.encode([text for own in texts.values() for text in own])
        ends = np.cumsum([len(own) for own in texts.values()])
        return dict(zip(texts, np.split(vectors, ends[:-1]), strict=True))

    def document(self, key: str) -> Document:
        """The document with this id. Raises ValueError where it is not there."""
        if key not in self.documents:
            raise ValueError(f"article {key} is not among the documents")
        return self.documents[key]


def refuse_learnt(articles: Iterable[Citing], source: LearntFrom) -> None:
    """Raises ValueError where articles to measure on are among those that something was learnt from."""
    if seen := source.among(articles):
        raise ValueError(
            f"{len(seen):,} articles to measure on, such as {min(seen)}, are among those that {source.name} was learnt "
            f"from; {source.remedy}"
        )


def evaluate(
    judged: Judged,
    citing: Sequence[Citing],
    contexts: Sequence[Context] = (),
    related: Mapping[str, Mapping[str, int]] | None = None,
    how: Measured | None = None,
    *,
    progress: Progress = lambda stage, done, total: None,
) -> dict[str, Any]:
    """Measures by article, then the means of these: q, recall_at_10, recall_at_50, precision_at_10, mrr, hit_at_10,
    ndcg_at_10.

    `contexts` and `related` add the measures of citing sentences and of related pairs. Candidates are the works of the
    pool that are not later than the article. Cited works that are not among them count as not found; q leaves it out.
    Raises ValueError where `related` has pairs but none with a grade above 0.
    """
    how = how or Measured()
    if related and not any(grade > 0 for grades in related.values() for grade in grades.values()):
        raise ValueError("no pair is related (grade above 0)")
    judged.refuse_known(citing, [*(each.article for each in contexts), *(related or {})])
    rows, seconds, busy = _of_articles(judged, asking_of(judged, citing, how), how, progress)
    result: dict[str, Any] = {"n": len(rows), "works": len(judged.pool), **_means(rows)}
    result["map"] = judged.learnt.name if judged.learnt else None
    result |= {"seconds_median": float(np.median(seconds)), "seconds_worst": float(np.max(seconds))}
    result["processor_seconds_median"] = float(np.median(busy))
    if contexts:
        result["contexts"] = _of_contexts(judged, citing, contexts, how, progress)
    if related:
        result["related"] = _of_pairs(judged, citing, related, how)
    return result


Rows = Sequence[Mapping[str, float]]
# The question, the vectors of its sentences, if they have a say, and the works that are cited.
Asking = Sequence[tuple[Asked, np.ndarray | None, frozenset[str]]]


def rows_of(judged: Judged, citing: Sequence[Citing], progress: Progress) -> Rows:
    """The measures of each article, in their order. Raises ValueError for articles that the map was learnt from."""
    judged.refuse_known(citing)
    how = Measured()
    return _of_articles(judged, asking_of(judged, citing, how), how, progress)[0]


def means_of(rows: Rows) -> dict[str, float]:
    """The means of SHOWN."""
    found = _means(rows)
    return {name: found[name] for name in SHOWN}


def differences(base: Rows, rows: Rows) -> dict[str, Estimate]:
    """By measure: how much more `rows` reach than `base` on the same articles; 95% intervals, both drawn together."""
    found = {}
    for name in COMPARED:
        pairs = [(own[name], old[name]) for own, old in zip(rows, base, strict=True) if name in own and name in old]
        sums = [np.column_stack([each, np.ones(len(pairs))]) for each in zip(*pairs, strict=True)]
        found[name] = difference("arp", *sums)
    return found


def popularity(judged: Judged, citing: Sequence[Citing]) -> dict[str, float]:
    """The measures, as `evaluate`'s, of ranking by how often known articles cite a work, for any question."""
    judged.refuse_known(citing)
    cited = Counter(key for each in judged.known for key in each.cites)
    often = {"references": {key: float(times) for key, times in cited.items()}}
    asking = [(Asked("", None, article.year, often), None, article.cites) for article in citing]
    return _means(_ranked(judged, asking, {"references": 1.0}, 0.0)[0])


def asking_of(judged: Judged, citing: Sequence[Citing], how: Measured) -> Asking:
    """What each article asks by its title and abstract, and cites."""
    own = judged.sentences([article.id for article in citing]) if how.weights.get("sentences") else {}
    return [(judged.asked(article), own.get(article.id), article.cites) for article in citing]


def _of_articles(
    judged: Judged, asking: Asking, how: Measured, progress: Progress
) -> tuple[list[dict[str, float]], list[float], list[float]]:
    """As `_ranked`. Raises ValueError where no article cites any of the works."""
    found = _ranked(judged, asking, how.weights, how.a_year, partial(progress, "ranking works"))
    if not found[0]:
        raise ValueError("no article cites any of the works")
    return found


def _ranked(
    judged: Judged,
    asking: Asking,
    weights: Mapping[str, float],
    a_year: float,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[list[dict[str, float]], list[float], list[float]]:
    """(the measures of each article that cites another one here; the seconds of each by the clock; the seconds of
    processors)."""
    rows, seconds, busy = [], [], []
    for done, (asked, own, cites) in enumerate(asking):
        report(done, len(asking))
        started, worked = time.perf_counter(), time.process_time()
        ranked = judged.pool.rank(asked, weights, a_year)
        if own is not None:
            titles = {place: judged.pool.vectors[place][None] for place in ranked.places[:AGAIN].tolist()}
            ranked = ranked_again(ranked, own, titles, weights["sentences"])
        seconds.append(time.perf_counter() - started)
        busy.append(time.process_time() - worked)
        if row := _measures(judged.pool, ranked.places, cites):
            rows.append(row)
    return rows, seconds, busy


def _of_contexts(
    judged: Judged, citing: Sequence[Citing], contexts: Sequence[Context], how: Measured, progress: Progress
) -> dict[str, Any]:
    asked = judged.asked_by(contexts, {each.id: each.year for each in citing}, how.towards_article)
    asking = [(one, None, context.cites) for one, context in zip(asked, contexts, strict=True)]
    report = partial(progress, "ranking works for sentences")
    rows, *_ = _ranked(judged, asking, how.context_weights, how.a_year, report)
    return {"n": len(rows), **_means(rows)}


def _of_pairs(
    judged: Judged, citing: Sequence[Citing], related: Mapping[str, Mapping[str, int]], how: Measured
) -> dict[str, Any]:
    """Documents ranked for an article: those not later than the last year of the articles measured, without itself.

    An article asks by its title and abstract; of the others their known reference lists count, too. `texts_alone`:
    without these.
    """
    last = max((each.year for each in citing if each.year), default=None)
    known = [each for each in judged.documents.values() if last is None or each.year is None or each.year <= last]
    if not known:
        raise ValueError(f"all documents are later than {last}: there is nothing to rank")
    pool = Pool(known, np.stack([judged.vectors[each.key] for each in known]))
    lists = judged.lists(citing) if how.pair_weights.get("lists") else {}
    held = ReferenceLists({key: cites for key, cites in lists.items() if key in pool.places}, judged.pool.places)
    asking = {key: grades for key, grades in related.items() if any(grade > 0 for grade in grades.values())}
    ranked: dict[str, list[Ranked]] = {}
    for key in asking:
        asked = Asked(judged.document(key).whole, judged.vectors[key], but=frozenset({key}))
        ranked[key] = [pool.rank(asked, how.pair_weights, 0.0)]
        if held.keys:
            near = judged.pool.rank(replace(asked, year=judged.document(key).year), how.weights, how.a_year)
            ranked[key].append(pool.rank(replace(asked, lists=held.likeness(near, key)), how.pair_weights, 0.0))
    if weight := how.pair_weights.get("sentences"):
        first = {place for own in ranked.values() for one in own for place in one.places[:AGAIN].tolist()}
        sentences = judged.sentences(sorted({*asking, *(pool.works[place].key for place in first)}))
        of_works = {place: sentences[pool.works[place].key] for place in first}
        ranked = {
            key: [ranked_again(one, sentences[key], of_works, weight) for one in own] for key, own in ranked.items()
        }
    measures = {key: [_of_pair(pool, one, asking[key]) for one in own] for key, own in ranked.items()}
    by_texts = [own[0] for own in measures.values()]
    with_lists = [own[1] for own in measures.values() if held.keys]
    result = {"n": len(by_texts), "pool": len(known), "lists": len(held.keys), **_means(with_lists or by_texts)}
    return result | ({"texts_alone": _means(by_texts)} if with_lists else {})


def _of_pair(pool: Pool, ranked: Ranked, grades: Mapping[str, int]) -> dict[str, float]:
    found = [pool.works[place].key for place in ranked.places[:10].tolist()]
    relevant = {each for each, grade in grades.items() if grade > 0}
    return {
        "ndcg_at_10": measured(found, grades)["ndcg_at_10"],
        "recall_at_10": len(relevant & {*found}) / len(relevant),
    }


def _measures(pool: Pool, ranked: np.ndarray, cites: frozenset[str]) -> dict[str, float]:
    """The measures of one ranking, int[candidates] places best first; {} where nothing cited is in the pool."""
    wanted = np.array([pool.places[key] for key in cites if key in pool.places], dtype=np.int64)
    if not len(wanted):
        return {}
    rank_of = np.full(len(pool), NOT_FOUND, dtype=np.int64)
    rank_of[ranked] = np.arange(len(ranked))
    ranks = np.sort(rank_of[wanted])
    candidates = ranks[ranks < NOT_FOUND]
    first = [1.0 / np.log2(rank + 2) for rank in range(min(10, len(wanted)))]
    q = {"q": float(np.mean(1 - candidates / len(ranked)))} if len(candidates) else {}
    return q | {
        "recall_at_10": float(np.mean(ranks < 10)),
        "recall_at_50": float(np.mean(ranks < 50)),
        "precision_at_10": float(np.sum(ranks < 10) / 10),
        "mrr": float(1 / (1 + ranks[0])) if ranks[0] < NOT_FOUND else 0.0,
        "hit_at_10": float(ranks[0] < 10),
        "ndcg_at_10": float(np.sum(1 / np.log2(ranks[ranks < 10] + 2)) / np.sum(first)),
    }


def _means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: float(np.mean([row[name] for row in rows if name in row])) for name in names}
