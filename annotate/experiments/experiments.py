"""Experiments: encoders fine-tuned under the settings of a spec, and how they rank the test articles.

Imports torch late: the pages list experiments.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotate.experiments.corpora import PARTS, Corpus, database_corpus, file_corpus
from annotate.experiments.experiment_spec import EMBEDDED, SPECS, PlannedRun, parse_spec
from annotate.experiments.experiment_tables import COLUMNS, as_csv, table_of
from annotate.experiments.studies import Payload, Places, Plan, Report, Runner, StudyKind
from annotate.jobs.monitor import Monitor
from annotate.project.home import read
from annotate.registry.versions import verified_folder
from annotate.topics.file import FIRST, shipped
from annotate.topics.project_topic import current_topic
from db.registry import encoder_named
from model.files import embedded_encoder, manifest_of
from model.prompts import prompts_in
from model.proposing.query import named_query
from model.training.curve import Step


class Trainings(Runner):
    """Does the runs of an experiment; `sources`: the folder or hub id of each encoder."""

    cores = 4
    uses_gpu = True

    def __init__(self, sources: Mapping[str, str], corpus: Corpus) -> None:
        self.sources = sources
        self.corpus = corpus

    def begin(self) -> None:
        """Takes its share of the cores of a machine that several processes share; an engine deals them out itself."""
        if self.processes > 1:
            import torch  # noqa: PLC0415 (takes seconds to import)

            torch.set_num_threads(max(1, (os.cpu_count() or 1) // self.processes))

    def do(self, run: PlannedRun, report: Report) -> dict[str, Any]:
        """The results of a training in this runner's place, a device."""
        from annotate.experiments import experiment_run  # noqa: PLC0415 (torch takes seconds to import)

        def on_step(step: Step | None) -> None:
            if step is None:
                report(None, {})
            else:
                speed = round(step.pairs_per_second, 1)
                report(step.step / step.steps, {"loss": round(step.loss, 5), "pairs_per_second": speed})

        device = self.place or experiment_run.devices()[0]
        return experiment_run.execute(run, self.sources[run.encoder], self.corpus, device, on_step)


def plan_experiment(payload: Payload) -> Plan:
    """The runs of an experiment. `files`: {part: path}, which take the place of all that the spec names."""
    spec = parse_spec(payload["spec"], payload.get("seeds"))
    own = dict(spec.corpus)
    files = {part: path for part, path in (payload.get("files") or {}).items() if path}
    of_spec = own.pop("limit", None)
    limit = of_spec if payload.get("limit") is None else payload["limit"]
    share = {"validation_share": own.pop("validation_share")} if "validation_share" in own else {}
    files = files or own
    rules = current_topic().rules
    corpus = file_corpus(files, limit, **share, rules=rules) if files else database_corpus(limit)
    # A query of the topic's may be given by its name.
    asked = [replace(run.settings, query=named_query(rules, run.settings.query)) for run in spec.runs]
    runs = [replace(run, settings=settings) for run, settings in zip(spec.runs, asked, strict=True)]
    keys, sources, broken = _keys(runs, corpus)

    def begin(monitor: Monitor) -> tuple[Runner, Places]:
        from annotate.experiments.experiment_run import devices  # noqa: PLC0415 (torch takes seconds to import)

        asked = payload.get("devices") or (), payload.get("processes") or 1
        return Trainings(sources, corpus), lambda: devices(*asked)

    return Plan(replace(spec, runs=runs), corpus.description, keys, begin, broken)


def _counted(corpus: Mapping[str, Any]) -> str:
    counts = (f"{corpus[part]['articles']:,} {part} ({corpus[part]['key']:,} key)" for part in PARTS)
    return f"articles: {', '.join(counts)}"


EXPERIMENT = StudyKind(
    name="experiment",
    job="experiment",
    specs=SPECS,
    run=PlannedRun,
    interval="two standard deviations over the seeds",
    columns=COLUMNS,
    parse=parse_spec,
    plan=plan_experiment,
    counted=_counted,
    table=table_of,
    as_csv=as_csv,
)


def encoder_source(name: str) -> tuple[str, str]:
    """(folder or hub id to load, identity) of the embedded encoder, a version, a local folder or a hub id.

    The identity of files is their hashes. Raises DamagedModel.
    """
    with read() as session:
        version = None if name == EMBEDDED else encoder_named(session, name)
    if version is not None:
        path, manifest = verified_folder(version), version.manifest
    else:
        path = embedded_encoder() if name == EMBEDDED else Path(name).expanduser()
        if not path.is_dir():
            return name, name
        manifest = manifest_of(path)
    return str(path), identity_of(path, manifest)


def identity_of(path: Path, manifest: Mapping[str, str]) -> str:
    """The hashes of an encoder's files; with its prompts, where it has any: releases before this one left them out."""
    prompts = prompts_in(path)
    return repr(sorted(manifest.items())) + (repr(prompts) if prompts.any else "")


def _keys(
    runs: Sequence[PlannedRun], corpus: Corpus
) -> tuple[dict[PlannedRun, str], dict[str, str], dict[PlannedRun, str]]:
    """({run: key}, {encoder: source}, {run: error}); an error of one encoder does not stop the others."""
    sources: dict[str, str] = {}
    identities: dict[str, str] = {}
    errors: dict[str, str] = {}
    for name in dict.fromkeys(run.encoder for run in runs):
        try:
            sources[name], identities[name] = encoder_source(name)
        except (RuntimeError, OSError) as error:
            errors[name] = str(error)
    of_topic = "" if corpus.rules.name == shipped(FIRST).rules.name else corpus.rules.name  # the one before topics
    keys = {
        run: run.key(corpus.sha256 + of_topic, identities[run.encoder]) for run in runs if run.encoder in identities
    }
    return keys, sources, {run: errors[run.encoder] for run in runs if run.encoder in errors}
