"""Reviews screened again: records shown in the order that what was included so far gives, until all have been."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from annotate.finding.library import Library, vectors_of
from annotate.finding.question import Question
from model.evaluation.retrieval_scores import Grades, screened
from model.finding.feedback import Pool, pool_of, scores

# What WSS@95 and the recall after half of the records need.
SHARE_FOUND, SHARE_SHOWN = 0.95, 0.5
# Of a screening that are told; lower is better for the loss and the ATD.
MEASURES = ("wss_at_95", "recall_at_10_percent", "recall_at_20_percent", "recall_at_50_percent", "loss", "atd", "ndcg")
Progress = Callable[[str, int, int], None]


def screen_reviews(
    library: Library,
    questions: Mapping[str, Question],
    judgements: Mapping[str, Grades],
    *,
    batch: float = 10,
    seeds: int = 2,
    included: int = 2,
    progress: Progress = lambda stage, done, total: None,
) -> dict[str, Any]:
    """The measures of screening every review that has judgements, each the mean over the seeds, and their means.

    Each begins with one included and one excluded record by lot. It learns again after every `batch` records, or after
    that share of the review where `batch` is below 1. Reviews with fewer than two included records or no excluded one
    are left out: nothing would be left to find. Once a record was shown its grade is known: one above 0 that is not
    included looked promising when its abstract was read.
    """
    if batch <= 0 or seeds < 1:
        raise ValueError(f"a batch of {batch} and {seeds} seeds; both must be above 0")
    reviews: dict[str, dict[str, float]] = {}
    left_out = []
    for done, (name, grades) in enumerate(judgements.items()):
        progress("screening", done, len(judgements))
        documents = library.documents(list(grades))
        labels = np.array([grades[key] >= included for key in documents])
        if labels.sum() < 2 or labels.all():
            left_out.append(name)
            continue
        promising = np.array([grades[key] > 0 for key in documents])
        pool = review_pool(library, list(documents), questions.get(name))
        runs = [screened(labels[screening(pool, labels, batch, seed, promising)].tolist()) for seed in range(seeds)]
        means = {measure: float(np.mean([run[measure] for run in runs])) for measure in MEASURES}
        reviews[name] = {"records": len(labels), "included": int(labels.sum()), **means}
    if not reviews:
        raise ValueError("no review has two included records and an excluded one among the documents")
    means = {f"mean_{name}": float(np.mean([each[name] for each in reviews.values()])) for name in MEASURES}
    return {"n": len(reviews), **means, "reviews": reviews, "left_out": left_out}


def review_pool(library: Library, keys: Sequence[str], question: Question | None) -> Pool:
    """The records of a review as feedback takes them; what was known before is how near each is to the question."""
    documents = library.documents(keys)
    vectors = vectors_of(library, keys)
    prior = vectors @ library.encode(question.asked) if question is not None else None
    return pool_of([(documents[key].title, documents[key].text) for key in keys], vectors, prior, by_design=True)


def screening(
    pool: Pool,
    labels: np.ndarray,
    batch: float,
    seed: int,
    promising: np.ndarray | None = None,
    learn: Callable[..., np.ndarray] | None = None,
) -> list[int]:
    """The places of all records, in the order in which they are shown. labels, promising: bool[n].

    learn: takes and gives what `model.finding.feedback.scores` does, which is taken by default.
    Once 95% of the included and half of all were shown, the rest keep the order of that moment: only the last 5% of
    the included can come otherwise.
    """
    generator = np.random.default_rng(seed)
    shown = [int(generator.choice(np.flatnonzero(labels == kind))) for kind in (True, False)]
    size = math.ceil(batch * len(labels)) if batch < 1 else int(batch)
    while len(shown) < len(labels):
        kept = None if promising is None else promising[shown].tolist()
        found = (learn or scores)(pool, shown, labels[shown].tolist(), kept)
        waiting = np.setdiff1d(np.arange(len(labels)), shown)
        best = waiting[np.argsort(-found[waiting], kind="stable")]
        enough = labels[shown].sum() >= SHARE_FOUND * labels.sum() and len(shown) >= SHARE_SHOWN * len(labels)
        shown += best[: len(best) if enough else size].tolist()
    return shown
