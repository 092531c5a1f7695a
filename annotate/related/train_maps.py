"""A map of vectors learnt from reference lists: a version with its measures, chosen and rolled back like others.

Imports torch.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import db.articles
import db.related
from annotate.finding.encoding import Encoder
from annotate.finding.library import Document
from annotate.jobs.monitor import Monitor
from annotate.project.home import read
from annotate.registry.versions import keep, made_before
from annotate.related.collection import read_judged
from annotate.related.evaluate_related import Judged, differences, means_of, rows_of
from annotate.related.gate import warning, written
from annotate.related.judged import Citing, marks_of, read_citing
from annotate.related.maps import LearntMap, map_in_use, mapped
from db.tables import ModelVersion
from db.values import Kind
from model.training.related.mapping import fit, save
from model.training.related.related_settings import RelatedSettings

FROZEN = "a map of vectors; the encoder itself is not trained"
# The works that share most words with an article and that it does not cite are its hard negatives.
HARD = 50


class NothingToLearn(ValueError):
    """No article of the collection cites any of its works."""


def train_map(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Learns a map of the encoder's vectors, never the encoder itself.

    From `citing`, `docs` and `works` (paths), with `settings`; measures before and after on `validation`.

    Returns the new version as people see it. Raises ValueError for what cannot be read, NothingToLearn, Cancelled.
    """
    made = made_before(monitor.job_id, Kind.RELATED)
    if made is None:
        made = _train(payload, monitor)
    outcome: dict[str, Any] = {"version": made.name, "learnt": FROZEN, "warning": warning(made.metrics)}
    return outcome | {"metrics": made.metrics, "settings": made.settings, "trained_on": made.trained_on}


def _train(payload: Mapping[str, Any], monitor: Monitor) -> ModelVersion:
    settings, citing, validation = _asked(payload)
    encoder = Encoder()
    judged = read_judged(
        Path(payload["docs"]),
        Path(payload["works"]),
        of={each.id for each in [*citing, *validation]},
        plain=True,
        encoder=encoder,
        progress=monitor.report,
    )
    _demand_measurable(validation, judged.documents)
    learnt = _to_learn_from(citing, judged.vectors, judged.pool.places)
    not_related = _not_related(judged, learnt)
    matrix = learn(judged, learnt, settings, monitor, not_related)
    metrics = _measured(judged, validation, matrix, map_in_use(encoder), monitor) if validation else {}
    trained_on: dict[str, Any] = {"articles": len(learnt), "citations": sum(len(each.cites) for each in learnt)}
    trained_on |= {"not_related": sum(map(len, not_related.values())), "encoder": encoder.sha256}
    return keep(
        Kind.RELATED,
        partial(save, matrix, marks_of(learnt)),
        monitor,
        settings=asdict(settings),
        trained_on=trained_on,
        metrics=metrics,
    )


def _asked(payload: Mapping[str, Any]) -> tuple[RelatedSettings, list[Citing], list[Citing]]:
    """Of a payload the settings, the articles to learn from and those to measure on. Raises ValueError."""
    if payload.get("unfreeze"):  # of a job that was queued before an upgrade
        raise ValueError("this release trains no encoder on reference lists; learn a map of its vectors")
    citing = read_citing(Path(payload["citing"]))
    validation = read_citing(Path(payload["validation"])) if payload.get("validation") else []
    if {*marks_of(citing)} & {*marks_of(validation)}:
        raise ValueError("articles to learn from are among those to measure on")
    return RelatedSettings(**payload.get("settings", {})), citing, validation


def _to_learn_from(citing: Sequence[Citing], with_vectors: Collection[str], works: Collection[str]) -> list[Citing]:
    """The articles of which anything is told and that cite any of the works, by id and key. Raises NothingToLearn."""
    found = [each for each in citing if each.id in with_vectors and not each.cites.isdisjoint(works)]
    if not found:
        raise NothingToLearn("no article of the collection cites any of its works")
    return found


def _demand_measurable(validation: Sequence[Citing], documents: Mapping[str, Document]) -> None:
    """Raises ValueError where articles to measure on have no text, before anything is learnt."""
    if missing := sorted(each.id for each in validation if each.id not in documents):
        raise ValueError(f"{len(missing):,} articles to measure on, such as {missing[0]}, are not among the documents")


