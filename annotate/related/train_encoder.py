"""The proposing version's encoder itself trained on reference lists: a child version, promoted as any other is.

Imports torch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import db.registry
from annotate.finding.encoding import Encoder
from annotate.finding.judged.judged_files import read_documents
from annotate.finding.library import Document
from annotate.jobs.monitor import Monitor
from annotate.project.home import folder, read, write
from annotate.project.notes import Noted, note
from annotate.project.rights import Right
from annotate.proposing.encoder_versions import proposing_version, register_encoder
from annotate.proposing.encoders import smoke_test, write_encoder
from annotate.registry.versions import verified_folder
from annotate.related.collection import document_vectors
from annotate.related.evaluate_related import Judged, beside, means_of, refuse_learnt, rows_of
from annotate.related.gate import written
from annotate.related.judged import Citing, marks_of, read_works
from annotate.related.maps import learnt_from, note_learnt_from
from annotate.related.pool import Pool, Work
from annotate.related.train_maps import Sources, asked, demand_measurable, places_of, to_learn_from
from db.tables import ModelVersion
from model.encoder import load
from model.training.related.drawing import ReferenceLists
from model.training.related.encoder_training import fit_encoder
from model.training.related.related_settings import RelatedSettings

UNFROZEN = "the encoder itself: promote the version on Retrain, or with the command promote, to let it serve"


def train_encoder(payload: Mapping[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Trains a child of the proposing version on `citing`, `docs` and `works` (paths), with `settings`.

    With `validation` both are measured, among the works that its articles cite: a pool that is encoded in minutes.
    Returns the new version as people see it. Raises ValueError for what cannot be read, NothingToLearn, Cancelled.
    """
    settings, citing, validation = asked(payload)
    documents = {each.key: each for each in read_documents(Path(payload["docs"]))}
    works = read_works(Path(payload["works"]))
    citing = to_learn_from(citing, documents, {each.key for each in works})
    demand_measurable(validation, documents)
    parent = proposing_version()
    for source in learnt_from(parent):
        refuse_learnt(validation, source)
    name = f"{parent.name[:40]}-related-{monitor.job_id}"
    with read() as session:
        child = db.registry.encoder_named(session, name)
    losses: list[float] = []
    if child is None:
        child, losses = _trained(name, parent, citing, Sources(Pool(works, None), documents), settings, monitor)
    told: dict[str, Any] = {"version": name, "learnt": UNFROZEN, "settings": asdict(settings)}
    told |= {"trained_on": {"articles": len(citing)}, "losses": losses, "metrics": {}}
    monitor.keep(told)
    if validation:
        told["metrics"] = _measured(parent, child, documents, works, validation, monitor)
    return told


def _trained(
    name: str, parent: ModelVersion, citing: Sequence[Citing], sources: Sources, settings: RelatedSettings, to: Monitor
) -> tuple[ModelVersion, list[float]]:
    lists = ReferenceLists.of(*places_of(sources, citing, to))
    encoder = load(verified_folder(parent), most_tokens=None)
    articles = [sources.documents[each.id].whole for each in citing]
    works = [f"{each.title}\n{each.text}".strip() for each in sources.pool.works]
    losses = fit_encoder(encoder, articles, works, lists, settings, partial(to.proceed, "learning"))
    smoke_test(encoder, name)
    path = write_encoder(encoder, name)
    note_learnt_from(path, marks_of(citing))
    with write(Right.TRAIN) as session:
        to.hold(session)  # a process that was taken for dead makes no second version
        note(session, Noted.ENCODER, f"trained the encoder {name} on {len(citing):,} reference lists")
        child = register_encoder(
            session, path, name=name, encoder=parent.encoder, parent_id=parent.id, query=parent.query
        )
    return child, losses


def _measured(
    parent: ModelVersion,
    child: ModelVersion,
    documents: Mapping[str, Document],
    works: Sequence[Work],
    validation: Sequence[Citing],
    monitor: Monitor,
) -> dict[str, Any]:
    """The measures of both encoders on the same articles, without any map."""
    cited = {key for each in validation for key in each.cites}
    small = [each for each in works if each.key in cited]
    asking = [documents[each.id] for each in validation]
    found = [_judged(version, asking, small, monitor) for version in (parent, child)]
    before, after = (rows_of(each, validation, monitor.report) for each in found)
    changes = written(beside(before, after), parent.name, len(validation))
    told = {"before": means_of(before), "after": means_of(after), "beside": changes}
    return {"n": len(validation), "pool": len(small), **told}


def _judged(version: ModelVersion, asking: Sequence[Document], works: Sequence[Work], monitor: Monitor) -> Judged:
    kept = Encoder(version).kept_in(folder("related"))
    report = partial(monitor.proceed, f"encoding with {version.name}")
    vectors = kept.of([f"{each.title}\n{each.text}".strip() for each in works], report)
    own = document_vectors(asking, kept, report)
    by_key = {each.key: vector for each, vector in zip(asking, own, strict=True)}
    return Judged(Pool(works, vectors), {each.key: each for each in asking}, by_key, kept.of)
