"""Versions of trained things: registered, verified, put to use by a person, rolled back, never deleted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy.orm import Session

import db.registry
import db.rows
from annotate.project.acting import current_actor, own_name
from annotate.project.home import folder, read, write
from annotate.project.notes import Noted, note
from annotate.project.rights import Right
from annotate.registry.kinds import KINDS
from annotate.registry.new_files import write_files
from db.registry import FELL_BACK, ROLLED_BACK
from db.tables import ModelVersion, Promotion
from db.values import Kind
from model.files import verify

CHANGED = "another version came into use meanwhile; look again"
NONE = "none"
MOST_WORDS = 500


class NotPromotable(RuntimeError):
    """A version that must not come into use as things stand; the message says why."""


class Job(Protocol):
    """The job that makes a version, as this module uses it."""

    @property
    def job_id(self) -> int | None:
        """The number of the job that made the version."""

    def hold(self, session: Session) -> None:
        """Raises where the job was cancelled, or its process taken for dead: it makes no version."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A version as people see it. `parent`: the name of the one that it went on from."""

    version: ModelVersion
    parent: str | None
    in_use: bool


def listed(*kinds: Kind) -> list[Listed]:
    """All versions of these kinds, oldest first."""
    with read() as session:
        rows = db.registry.versions(session, *kinds)
        used = {found.id for kind in kinds if (found := serving(session, kind))}
    names = {row.id: row.name for row in rows}
    return [Listed(row, names.get(row.parent_id) if row.parent_id else None, row.id in used) for row in rows]


def version_named(name: str, *kinds: Kind) -> ModelVersion:
    """The version of one of these kinds with this name. Raises ValueError that lists the names."""
    with read() as session:
        found = db.registry.version_named(session, name, *kinds)
        names = [row.name for row in db.registry.versions(session, *kinds)]
    if found is None:
        raise ValueError(f"no version {name!r}; there are {', '.join(names) or 'none'}")
    return found


def serving(session: Session, kind: Kind) -> ModelVersion | None:
    """The version of a kind that is in use: the one promoted last, else perhaps the newest, as KINDS says."""
    if KINDS[kind].is_past:
        return None
    if KINDS[kind].newest_serves and db.rows.find(session, Promotion, kind=kind) is None:
        return next(reversed(db.registry.versions(session, kind)), None)
    return db.registry.promoted(session, kind)


def in_use(kind: Kind) -> ModelVersion | None:
    """The version of a kind in use, as `serving`, in a session of its own."""
    with read() as session:
        return serving(session, kind)


def undecided(kind: Kind) -> bool:
    """Whether the choice of the version that serves, or of none, is still open."""
    with read() as session:
        return db.rows.find(session, Promotion, kind=kind) is None


def model_folder(version: ModelVersion) -> Path:
    """Where a version's files are."""
    return folder(KINDS[Kind(version.kind)].within) / version.folder


def verified_folder(version: ModelVersion) -> Path:
    """The folder of a version's files, after checking every file's SHA-256. Raises DamagedModel."""
    path = model_folder(version)
    verify(path, version.manifest, KINDS[Kind(version.kind)].manifest)
    return path


def register(
    session: Session, kind: Kind, path: Path, *, name: str, manifest: Mapping[str, str], **values: Any
) -> ModelVersion:
    """Records a folder that is in its kind's place as a version. `values`: its other columns.

    `manifest`: as the kind reads it. The caller reads it before the transaction: meanwhile others may save.
    """
    values.setdefault("created_by", current_actor().name)
    values |= {"kind": str(kind), "name": name, "folder": path.name, "manifest": dict(manifest)}
    return db.rows.add(session, ModelVersion(**values))


def keep(
    kind: Kind,
    save: Callable[[Path], None],
    job: Job,
    *,
    settings: Mapping[str, Any],
    trained_on: Mapping[str, Any],
    metrics: Mapping[str, Any],
    parent: ModelVersion | None = None,
    name: str | None = None,
) -> ModelVersion:
    """Writes a new version's files and records it: it is there whole or not at all. `name`: by default the next one."""
    with read() as session:
        taken = {row.name for row in db.registry.versions(session)}
    name = name or next(f"{kind}-{n}" for n in range(1, len(taken) + 2) if f"{kind}-{n}" not in taken)
    path = write_files(folder(KINDS[kind].within), save, f"find-{name}")
    values: dict[str, Any] = {"settings": dict(settings), "trained_on": dict(trained_on), "metrics": dict(metrics)}
    values |= {"parent_id": parent.id if parent else None, "manifest": KINDS[kind].manifest(path)}
    with write(Right.TRAIN) as session:
        job.hold(session)
        note(session, Noted.RANKER, f"trained {name}, which {KINDS[kind].title}")
        return register(session, kind, path, name=name, job_id=job.job_id, **values)


def made_before(job_id: int, *kinds: Kind) -> ModelVersion | None:
    """The version of one of these kinds that an earlier attempt of this job has made."""
    with read() as session:
        return db.registry.made_by(session, job_id, *kinds)


