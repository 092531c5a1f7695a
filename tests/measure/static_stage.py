"""Prints whether the first five proposals stay where the encoder sees the best by something cheap.

KEYLINE_HOME=FOLDER python -m tests.measure.static_stage [--labelled FILE.jsonl.gz] [--cache FOLDER]

FOLDER holds articles that the encoder has embedded: `keyline import ARTICLES --propose`. Labelled JSON lines have the
prompts of Evidence Inference; they are ranked by the topic of trials, with the names of their prompts and without.
Token vectors are distilled from the encoder by model2vec. The sentences that the encoder does not see get the cosine
that a line through the seen ones makes of their static cosine. Nothing else needs model2vec; to add it:
pip install --no-deps model2vec==0.10.0 skeletoken==0.6.1
"""

import argparse
import gzip
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from annotate.project.home import read
from annotate.proposing.encoder_versions import proposing_version
from annotate.proposing.propose import article_batches, pools_of
from annotate.registry.versions import verified_folder
from annotate.topics.file import shipped
from model.active_learning.common import with_common
from model.evaluation.metrics import r_precision
from model.proposing.query import nearest_query, queries_for
from model.proposing.ranking import Pool, by_cosine, by_hybrid, parts_of, standardised, terms_speak, top_k
from model.proposing.terms import DocumentTerms
from model.vectors import unit
from tests.measure.learned import encoded
from tests.measure.topics import sections_of, terms_of

FIVE = 5
KEPT = (40, 60, 80, 100)
LOWEST, HIGHEST = -2.0, 3.0  # of a standardised cosine
BY_LOT = (10, 20, 40, 80)
TIMED = 3_000  # sentences


@dataclass(frozen=True, eq=False)
class Article:
    """Of n sentences the cosines by the encoder and by token vectors, and the hybrid without any, each of shape (n,).

    speak: whether the hybrid takes more than the cosine into account; weight: of the cosine; truth: labels, or None.
    """

    texts: Sequence[str]
    cosines: np.ndarray
    static: np.ndarray
    terms: np.ndarray
    speak: bool
    weight: float
    truth: np.ndarray | None = None

    def hybrid(self, cosines: np.ndarray) -> np.ndarray:
        """The scores by these cosines, as `by_hybrid` has them."""
        points = standardised(cosines)
        return self.terms + self.weight * points if self.speak else points

    def staged(self, cheap: np.ndarray, kept: int) -> np.ndarray:
        """The scores where the encoder sees the `kept` best by a cheap score."""
        seen = top_k(cheap, kept)
        known, guesses = self.cosines[seen], self.static[seen]
        slope = np.cov(guesses, known)[0, 1] / guesses.var(ddof=1) if len(seen) > 1 and np.ptp(guesses) > 0 else 0.0
        cosines = known.mean() + slope * (self.static - guesses.mean())
        cosines[seen] = known
        return self.hybrid(cosines)

    @property
    def possible(self) -> np.ndarray:
        """Which sentences could be among the first five, whatever the encoder says of each, shape (n,)."""
        if not self.speak:
            return np.full(len(self.texts), True)
        fifth = np.sort(self.terms)[-min(FIVE, len(self.terms))]
        return self.terms >= fifth - (HIGHEST - LOWEST) * self.weight

    def by_lot(self, number: int) -> tuple[np.ndarray, float]:
        """The scores where the encoder sees these and some drawn by lot, which tell the mean and the spread of the
        cosine; and the share that it sees."""
        drawn = np.random.default_rng(0).permutation(len(self.texts))[:number]
        seen = self.possible
        seen[drawn] = True
        known = self.cosines[drawn if self.speak else seen]
        points = np.clip((self.cosines - known.mean()) / max(known.std(), 1e-9), LOWEST, HIGHEST)
        scores = self.terms + self.weight * points if self.speak else points
        return np.where(seen, scores, -np.inf), float(seen.mean())


CHEAP: dict[str, Callable[[Article], np.ndarray]] = {
    "static cosine": lambda article: article.static,
    "all but the encoder": lambda article: article.hybrid(np.zeros(len(article.texts))),
    "both": lambda article: article.hybrid(article.static),
}


def distilled(folder: Path) -> Any:
    """Token vectors of an encoder, by the library's own settings."""
    from model2vec.distill import distill_from_model
    from transformers import AutoModel, AutoTokenizer

    return distill_from_model(AutoModel.from_pretrained(folder), AutoTokenizer.from_pretrained(folder), device="cpu")


