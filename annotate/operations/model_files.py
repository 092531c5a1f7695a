"""Whether the files of the versions in use are unchanged since they were saved; if not, the last sound version
serves."""

import shutil
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.orm import Session

import db.registry
import db.rows
from annotate.jobs import lifecycle
from annotate.project import logs
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.encoder_versions import EMBEDDED, copy_embedded, embedded_folder, register_encoder
from annotate.registry import versions
from annotate.registry.kinds import KINDS
from annotate.registry.versions import NotPromotable, model_folder, verified_folder
from db.registry import FELL_BACK
from db.tables import ModelVersion, Promotion
from db.values import Kind
from model.files import DamagedModel, embedded_encoder, manifest_of

# Files that look untouched are read again after this: a disk may lose a bit without a word.
FULL_SECONDS = 24 * 3600
_lock = threading.Lock()


@dataclass(slots=True)
class _Known:
    """The last check of one version's files, with their sizes and times then."""

    signature: tuple[tuple[str, int, int], ...]
    read_at: float
    damage: str | None


_known: dict[Path, _Known] = {}


def damage_of(version: ModelVersion, *, read_anew: bool = False) -> str | None:
    """The damage of a version's files in words, None where they are sound.

    They are read (0.1 s for 90 MB) where names, sizes or times have changed, once a day, or on request.
    """
    path = model_folder(version)
    signature = _signature(path)
    with _lock:
        known = _known.get(path)
    fresh = known is not None and known.signature == signature and time.monotonic() - known.read_at < FULL_SECONDS
    if known is not None and fresh and not read_anew:
        return known.damage
    damage = None
    try:
        verified_folder(version)
    except DamagedModel as error:
        damage = str(error)
    with _lock:
        _known[path] = _Known(signature, time.monotonic(), damage)
    return damage


def _signature(path: Path) -> tuple[tuple[str, int, int], ...]:
    if not path.is_dir():
        return ()
    found = []
    for file in sorted(path.rglob("*")):
        with suppress(FileNotFoundError):  # removed meanwhile
            stat = file.stat()
            found.append((file.relative_to(path).as_posix(), stat.st_size, stat.st_mtime_ns))
    return tuple(found)


def tick() -> list[str]:
    """Looks at the version in use of each kind; returns the names of those that took the place of damaged ones.

    Of the versions that have served before it, the latest that is sound, as `_last_sound` says; the embedded encoder is
    copied again from its package if need be. Where none is left, nothing changes but the pages tell of it.
    """
    names = [name for kind in KINDS if (name := _look_at(kind))]
    if names:
        logs.warning("model files damaged", serving_now=names)
    return names


def _look_at(kind: Kind) -> str | None:
    with read() as session:
        serving, seen = versions.serving(session, kind), versions.last_seen(session, kind)
    if serving is None or damage_of(serving) is None or _mended(serving):
        return None
    sound = _last_sound(serving)
    if sound is None:
        return None
    reason = f"{FELL_BACK}{damage_of(serving)}"
    try:
        with write(Right.PROMOTE) as session:
            versions.put_to_use(session, kind, sound, seen=seen, by="Keyline", reason=reason)
    except NotPromotable:  # somebody was faster
        return None
    if KINDS[kind].job:
        lifecycle.start_if_none_runs(KINDS[kind].job, {})  # one that runs already turns to the promoted version
    return sound.name


def _last_sound(serving: ModelVersion) -> ModelVersion | None:
    """The latest of those that served before, then the newest of the others where no promotion is needed, then the
    embedded encoder; one that was rolled back from only where nothing else is sound."""
    kind = Kind(serving.kind)
    with read() as session:
        before = versions.served_before(session, kind)
        promoted = [promotion.version_id or 0 for promotion, _ in db.registry.promotions(session, kind)]
        known = {version.id: version for version in db.registry.versions(session, kind) if version.id != serving.id}
    if KINDS[kind].newest_serves:
        before += [number for number in reversed(known) if number not in promoted]
    embedded = _embedded_anew if kind is Kind.ENCODER else lambda: None
    return _first_sound(known, before) or embedded() or _first_sound(known, promoted)


def _first_sound(known: Mapping[int, ModelVersion], order: Iterable[int]) -> ModelVersion | None:
    found = (known[number] for number in order if number in known)
    return next((version for version in found if damage_of(version) is None or _mended(version)), None)


def _mended(version: ModelVersion) -> bool:
    """Whether this was the embedded encoder, and its files are the package's again. Damaged files go."""
    if version.folder != EMBEDDED:
        return False
    package = manifest_of(embedded_encoder())
    if any(package.get(name) != sha256 for name, sha256 in version.manifest.items()):
        return False
    target = model_folder(version)
    shutil.rmtree(target, ignore_errors=True)
    copy_embedded(target)
    return damage_of(version) is None


def _embedded_anew() -> ModelVersion | None:
    """The embedded encoder as a new version, where the project has none of its name."""
    with read() as session:
        if db.registry.version_named(session, EMBEDDED):
            return None
    target = embedded_folder()
    manifest = manifest_of(target)
    with write(Right.PROMOTE) as session:
        return register_encoder(session, target, name=EMBEDDED, encoder=EMBEDDED, manifest=manifest)


def serving_notice(session: Session) -> str | None:
    """What maintainers must know of the files of versions in use: that others serve instead, or none can."""
    return " ".join(notice for kind in KINDS if (notice := _notice(session, kind))) or None


def _notice(session: Session, kind: Kind) -> str | None:
    version, last = versions.serving(session, kind), db.rows.find(session, Promotion, kind=kind)
    if version is None:
        return None
    serves, path = KINDS[kind].serves, model_folder(version)
    known = _known.get(path)
    if known is not None and known.damage is not None and known.signature == _signature(path):
        return (
            f"The files of {version.name}, which {serves}, are damaged, and no other version can take its place: "
            f"{known.damage}. Bring its folder back from a backup. Existing proposals can be reviewed."
        )
    if last is not None and last.reason.startswith(FELL_BACK):
        return (
            f"{version.name} {serves}, since the version before it cannot be loaded: "
            f"{last.reason.removeprefix(FELL_BACK)}. Bring its folder back from a backup and promote it again; "
            "any promotion ends this message."
        )
    return None
