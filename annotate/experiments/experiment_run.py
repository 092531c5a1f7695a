"""One run of an experiment: an encoder is fine-tuned and ranks the test articles. Imports torch."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from annotate.active_learning.article_rankers import MIN_ARTICLES
from annotate.experiments.corpora import Corpus
from annotate.experiments.experiment_spec import PlannedRun
from annotate.proposing.encoders import load_source
from model.active_learning.features import features_of, prior_of
from model.active_learning.learned import fit_ranker
from model.active_learning.taught import Taught
from model.encoder import encode
from model.evaluation.summary import counts_of, metrics_of, values_of
from model.labelled import LabelledArticle
from model.proposing.ranking import Pool, Ranking
from model.proposing.rules import Rules
from model.training.curve import Checkpoint, Step, stored_curve
from model.training.fine_tuning import fine_tune
from model.training.prepare import prepare
from model.training.validation import cosines_of, embeddings_of, mean_key_embedding

# Called as the work goes on, in training with the step; may raise to stop.
Report = Callable[[Step | None], None]
MEAN_KEY = "mean_key_"
LEARNED = "learned_"
# Rankings, besides the cosine, that need nothing fitted.
FIXED = (Ranking.TERMS, Ranking.HYBRID)
CURVE_STEPS = 200


def devices(asked: Sequence[str] = (), processes: int = 1) -> list[str]:
    """One device for each process: those asked for, or all that CUDA has, or the CPU, each `processes` times.

    Raises ValueError for a device that this machine lacks.
    """
    there = [f"cuda:{number}" for number in range(torch.cuda.device_count())]
    names = {"cuda": "cuda:0"}
    chosen = [names.get(name, name) for name in asked] or there or ["cpu"]
    if unknown := [name for name in chosen if name not in (*there, "cpu")]:
        raise ValueError(f"device {unknown[0]!r} is none of {', '.join((*there, 'cpu'))}")
    if processes < 1:
        raise ValueError(f"processes is {processes}; it must be 1 or more")
    return [name for name in chosen for _ in range(processes)]


def execute(run: PlannedRun, source: str, corpus: Corpus, device: str, report: Report) -> dict[str, Any]:
    """Runs a planned run with the encoder from this folder or hub id; returns the results to store with its settings
    and corpus.

    Raises what loading and fine-tuning raise.
    """
    started = time.monotonic()
    report(None)
    encoder = load_source(source, device)
    settings = run.settings
    train, validation, test = (
        [article if settings.query is None else replace(article, query=settings.query) for article in articles]
        for articles in (corpus.train, corpus.validation, corpus.test)
    )
    history: list[Step | Checkpoint] = []
    if run.train:
        report(None)
        history = fine_tune(encoder, train, settings, validation=validation, on_step=report)
    else:
        prepare(encoder, settings)
    report(None)
    test = [article for article in test if any(article.truth)]
    queries = list(dict.fromkeys(article.query for article in test))
    vector_of = dict(zip(queries, encode(encoder, [], queries=queries), strict=True))
    embeddings = embeddings_of(encoder, test, progress=lambda done: report(None))
    by_query = [own @ vector_of[article.query] for article, own in zip(test, embeddings, strict=True)]
    mean_key = mean_key_embedding(encoder, train)
    by_mean = [own @ mean_key for own in embeddings]
    metrics, rows = measure(test, by_query)
    cosine, rules = corpus.rules.cosine, corpus.rules
    weight = cosine.fine_tuned if run.train else cosine.generic  # these articles have no document labels
    pools = [
        Pool(article.sentences, own, cosine_weight=weight, rules=rules)
        for article, own in zip(test, by_query, strict=True)
    ]
    others = {MEAN_KEY: by_mean}
    others |= {f"{ranking}_": [ranking.scores(pool) for pool in pools] for ranking in FIXED}
    if learned := _learned(encoder, validation, test, by_query, rules, tuned=run.train):
        others[LEARNED] = learned
    for prefix, scores in others.items():
        other_metrics, other_rows = measure(test, scores)
        metrics |= {prefix + name: value for name, value in other_metrics.items()}
        for row, other in zip(rows, other_rows, strict=True):
            row[f"{prefix}r_precision"] = other["r_precision"]
    return {
        "metrics": metrics | counts_of([article.truth for article in test]),
        "articles": rows,
        "history": stored_curve(history, CURVE_STEPS),
        "device": torch.cuda.get_device_name(device) if device.startswith("cuda") else "cpu",
        "seconds": round(time.monotonic() - started, 3),
    }


def _learned(
    encoder: SentenceTransformer,
    validation: Sequence[LabelledArticle],
    test: Sequence[LabelledArticle],
    cosines: Sequence[np.ndarray],
    rules: Rules,
    *,
    tuned: bool,
) -> list[np.ndarray]:
    """Scores of the test articles by a ranking fitted on the validation articles, which the encoder never saw.

    It sees nothing but text and cosines: an experiment's articles carry neither sections nor document labels. Empty
    where there are too few articles to fit it on.
    """
    validation = [article for article in validation if any(article.truth)]
    if len(validation) < MIN_ARTICLES:
        return []
    prior = prior_of(rules, rules.cosine.fine_tuned if tuned else rules.cosine.named)
    examples = [
        Taught(features_of(Pool(article.sentences, own, rules=rules)), np.array(article.labels))
        for article, own in zip(validation, cosines_of(encoder, validation), strict=True)
    ]
    ranker = fit_ranker(examples, prior)
    return [ranker(Pool(article.sentences, own, rules=rules)) for article, own in zip(test, cosines, strict=True)]


def measure(
    articles: Sequence[LabelledArticle], cosines: Sequence[np.ndarray]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The metrics over articles, which all have key sentences, and the R-precision of each."""
    truths = [article.truth for article in articles]
    values = values_of(truths, cosines)
    rows = [
        {"key": article.key, "r_precision": value, "key_sentences": sum(truth)}
        for article, value, truth in zip(articles, values["r_precision"], truths, strict=True)
    ]
    return metrics_of(values, truths, cosines), rows