def article_of(tokens: Any, pool: Pool, queries: Sequence[str], truth: np.ndarray | None = None) -> Article:
    """An article with all that is compared."""
    static = nearest_query(*(unit(tokens.encode(list(texts))) for texts in (pool.sentences, queries)))[1]
    bare = Pool(**{**vars(pool), "cosines": None})
    speak = terms_speak(pool, parts_of(pool))
    return Article(pool.sentences, by_cosine(pool), static, by_hybrid(bare), speak, pool.cosine_weight, truth)


def stored(tokens: Any) -> list[Article]:
    """The articles of the project, as its topic ranks them."""
    found = []
    for batch in article_batches(None, 50):
        with read() as session:
            pools = pools_of(session, proposing_version(), batch).values()
        found += [article_of(tokens, each.pool, each.queries) for each in pools if each.sentences]
    return found


def labelled(tokens: Any, path: Path, cache: Path | None, *, named: bool) -> list[Article]:
    """The articles with key sentences of a labelled file, with the names of their prompts or none."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    vectors = encoded([text for row in rows for text in row["sentences"]], cache and cache / "topics.npy")
    parts = np.split(vectors, np.cumsum([len(row["sentences"]) for row in rows])[:-1])
    rules, found = shipped("clinical_trial_findings").rules, []
    weight = rules.cosine.named if named else rules.cosine.generic
    for row, own in zip(rows, parts, strict=True):
        truth = (np.array(row["labels"]) == 1).astype(int)
        if truth.any():
            terms = terms_of(row["prompts"]) if named else DocumentTerms()
            queries = queries_for(rules, terms)
            cosines = nearest_query(own, encoded(list(queries)))[1]
            sections = sections_of(row["sentences"])
            pool = Pool(row["sentences"], cosines, terms, sections, cosine_weight=weight, rules=rules)
            found.append(article_of(tokens, with_common(pool), queries, truth))
    return found


def show(name: str, articles: Sequence[Article]) -> None:
    """Prints a table: in what share of the articles the five stay, as a set and in order, and the ARP."""
    sizes = np.array([len(article.texts) for article in articles])
    full = [article.hybrid(article.cosines) for article in articles]
    possible = np.array([article.possible.sum() for article in articles])
    print(f"\n{name}: {len(articles)} articles, {sizes.sum():,} sentences, ARP {_arp(articles, full)}")
    print(f"could be among the five: {possible.sum() / sizes.sum():.3f} of the sentences, at most {possible.max()}")
    print("| first by | kept | share encoded | same five | same order | ARP |\n|---|--:|--:|--:|--:|--:|")
    for label, cheap in CHEAP.items():
        for kept in KEPT:
            scores = [article.staged(cheap(article), kept) for article in articles]
            share = np.minimum(sizes, kept).sum() / sizes.sum()
            print(f"| {label} | {kept} | {share:.2f} | {_kept(full, scores)} | {_arp(articles, scores)} |")
    for number in BY_LOT:
        scores, shares = zip(*(article.by_lot(number) for article in articles), strict=True)
        share = (np.array(shares) * sizes).sum() / sizes.sum()
        kept = f"possible, and {number} by lot"
        print(f"| rules | {kept} | {share:.2f} | {_kept(full, scores)} | {_arp(articles, scores)} |")


def _kept(full: Sequence[np.ndarray], scores: Sequence[np.ndarray]) -> str:
    pairs = [(top_k(one, FIVE), top_k(other, FIVE)) for one, other in zip(full, scores, strict=True)]
    return " | ".join(f"{np.mean([how(one) == how(other) for one, other in pairs]):.3f}" for how in (set, list))


def _arp(articles: Sequence[Article], scores: Sequence[np.ndarray]) -> str:
    pairs = zip(articles, scores, strict=True)
    found = [r_precision(article.truth, own) or 0.0 for article, own in pairs if article.truth is not None]
    return f"{np.mean(found):.3f}" if found else "unknown"


def main() -> None:
    """Distils, ranks both ways, prints the tables and what a second of one thread embeds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labelled", type=Path)
    parser.add_argument("--cache", type=Path, help="keeps what is encoded of the labelled file")
    given = parser.parse_args()
    tokens = distilled(verified_folder(proposing_version()))
    articles = stored(tokens)
    show("the project", articles)
    for named in (True, False) if given.labelled else ():
        name = "labelled, named" if named else "labelled, without names"
        show(name, labelled(tokens, given.labelled, given.cache, named=named))
    texts = [text for article in articles for text in article.texts]
    drawn = [texts[place] for place in np.random.default_rng(0).permutation(len(texts))[:TIMED]]
    for name, embed, some in (("encoder", encoded, drawn), ("token vectors", tokens.encode, texts)):
        began = time.perf_counter()
        embed(some)
        print(f"{name}: {len(some) / (time.perf_counter() - began):,.0f} sentences a second")


if __name__ == "__main__":
    main()
