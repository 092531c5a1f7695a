"""Results, one file each in the data folder: computed once, and again only where something differs."""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from annotate.encoders.sources import with_cut
from annotate.project.home import folder
from annotate.project.whole_files import write_whole
from db.base import utc_now
from model.evaluation.intervals import Estimate
from model.evaluation.sums import MEASURES, difference, estimate
from model.files import json_of

METHOD = 1  # raise it when scores are made in another way: stored results no longer count


@dataclass(frozen=True, slots=True)
class Result:
    """One encoder on one task. `sums` are each measure's sums by unit; `score` where another package gives no more.

    Two results with the same `paired_sha256` were tested on the same items.
    """

    key: str
    source: str
    source_sha256: str
    words: bool
    task: str
    classifier: str
    paired_sha256: str
    tested_on: str
    trained_on: int
    tested: int
    full: bool
    floor: Mapping[str, float]
    sums: Mapping[str, list[list[float]]]
    chosen: Mapping[str, Any] = field(default_factory=dict)
    score: float | None = None
    seconds: float = 0.0
    created_at: str = field(default_factory=utc_now)

    @property
    def row(self) -> tuple[str, bool]:
        """What makes a row of the table: the encoder's files with its cut, and whether words are added."""
        return self.source_sha256, self.words

    def measured(self, measure: str) -> Estimate:
        """The measure with its interval; without one where only a score is known."""
        if measure not in self.sums:
            value = float("nan") if self.score is None else self.score
            return Estimate(value, value, value)
        return estimate(measure, np.array(self.sums[measure]))

    def change_from(self, base: "Result", measure: str) -> Estimate | None:
        """The measure less the base's, with its interval; None where `why_not_comparable` says so."""
        if measure not in self.sums or measure not in base.sums or self.why_not_comparable(base):
            return None
        own, others = np.array(self.sums[measure]), np.array(base.sums[measure])
        return difference(measure, own, others) if own.shape == others.shape else None

    def why_not_comparable(self, base: "Result") -> str:
        """Why a difference to the base may come from more than the encoders; empty where it cannot."""
        if self.paired_sha256 != base.paired_sha256:
            return "tested on other items than the first row"
        if self.trained_on != base.trained_on:
            return f"learnt from {self.trained_on:,} items, the first row from {base.trained_on:,}"
        return ""


def key_of(*parts: object) -> str:
    """Names a result by all that it depends on."""
    return hashlib.sha256(json.dumps([METHOD, *map(str, parts)]).encode()).hexdigest()[:40]


def _folder(name: str) -> Path:
    path = folder("encoders") / name
    path.mkdir(exist_ok=True)
    return path


def stored(key: str) -> Result | None:
    """The result of this key; None where there is none, or its file cannot be read."""
    return _read_once(_folder("results") / f"{key}.json")


@lru_cache(maxsize=1_000)
def _read(path: Path, *_: int) -> Result | None:
    with suppress(TypeError):
        found = Result(**json_of(path))
        if all(name in MEASURES for name in found.sums):
            return found
    return None


def store(result: Result) -> None:
    """Keeps a result."""
    write_whole(_folder("results") / f"{result.key}.json", json.dumps(asdict(result)).encode())


def all_results() -> list[Result]:
    """All that can be read, the oldest first; without what earlier releases stored of an encoder under its files alone,
    once it has results under these and its cut."""
    found = [result for path in _folder("results").glob("*.json") if (result := _read_once(path))]
    known = {(result.source, result.source_sha256) for result in found}
    found = [result for result in found if (result.source, with_cut(result.source_sha256)) not in known]
    return sorted(found, key=lambda result: (result.created_at, result.key))


def _read_once(path: Path) -> Result | None:
    """The result that a file holds; None where it cannot be read. Read only once as long as it does not change."""
    with suppress(OSError):  # gone since it was listed
        state = path.stat()
        return _read(path, state.st_mtime_ns, state.st_ino, state.st_size)
    return None


def _facts_file(source_sha256: str) -> Path:
    return _folder("facts") / f"{source_sha256[:40]}.json"


def facts_of(source_sha256: str) -> dict[str, Any]:
    """The facts on an encoder besides its results: `cost` and `probes`, each where it was measured."""
    return json_of(_facts_file(source_sha256))


def store_facts(source_sha256: str, facts: Mapping[str, Any]) -> None:
    """Adds these facts to the stored facts on an encoder."""
    write_whole(_facts_file(source_sha256), json.dumps(facts_of(source_sha256) | dict(facts)).encode())