def _not_related(judged: Judged, citing: list[Citing]) -> dict[str, np.ndarray]:
    """By id of an article the places of works that somebody says are not related to it and that it does not cite."""
    with read() as session:
        pairs = db.related.not_related(session)
        stored = db.related.stored_articles(session, {work for _, work in pairs})
        pmids = {number: row.pmid for number, row in db.articles.articles(session, set(stored.values())).items()}
    not_related: defaultdict[str, set[str]] = defaultdict(set)
    for asked, work in pairs:  # one that was known by its DOI may since have been imported by its PMID
        not_related[asked].add((pmids[stored[work]] if work in stored else None) or work.removeprefix("pmid:"))
    found = {}
    for article in citing:
        works = {work for key in article.keys for work in not_related.get(key, ())} - article.cites
        if places := sorted(judged.pool.places[work] for work in works if work in judged.pool.places):
            found[article.id] = np.array(places, dtype=np.int64)
    return found


def learn(
    judged: Judged,
    citing: list[Citing],
    settings: RelatedSettings,
    monitor: Monitor,
    not_related: Mapping[str, np.ndarray] | None = None,
) -> np.ndarray:
    """The matrix that these reference lists teach, float32[d, d].

    `not_related`: by article places of works that people call not related: they stand for half of its hard negatives.
    """
    lists = _places_of(judged, citing, monitor, not_related)
    articles = np.stack([judged.vectors[each.id] for each in citing])
    return fit(articles, judged.pool.vectors, *lists, settings, partial(monitor.proceed, "learning"))


def _places_of(
    judged: Judged, citing: Sequence[Citing], monitor: Monitor, not_related: Mapping[str, np.ndarray] | None
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """By article the places of the works that it cites, and of its hard negatives; `not_related` as in `learn`.

    Raises NothingToLearn, Cancelled.
    """
    places = judged.pool.places
    cited = [np.array(sorted(places[key] for key in each.cites if key in places)) for each in citing]
    hard = []
    for done, (article, own) in enumerate(zip(citing, cited, strict=True)):
        monitor.proceed("looking for works that share words", done, len(citing))
        against = _hard_negatives(judged, article, own)
        judged_so = (not_related or {}).get(article.id)
        if judged_so is not None:
            against = np.concatenate([against, np.resize(judged_so, max(len(judged_so), len(against)))])
        hard.append(against)
    return cited, hard


def _hard_negatives(judged: Judged, article: Citing, cited: np.ndarray) -> np.ndarray:
    pool = judged.pool
    found = pool.by_words(judged.documents[article.id].title, HARD + len(cited))
    places = np.array([pool.places[key] for key, _ in found if key not in article.cites][:HARD], dtype=np.int64)
    if len(places):
        return places
    others = np.setdiff1d(np.arange(len(pool)), cited)
    if not len(others):
        raise NothingToLearn(f"article {article.id} cites all works: there is nothing to tell them from")
    return others


def _measured(
    plain: Judged, validation: list[Citing], matrix: np.ndarray, in_use: LearntMap | None, monitor: Monitor
) -> dict[str, Any]:
    """The measures with and without the map, the words and all else the same; the difference to the map in use."""
    before = rows_of(plain, validation, monitor.report)
    after = rows_of(behind(plain, LearntMap("new", matrix)), validation, monitor.report)
    try:
        base = before if in_use is None else rows_of(behind(plain, in_use), validation, monitor.report)
        changes = written(differences(base, after), in_use.name if in_use else None, len(validation))
    except ValueError as error:  # what serves now has learnt from them: its figures would flatter it
        changes = {"map": in_use.name if in_use else None, "refused": str(error)}
    return {"n": len(validation), "before": means_of(before), "after": means_of(after), "beside": changes}


def behind(plain: Judged, learnt: LearntMap | None) -> Judged:
    """A collection that no map has moved, behind one."""
    vectors = {key: mapped(own[None], learnt)[0] for key, own in plain.vectors.items()}
    pool = plain.pool.with_vectors(mapped(plain.pool.vectors, learnt))
    return Judged(
        pool,
        plain.documents,
        vectors,
        lambda texts: mapped(plain.encode(texts), learnt),
        learnt=learnt,
        sources=plain.sources,
    )
