"""Experiments: every run of a spec that is not stored yet is done and stored, and the table of all is made.

Imports torch late: the pages list experiments.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotate.experiments.corpora import Corpus, database_corpus, file_corpus
from annotate.experiments.experiment_spec import EMBEDDED, PlannedRun, Spec, parse_spec
from annotate.experiments.experiment_tables import rows_of, table_of
from annotate.experiments.finished_runs import Ledger, Watch, do_missing, run_all
from annotate.experiments.runner import Finished, Report, Runner, RunProgress
from annotate.jobs.monitor import Monitor
from annotate.project.home import read
from annotate.registry.versions import verified_folder
from annotate.topics.file import FIRST, shipped
from annotate.topics.project_topic import current_topic
from db.proposing.versions import version_named
from db.tables import ExperimentRun
from model.files import embedded_encoder, manifest_of
from model.prompts import prompts_in
from model.proposing.query import named_query
from model.training.curve import Step


def experiment(payload: dict[str, Any], monitor: Monitor) -> dict[str, Any]:
    """Does the missing runs of an experiment and returns its table, with the runs that failed.

    The payload: spec (its content), files {part: path}, seeds, limit, only (the most runs to do), devices,
    processes, engine. Raises ValueError for a wrong spec or corpus, RuntimeError where every run failed, Cancelled.
    """
    monitor.report("reading the corpus")
    spec, corpus = prepare_experiment(payload)
    keys, sources, broken = _keys(spec.runs, corpus)
    ledger = Ledger(ExperimentRun, spec.name, keys)

    def do(runs: Sequence[PlannedRun], watch: Watch) -> Iterator[Finished]:
        from annotate.experiments.experiment_run import devices  # noqa: PLC0415 (torch takes seconds to import)

        def places() -> list[str]:
            return devices(payload.get("devices") or (), payload.get("processes") or 1)

        return run_all(Trainings(sources, corpus), runs, places, payload, watch)

    only = payload.get("only")
    done = do_missing(spec, ledger, corpus.description, do, monitor, at_most=only, broken=broken)
    return done | {"rows": table_of(rows_of(ledger.stored()))}


class Trainings(Runner):
    """Does the runs of an experiment; `sources`: the folder or hub id of each encoder."""

    cores = 4
    uses_gpu = True

    def __init__(self, sources: Mapping[str, str], corpus: Corpus) -> None:
        self.sources = sources
        self.corpus = corpus

    def share(self, processes: int) -> None:
        """Leaves this process its share of the CPU's cores."""
        import torch  # noqa: PLC0415 (takes seconds to import)

        torch.set_num_threads(max(1, (os.cpu_count() or 1) // processes))

    def do(self, run: PlannedRun, place: str, report: Report) -> dict[str, Any]:
        """The results of a training on this device."""
        from annotate.experiments import experiment_run  # noqa: PLC0415 (torch takes seconds to import)

        def told(stage: str, step: Step | None) -> None:
            part, details = None, {}
            if step is not None:
                part = step.step / step.steps
                details = {"loss": round(step.loss, 5), "pairs_per_second": round(step.pairs_per_second, 1)}
            report(RunProgress(run, stage, part, details))

        device = place or experiment_run.devices()[0]
        return experiment_run.execute(run, self.sources[run.encoder], self.corpus, device, told)


def prepare_experiment(payload: Mapping[str, Any]) -> tuple[Spec, Corpus]:
    """The spec and corpus of a payload. Raises ValueError."""
    spec = parse_spec(payload["spec"], payload.get("seeds"))
    own = dict(spec.corpus or {})
    files = {part: path for part, path in (payload.get("files") or {}).items() if path}
    of_spec = own.pop("limit", None)
    limit = of_spec if payload.get("limit") is None else payload["limit"]
    share = {"validation_share": own.pop("validation_share")} if "validation_share" in own else {}
    # Files of the command line take the place of all that the spec names: no mixture of two corpora.
    files = files or own
    rules = current_topic().rules
    corpus = file_corpus(files, limit, **share, rules=rules) if files else database_corpus(limit)
    # A query of the topic's may be given by its name.
    asked = [replace(run.settings, query=named_query(rules, run.settings.query)) for run in spec.runs]
    runs = [replace(run, settings=settings) for run, settings in zip(spec.runs, asked, strict=True)]
    return replace(spec, runs=runs), corpus


def list_runs(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every run of an experiment, and whether it is done."""
    spec, corpus = prepare_experiment(payload)
    keys, _, broken = _keys(spec.runs, corpus)
    return Ledger(ExperimentRun, spec.name, keys).listed(spec.runs, broken)


def encoder_source(name: str) -> tuple[str, str]:
    """(folder or hub id to load, identity) of the embedded encoder, a version, a local folder or a hub id.

    The identity of files is their hashes. Raises DamagedModel.
    """
    with read() as session:
        version = None if name == EMBEDDED else version_named(session, name)
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
