"""Probes of what an encoder takes for the same: sentences without stop words, and as other parts rewrite them.

Each gives the cosine with the sentence as it was.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

import db.articles
from annotate.encoders.scoring import Encodes
from annotate.project.home import read

PAIRS = 200  # of each probe
ARTICLES, MOST = 60, 600  # of the project, and sentences of these, on which encoders are timed and probed

Pair = tuple[str, str]
# By the name of a probe: sentences, in their order, as they are rewritten.
Rewritings = Mapping[str, Callable[[Sequence[str]], Iterable[str]]]


def probe(vectors: Encodes, sentences: Sequence[str], rewritings: Rewritings) -> dict[str, dict[str, Any]]:
    """Of each probe: pairs (how many), mean and worst cosine, and the worst pair; only `pairs` where there are none."""
    found = {}
    for name, pairs in pairs_of(sentences, rewritings).items():
        found[name] = _separations(vectors, pairs) if pairs else {"pairs": 0}
    return found


def _separations(vectors: Encodes, pairs: Sequence[Pair]) -> dict[str, Any]:
    one, other = (vectors.of([pair[side] for pair in pairs]) for side in (0, 1))
    cosines = (one * other).sum(axis=1)
    worst = int(cosines.argmin())
    return {
        "pairs": len(pairs),
        "mean": round(float(np.mean(cosines)), 4),
        "worst": round(float(cosines[worst]), 4),
        "worst_pair": list(pairs[worst]),
    }


def pairs_of(sentences: Sequence[str], rewritings: Rewritings) -> dict[str, list[Pair]]:
    """Sentences with what the probes make of them, at most PAIRS each, none that stays as it was."""
    all_of_them: Rewritings = {"stop_words": lambda texts: map(without_stop_words, texts), **rewritings}
    if not sentences:  # the names of genes take a while to read
        return {name: [] for name in all_of_them}
    found = {}
    for name, rewrite in all_of_them.items():
        pairs = zip(sentences, rewrite(sentences), strict=True)
        found[name] = list(islice((pair for pair in pairs if pair[1] and pair[0] != pair[1]), PAIRS))
    return found


def without_stop_words(text: str) -> str:
    """A text without the words that scikit-learn calls English stop words."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # noqa: PLC0415 (scikit-learn takes a second)

    return " ".join(word for word in text.split() if word.strip(".,;:()").lower() not in ENGLISH_STOP_WORDS)


def project_sentences() -> list[str]:
    """Sentences of the first articles with text, in reading order, no sentence twice; none in an empty project."""
    with read() as session:
        article_ids = sorted(db.articles.keys_and_splits(session))[:ARTICLES]
        found = [sentence.text for sentence in db.articles.sentences(session, article_ids)]
    # Neither headings nor tables that lost their lines.
    return [text for text in dict.fromkeys(found) if 40 <= len(text) <= 400][:MOST]
