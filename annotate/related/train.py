"""A map of vectors learnt from reference lists: a version with its measures, chosen and rolled back like others.

Imports torch.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import db.related
from annotate.finding.rankers.versions import Trained, keep, made_before
from annotate.jobs.monitor import Monitor
from annotate.project.home import read
from annotate.related.collection import mapped, read_judged
from annotate.related.evaluate import Judged, Measured, evaluate
from annotate.related.judged import Citing, read_citing
from db.tables import RetrievalModel
from model.training.related.mapping import fit, save
from model.training.related.settings import RelatedSettings

FROZEN = "a map of vectors; the encoder itself is not trained"
# The works that share most words with an article and that it does not cite are its hard negatives.
HARD = 50
SHOWN = ("q", "recall_at_10", "recall_at_50", "precision_at_10", "mrr", "ndcg_at_10")


class NothingToLearn(ValueError):
    """No article of the collection cites any of its works."""


def train_map(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Learns a map of the encoder's vectors, never the encoder itself.

    From `citing`, `docs` and `works` (paths), with `settings`; measures before and after on `validation`.

    Returns the new version as people see it. Raises ValueError for what cannot be read, NothingToLearn, Cancelled.
    """
    made = made_before(monitor.job_id)
    if made is None:
        made = _train(payload, monitor)
    told = {"version": made.name, "learnt": FROZEN}
    return told | {"metrics": made.metrics, "settings": made.settings, "trained_on": made.trained_on}


def _train(payload: Mapping[str, Any], monitor: Monitor) -> RetrievalModel:
    settings = RelatedSettings(**payload.get("settings", {}))
    citing = read_citing(Path(payload["citing"]))
    validation = read_citing(Path(payload["validation"])) if payload.get("validation") else []
    if {each.id for each in citing} & {each.id for each in validation}:
        raise ValueError("articles to learn from are among those to measure on")
    judged = read_judged(Path(payload["docs"]), Path(payload["works"]), plain=True, progress=monitor.report)
    learnt = [each for each in citing if each.id in judged.vectors and each.cites & judged.pool.places.keys()]
    if not learnt:
        raise NothingToLearn("no article of the collection cites any of its works")
    said = _not_related(judged, learnt)
    matrix = learn(judged, learnt, settings, monitor, said)
    metrics = _measured(judged, validation, matrix, monitor) if validation else {}
    trained_on = {"articles": len(learnt), "citations": sum(len(each.cites) for each in learnt)}
    trained_on["not_related"] = sum(map(len, said.values()))
    return keep(
        Trained.RELATED,
        partial(save, matrix),
        monitor,
        settings=asdict(settings),
        trained_on=trained_on,
        metrics=metrics,
    )


def _not_related(judged: Judged, citing: list[Citing]) -> dict[str, np.ndarray]:
    """By id of an article the places of works that somebody says are not related to it and that it does not cite."""
    with read() as session:
        pairs = db.related.not_related(session)
    said: defaultdict[str, set[str]] = defaultdict(set)
    for asked, work in pairs:
        said[asked].add(work.removeprefix("pmid:"))
    found = {}
    for article in citing:
        works = {work for key in article.keys for work in said.get(key, ())} - article.cites
        if places := sorted(judged.pool.places[work] for work in works if work in judged.pool.places):
            found[article.id] = np.array(places, dtype=np.int64)
    return found


def learn(
    judged: Judged,
    citing: list[Citing],
    settings: RelatedSettings,
    monitor: Monitor,
    said: Mapping[str, np.ndarray] | None = None,
) -> np.ndarray:
    """The matrix that these reference lists teach, float32[d, d].

    `said`: by article places of works that people call not related: they stand for half of its hard negatives.
    """
    places = judged.pool.places
    cited = [np.array(sorted(places[key] for key in each.cites if key in places)) for each in citing]
    hard = []
    for done, (article, own) in enumerate(zip(citing, cited, strict=True)):
        monitor.report("looking for works that share words", done, len(citing))
        monitor.stop_if_cancelled()
        against = _hard_negatives(judged, article, own)
        told = (said or {}).get(article.id)
        if told is not None:
            against = np.concatenate([against, np.resize(told, max(len(told), len(against)))])
        hard.append(against)

    def report(done: int, total: int) -> None:
        monitor.report("learning", done, total)
        monitor.stop_if_cancelled()

    articles = np.stack([judged.vectors[each.id] for each in citing])
    return fit(articles, judged.pool.vectors, cited, hard, settings, report)


def _hard_negatives(judged: Judged, article: Citing, cited: np.ndarray) -> np.ndarray:
    found = judged.pool.by_words(judged.documents[article.id].title, HARD + len(cited))
    places = np.array([judged.pool.places[key] for key, _ in found if key not in article.cites][:HARD], dtype=np.int64)
    if len(places):
        return places
    others = np.setdiff1d(np.arange(len(judged.pool)), cited)
    if not len(others):
        raise NothingToLearn(f"article {article.id} cites all works: there is nothing to tell them from")
    return others


def _measured(judged: Judged, validation: list[Citing], matrix: np.ndarray, monitor: Monitor) -> dict[str, Any]:
    """The measures with and without the map, the words and all else the same."""
    pool = judged.pool
    vectors = {key: mapped(own[None], matrix)[0] for key, own in judged.vectors.items()}
    after = Judged(
        pool.with_vectors(mapped(pool.vectors, matrix)), judged.documents, vectors, lambda texts: np.empty(0)
    )
    found = {}
    for name, each in (("before", judged), ("after", after)):
        told = evaluate(each, validation, how=Measured(), progress=monitor.report)
        found[name] = {measure: told[measure] for measure in SHOWN}
    return {"n": len(validation), **found}
