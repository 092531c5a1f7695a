"""Which map of vectors serves: the gate before one is put to use, and the one that Keyline brings."""

import shutil
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import db.registry
from annotate.evaluation.metric_labels import change_written, interval_text
from annotate.finding.encoding import Encoder
from annotate.finding.rankers.ranker_versions import use
from annotate.project.home import folder, read, write
from annotate.project.rights import Right
from annotate.registry.new_files import write_files
from annotate.registry.versions import register, version_named
from annotate.related.maps import FILE, SHIPPED, map_in_use, shipped_file
from db.values import Kind
from model.evaluation.intervals import Estimate
from model.files import manifest_of

LEADING = "recall_at_50"
ANOTHER_ENCODER = "it serves another encoder than the one that proposes: until that one does, no map is in use"


def use_map(name: str, *, by: str) -> dict[str, Any]:
    """Puts a map in use: a version, "shipped" for the one that Keyline brings for its own encoder, or "none".

    Returns {in_use, beside, warning}. `beside` compares a version with the map that was in use when it was made, each
    measure with its interval. `warning` says what speaks against it: it never bars. Raises ValueError, DamagedModel.
    """
    if name == SHIPPED:
        keep_shipped()
    done = use(name, str(Kind.RELATED), by=by)
    if name == "none":
        return {"in_use": done, "beside": {}, "warning": ""}
    metrics = version_named(name, Kind.RELATED).metrics
    message = warning(metrics) if map_in_use(Encoder()) else ANOTHER_ENCODER
    return {"in_use": done, "beside": metrics.get("beside", {}), "warning": message}


def warning(metrics: Mapping[str, Any]) -> str:
    """What speaks against a version, by its measures; "" where nothing does."""
    found = metrics.get("beside", {})
    if found.get("refused"):
        return f"it was not compared: {found['refused']}"
    if LEADING not in found:
        return "" if "published" in metrics else "it was not compared with the map in use: train with --validation"
    low, value, high = (found[LEADING][each] for each in ("low", "value", "high"))
    gain = f"{interval_text(value, low, high, change_written)} recall@50 compared with {found['map'] or 'no map'}"
    if high < 0:
        return f"it finds less: {gain}"
    return f"no more than chance: {gain}" if low <= 0 else ""


def written(found: Mapping[str, Estimate], in_use: str | None, n: int) -> dict[str, Any]:
    """Differences as a version stores them."""
    return {"map": in_use, "n": n} | {name: asdict(each) for name, each in found.items()}


def keep_shipped() -> None:
    """Records the map that Keyline brings as a version. Raises ValueError where another encoder proposes."""
    encoder = Encoder()
    source = shipped_file(encoder)
    if source is None:
        raise ValueError(f"Keyline brings no map for the encoder {encoder.version.name}")
    with read() as session:
        if db.registry.version_named(session, SHIPPED):
            return
    path = write_files(folder("models"), partial(_copy, source), f"find-{SHIPPED}")
    facts = {"metrics": {"published": "docs/related.md"}, "trained_on": {"encoder": encoder.sha256}}
    manifest = manifest_of(path)
    with write(Right.PROMOTE) as session:
        register(session, Kind.RELATED, path, name=SHIPPED, manifest=manifest, created_by="Keyline", **facts)


def _copy(source: Path, into: Path) -> None:
    shutil.copyfile(source, into / FILE)
