"""The job: encoders on tasks, one result after another, each kept when it is there. Imports torch."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from annotate.embeddings.text_vectors import StoppedEncoding
from annotate.encoders import results
from annotate.encoders.probes import Rewritings, probe, project_sentences
from annotate.encoders.results import Result, key_of
from annotate.encoders.scoring import Features, score
from annotate.encoders.sources import Source, find_source
from annotate.encoders.table import rows_of
from annotate.encoders.task_vectors import Vectors
from annotate.encoders.tasks.registry import TASKS, TaskFolder, find_task, place_of, why_not
from annotate.encoders.tasks.suites import suite_score
from annotate.encoders.tasks.task import Kind, NotInstalled, Place, Task
from annotate.jobs.monitor import Cancelled, Monitor
from annotate.project.home import look_up
from annotate.project.stored_settings import settings_now
from annotate.proposing.encoders import UnsoundEncoder
from model.evaluation.frozen import Classifier
from model.files import DamagedModel

WORDS_SHA256 = "words"


@dataclass(frozen=True, slots=True)
class _Asked:
    """How tasks are to be done."""

    place: Place
    classifier: Classifier
    full: bool


def evaluate_encoders(
    payload: Mapping[str, Any], monitor: Monitor, rewritings: Rewritings | None = None
) -> dict[str, Any]:
    """Scores encoders on tasks. Earlier scores are taken from their files.

    The payload: encoders (names), tasks (names; by default all that are installed), folders (of the tasks' files; by
    default the project's), classifier, full (all items), probes. `rewritings`: the probes besides stop words.

    Returns {rows, left_out, failed}. Raises Cancelled, and ValueError for an unknown task or if nothing was scored.
    """
    folders = payload.get("folders")
    place = place_of(folders) if folders else look_up(settings_now, TaskFolder).place
    kind = Classifier(payload.get("classifier") or Classifier.LOGISTIC)
    asked = _Asked(place, kind, bool(payload.get("full")))
    wanted = [find_task(name) for name in payload.get("tasks") or TASKS]
    left_out = {task.name: why for task in wanted if (why := why_not(task, place))}
    tasks = [task for task in wanted if task.name not in left_out]
    names: Sequence[str] = payload["encoders"]
    failed: list[dict[str, str]] = []
    found: list[Result] = []
    facts: dict[tuple[str, bool], dict[str, Any]] = {}
    total = len(names) * len(tasks)
    for number, name in enumerate(names):
        monitor.report(f"loading {name}", number * len(tasks), total)
        try:
            one = _Row(find_source(name), monitor, asked, (number * len(tasks), total))
            found += one.results(tasks, failed)
            facts[one.key] = one.facts((rewritings or {}) if payload.get("probes") else None)
        except StoppedEncoding:
            raise Cancelled from None
        except (OSError, DamagedModel, ValueError) as error:
            failed.append({"encoder": name, "task": "", "error": str(error)})
    if not found:
        reasons = [each["error"] for each in failed] or [f"{name}: {why}" for name, why in left_out.items()]
        raise ValueError(f"nothing was scored: {reasons[0] if reasons else 'no task was named'}")
    return {"rows": rows_of(found, facts), "left_out": left_out, "failed": failed}


class _Row:
    """One row of the table: an encoder on all tasks, loaded when a result is missing."""

    def __init__(self, source: Source, monitor: Monitor, asked: _Asked, done: tuple[int, int]) -> None:
        self.source, self.monitor, self.asked = source, monitor, asked
        self._done, self._total = done
        self.vectors = Vectors(source, monitor.cancelled) if source.encodes else None
        self.key = (self.vectors.sha256 if self.vectors else WORDS_SHA256, source.words)

    def results(self, tasks: Sequence[Task], failed: list[dict[str, str]]) -> list[Result]:
        """The results of the tasks, each stored; tasks that cannot be scored are named in `failed`.

        Raises OSError, DamagedModel and UnsoundEncoder for the encoder itself.
        """
        found = []
        for number, task in enumerate(tasks):
            self.monitor.stop_if_cancelled()
            try:
                found.append(self._of(task, self._done + number))
            except UnsoundEncoder:
                raise  # it has no score of any task
            except (NotInstalled, ValueError) as error:
                failed.append({"encoder": self.source.name, "task": task.name, "error": str(error)})
        return found

    def _of(self, task: Task, done: int) -> Result:
        report = partial(self._report, task, done)
        report("reading", 0, 0)
        items = task.load(Place(self.asked.place.folders, self.source.query))
        items = items if self.asked.full else items.at_most(task.most)
        full = self.asked.full or task.most is None
        key = key_of(*self.key, task.name, items.sha256, self.asked.classifier)
        if known := results.stored(key):
            return known
        started = time.perf_counter()
        if task.kind is not Kind.SUITE:
            scored = score(task, items, Features(self.vectors, self.source.words), self.asked.classifier, report)
            values = {name: getattr(scored, name) for name in ("floor", "chosen", "trained_on", "tested")}
            values["sums"] = {name: sums.tolist() for name, sums in scored.sums.items()}
        elif self.vectors is None:
            raise NotInstalled(f"{task.name} takes encoders alone")
        else:
            nothing: dict[str, Any] = {"floor": {}, "sums": {}, "trained_on": 0, "tested": 0}
            values = {"score": suite_score(task.name, self.vectors.encoder), **nothing}
        result = Result(
            key=key, source=self.source.name, source_sha256=self.key[0], words=self.key[1], task=task.name,
            classifier=str(self.asked.classifier), paired_sha256=items.paired_sha256, tested_on=items.tested_on,
            full=full, seconds=round(time.perf_counter() - started, 2), **values,
        )  # fmt: skip
        results.store(result)
        return result

    def _report(self, task: Task, place: int, what: str, done: int, total: int) -> None:
        part = done / total if total else 0
        self.monitor.report(f"{self.source.name}, {task.title}: {what}", place + part, self._total)

    def facts(self, rewritings: Rewritings | None) -> dict[str, Any]:
        """Cost, measured once, and the probes that were made once, or are made by these rewritings.

        Nothing for a row of words without an encoder.
        """
        if self.vectors is None:
            return {}
        known = results.facts_of(self.vectors.sha256)
        sentences = project_sentences()
        if "cost" not in known:
            self.monitor.report(f"{self.source.name}: measuring its cost", self._done, self._total)
            known["cost"] = asdict(self.vectors.cost(sentences))
        if rewritings is not None:
            self.monitor.report(f"{self.source.name}: probes", self._done, self._total)
            known["probes"] = probe(self.vectors, sentences, rewritings)
        results.store_facts(self.vectors.sha256, known)
        return known
