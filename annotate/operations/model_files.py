"""Whether the proposing version's files are what was saved; where they are not, the last sound version proposes."""

import shutil
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.orm import Session

import db.proposing.versions
from annotate.jobs import lifecycle
from annotate.project.home import folder, read, write
from annotate.project.rights import Right
from annotate.proposing.versions import EMBEDDED, copy_embedded, model_folder, register, verified_folder
from db.tables import ModelVersion
from model.files import DamagedModel, embedded_encoder, manifest_of

# The first words of the reason of a promotion that nobody clicked: by them the pages tell of it.
FELL_BACK = "damaged files: "
# Files that look untouched are read again after this: a disk may lose a bit without a word.
FULL_SECONDS = 24 * 3600
_lock = threading.Lock()


@dataclass(slots=True)
class _Known:
    """What was found last of one version's files, by how they looked then."""

    signature: tuple[tuple[str, int, int], ...]
    read_at: float
    damage: str | None


_known: dict[Path, _Known] = {}


def damage_of(version: ModelVersion, *, read_anew: bool = False) -> str | None:
    """What is wrong with a version's files, None where they are sound.

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


def tick() -> str | None:
    """Looks at the proposing version; where it is damaged, lets the last sound one propose and returns its name.

    Of the versions that have proposed before it, the latest that is sound; the embedded encoder is copied anew from
    its package if need be. Where none is left, nothing changes but the pages tell of it.
    """
    with read() as session:
        serving = db.proposing.versions.promoted(session)
    if serving is None or damage_of(serving) is None or _mended(serving):
        return None
    sound = _last_sound(serving)
    if sound is None:
        return None
    with write(Right.PROMOTE) as session:
        present = db.proposing.versions.promoted(session)
        if present is None or present.id != serving.id:  # somebody was faster
            return None
        reason = f"{FELL_BACK}{damage_of(serving)}"
        db.proposing.versions.insert_promotion(session, sound.id, promoted_by="Keyline", reason=reason)
    with suppress(lifecycle.AlreadyRunning):  # a pass that runs already turns to the promoted version before it ends
        lifecycle.start("propose", {})
    return sound.name


def _last_sound(serving: ModelVersion) -> ModelVersion | None:
    with read() as session:
        order = [promotion.version_id for promotion, _ in db.proposing.versions.promotions(session)]
        versions = {version.id: version for version in db.proposing.versions.versions(session)}
    for version_id in dict.fromkeys(order):
        version = versions[version_id]
        if version_id != serving.id and (damage_of(version) is None or _mended(version)):
            return version
    return _embedded_anew({version.name for version in versions.values()})


def _mended(version: ModelVersion) -> bool:
    """Whether this was the embedded encoder, and its files are those of the package again. What was damaged goes."""
    if version.folder != EMBEDDED:
        return False
    package = manifest_of(embedded_encoder())
    if any(package.get(name) != sha256 for name, sha256 in version.manifest.items()):
        return False
    target = model_folder(version)
    shutil.rmtree(target, ignore_errors=True)
    copy_embedded(target)
    return damage_of(version) is None


def _embedded_anew(taken: set[str]) -> ModelVersion | None:
    """The embedded encoder as a new version, where the project has none of its name."""
    if EMBEDDED in taken:
        return None
    target = folder("models") / EMBEDDED
    if not target.exists():
        copy_embedded(target)
    with write(Right.PROMOTE) as session:
        return register(session, target, name=EMBEDDED, encoder=EMBEDDED)


def serving_notice(session: Session) -> str | None:
    """What maintainers must know of the proposing version's files: that another one proposes instead, or none can."""
    latest = db.proposing.versions.latest_promotion(session)
    if latest is None:
        return None
    promotion, version = latest
    path = model_folder(version)
    known = _known.get(path)
    if known is not None and known.damage is not None and known.signature == _signature(path):
        return (
            f"The files of {version.name}, which proposes, are damaged, and no other version can take its place: "
            f"{known.damage}. Bring its folder back from a backup. What is proposed already can be reviewed."
        )
    if promotion.reason.startswith(FELL_BACK):
        return (
            f"{version.name} proposes, since the version before it cannot be loaded: "
            f"{promotion.reason.removeprefix(FELL_BACK)}. Bring its folder back from a backup and promote it again; "
            "any promotion ends this message."
        )
    return None