def record(kind: Kind, path: Path, *, name: str, trained_on: Mapping[str, Any]) -> None:
    """Records files that bear the name of their content as a version, unless one of this name is there already."""
    manifest = KINDS[kind].manifest(path)
    with write(Right.SYSTEM) as session:
        if db.registry.version_named(session, name, kind) is None:
            register(session, kind, path, name=name, manifest=manifest, trained_on=dict(trained_on))


def put_to_use(session: Session, kind: Kind, version: ModelVersion | None, *, seen: int, by: str, reason: str) -> None:
    """Lets a version serve its kind from now on, or none, in the caller's transaction.

    `seen`: the last promotion, as `last_seen` gives it, when the person who chose looked. Raises NotPromotable where
    another version came into use since.
    """
    if last_seen(session, kind) != seen:
        raise NotPromotable(CHANGED)
    db.rows.add(
        session, Promotion(kind=kind, version_id=version.id if version else None, promoted_by=by, reason=reason)
    )


def last_seen(session: Session, kind: Kind) -> int:
    """The last promotion of a kind, 0 where there is none: what changes with every choice."""
    last = db.rows.find(session, Promotion, kind=kind)
    return last.id if last else 0


def promote(
    kind: Kind,
    version: ModelVersion | None,
    *,
    by: str,
    why: str = "",
    gate: Callable[[Session, ModelVersion], str] = lambda session, candidate: "promoted",
    hold: Callable[[Session], None] = lambda session: None,
) -> str:
    """Lets a version serve its kind from now on, or none, once its files are sound and the gate lets it pass.

    The gate gives the reason in words, which is returned, or raises NotPromotable. Raises that too where the version
    serves already or another one came into use meanwhile; and DamagedModel. `hold` may raise in the transaction that
    promotes. `by`: a name that was checked (own_name); `why`: in that person's words.
    """
    if version is None and not KINDS[kind].none_may_serve:
        raise NotPromotable(f"there is always a version that {KINDS[kind].serves}")
    with read() as session:
        seen, now = last_seen(session, kind), serving(session, kind)
        if version is not None and now is not None and now.id == version.id and seen:
            raise NotPromotable(f"{version.name} {KINDS[kind].serves} already")
        reason = _with(why, gate(session, version) if version else "taken out of use")
    if version is not None:
        verified_folder(version)
    with write(Right.PROMOTE) as session:
        hold(session)
        put_to_use(session, kind, version, seen=seen, by=by, reason=reason)
    return reason


def choose(kind: Kind, version: ModelVersion | None, *, by: str) -> None:
    """Makes a version, or none, the one in use, as `promote`, unless that was chosen last."""
    with read() as session:
        last = db.rows.find(session, Promotion, kind=kind)
    if last is None:
        changes = version is not None or KINDS[kind].brought  # that none serves is a choice, too
    else:
        changes = last.version_id != (version and version.id)
    if changes:
        promote(kind, version, by=by)


def _with(why: str, reason: str) -> str:
    return f"{reason}: {why.strip()[:MOST_WORDS]}" if why.strip() else reason


def served_before(session: Session, kind: Kind) -> list[int]:
    """The ids of the versions that served before the present one, the latest first.

    One that was rolled back from does not count, nor one that was left since its files were damaged, nor does none.
    """
    stack: list[int | None] = []
    for promotion, _ in reversed(db.registry.promotions(session, kind)):
        if promotion.reason.startswith((ROLLED_BACK, FELL_BACK)):
            while stack and stack.pop() != promotion.version_id:
                pass
        stack.append(promotion.version_id)
    now = serving(session, kind)
    return [number for number in reversed(stack[:-1]) if number is not None and number != (now and now.id)]


def rollback_target(session: Session, kind: Kind) -> ModelVersion | None:
    """The version that served before the present one, as `served_before` counts them."""
    if before := served_before(session, kind):
        return db.rows.get(session, ModelVersion, before[0])
    # Before the first promotion the newest of the others was in use.
    now, past = serving(session, kind), [promotion for promotion, _ in db.registry.promotions(session, kind)]
    known = {*(promotion.version_id for promotion in past), now and now.id}
    others = [other for other in db.registry.versions(session, kind) if other.id not in known]
    if past and past[-1].reason.startswith(FELL_BACK):  # to the newest that was sound
        others = [other for other in others if other.id < (past[-1].version_id or 0)]
    return others[-1] if others and KINDS[kind].newest_serves else None


def roll_back(kind: Kind, *, by: str, why: str = "", to: int | None = None) -> str:
    """Lets the version before serve again; returns its name. `to` is the one that was offered, where one was; `why`: in
    that person's words.

    Raises NotPromotable where there is none, or another one by now, and DamagedModel.
    """
    with read() as session:
        seen, target = last_seen(session, kind), rollback_target(session, kind)
    if to is not None and (target is None or target.id != to):
        raise NotPromotable(CHANGED)
    if target is None:
        raise NotPromotable("no other version was in use before")
    verified_folder(target)
    with write(Right.PROMOTE) as session:
        put_to_use(session, kind, target, seen=seen, by=own_name(by), reason=_with(why, ROLLED_BACK))
    return target.name
