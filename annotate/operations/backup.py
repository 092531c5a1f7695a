"""Backups: the database and the model files in one archive, checked before it counts; and the way back."""

import errno
import io
import json
import os
import secrets
import shutil
import tarfile
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy.orm import Session

import db.registry
import db.team.webhook_rows
from annotate.operations.kept_files import PACKED, is_file_within, kept_bytes, pack, stream_of, take_out, unpack
from annotate.project.home import database, database_address, home, read, write
from annotate.project.notes import Noted, note
from annotate.project.release import PROGRAM, release
from annotate.project.rights import Right
from annotate.project.whole_files import OWNER_ONLY, partial_folder
from annotate.registry.kinds import KINDS
from annotate.registry.versions import model_folder, verified_folder
from db.base import stamp, utc_now
from db.migrate import back_up
from db.operations.restoring import examine, settle, settle_here
from model.files import DamagedModel, sha256_of, sync

FORMAT, READS = 3, (1, 2, 3)  # the first knew no kept files, the second no tables of names
MANIFEST = "manifest.json"
DATABASE = "keyline.sqlite"
SQLITE = b"SQLite format 3\0"  # how a database begins
MODELS = frozenset(kind.within for kind in KINDS.values())
MANIFEST_BYTES = 16_000_000

Report = Callable[[str, int, int], None]


class DamagedBackup(RuntimeError):
    """An archive that differs from its manifest; nothing of it is used."""


@dataclass(slots=True)
class Contents:
    """The files of an archive by their names in it, with what its manifest says of each; versions left out, and why."""

    paths: dict[str, Path] = field(default_factory=dict)
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, path: Path, sha256: str) -> None:
        """One more file."""
        self.paths[name] = path
        self.files[name] = {"sha256": sha256, "bytes": path.stat().st_size}


def write_backup(
    target: Path, *, models_only: bool = False, spare_bytes: int = 0, report: Report = lambda stage, done, total: None
) -> dict[str, Any]:
    """Writes an archive of the database, of all versions' files and of kept ones, whole or not at all; its manifest.

    The database is as it was at one moment after the call began, even if others write meanwhile. Versions whose files
    are damaged are left out and named. The archive is read again and checked before it gets its name. `spare_bytes`
    must stay free on the disk. Raises ValueError for a name that is taken, OSError, DamagedCopy, DamagedBackup.
    """
    if target.exists():
        raise ValueError(f"{target} is there already; name a new file")
    started = time.monotonic()
    with _partial(target) as partial:
        contents = Contents()
        manifest: dict[str, Any] = {"format": FORMAT, "made_at": utc_now(), "release": release()}
        _check_room(target.parent, spare_bytes, models_only)
        if pack(partial / PACKED):
            contents.add(PACKED, partial / PACKED, sha256_of(partial / PACKED))
        if not models_only:
            report("copying the database", 0, 0)
            copy = partial / DATABASE
            back_up(sqlite_file(), copy)
            report("checking the copy", 0, 0)
            examined = examine(copy)
            manifest |= {"schema": examined.schema, "rows": examined.rows}
            contents.add(DATABASE, copy, sha256_of(copy))
        _add_models(contents, report)
        manifest |= {"files": contents.files, "left_out": contents.left_out}
        archive = partial / "archive.tar"
        _write_archive(archive, manifest, contents.paths, report)
        report("reading it again", 0, 0)
        read_backup(archive)
        _into_place(archive, target)
    return manifest | {"bytes": target.stat().st_size, "seconds": round(time.monotonic() - started, 2)}


def write_database_copy(target: Path) -> None:
    """Writes a sound copy of the database, without other files, whole or not at all. Raises as `write_backup` does."""
    if target.exists():
        raise ValueError(f"{target} is there already; name a new file")
    with _partial(target) as partial:
        copy = partial / DATABASE
        back_up(sqlite_file(), copy)
        examine(copy)
        copy.chmod(OWNER_ONLY)
        sync(copy)
        _into_place(copy, target)


def sqlite_file() -> Path:
    """The database's file. Raises ValueError, with what to type instead, where the database is PostgreSQL."""
    address = database()
    if isinstance(address, Path):
        return address
    raise ValueError(
        'PostgreSQL is backed up by its own tool: pg_dump --format=custom --file=keyline.dump "$DATABASE_URL"; '
        f"add the model files with: {PROGRAM} backup models.tar --models-only"
    )


def read_backup(archive: Path, into: Path | None = None) -> dict[str, Any]:
    """The manifest of an archive after every file of it was read and its SHA-256 compared; written `into` a folder.

    A copy of the database alone counts as an archive of this one file. Raises DamagedBackup for anything else than
    exactly the files of the manifest, DamagedCopy, OSError where it cannot be read.
    """
    with archive.open("rb") as file:
        if file.read(len(SQLITE)) == SQLITE:
            return _read_copy(archive, into)
    try:
        with tarfile.open(archive, "r:") as tar:
            members = iter(tar)
            first = next(members, None)
            if first is None or first.name != MANIFEST or not first.isreg() or first.size > MANIFEST_BYTES:
                raise DamagedBackup(f"{archive.name} is no backup of Keyline: it does not begin with {MANIFEST}")
            manifest: dict[str, Any] = json.loads(stream_of(tar, first).read())
            if manifest["format"] not in READS:
                raise DamagedBackup(f"{archive.name} has format {manifest['format']}; this release reads {READS}")
            missing = dict(manifest["files"])
            for member in members:
                # No links, devices or folders; nothing that the manifest does not name, or that comes twice.
                named = is_file_within(member, MODELS) or (member.isreg() and member.name in (DATABASE, PACKED))
                if not named or member.name not in missing:
                    raise DamagedBackup(f"{archive.name}: {member.name!r} does not belong into a backup")
                wanted = missing.pop(member.name)
                if take_out(tar, member, into and into / member.name) != wanted["sha256"]:
                    raise DamagedBackup(f"{archive.name}: {member.name} is damaged")
    except (tarfile.TarError, ValueError, LookupError, TypeError, AttributeError, EOFError) as error:
        raise DamagedBackup(f"{archive.name} is no sound backup: {error}") from error
    if missing:
        raise DamagedBackup(f"{archive.name}: {sorted(missing)[0]} is missing")
    return manifest


def _read_copy(copy: Path, into: Path | None) -> dict[str, Any]:
    if (newest := copy.with_name(f"{copy.name}-wal")).exists() and newest.stat().st_size:
        raise DamagedBackup(
            f"{newest.name} holds the newest rows of {copy.name}: put both into the new data folder as they are, "
            f"or copy the database by: {PROGRAM} backup copy.sqlite"
        )
    with TemporaryDirectory(prefix="keyline-copy-") as folder:  # looking at it must leave no file next to it
        looked_at = (into or Path(folder)) / DATABASE
        shutil.copyfile(copy, looked_at)
        looked_at.chmod(OWNER_ONLY)
        examined = examine(looked_at)
    made_at = stamp(datetime.fromtimestamp(copy.stat().st_mtime, UTC))
    return {"made_at": made_at, "release": "", "schema": examined.schema, "rows": examined.rows, "files": {}}


def restore(archive: Path) -> dict[str, Any]:
    """Makes the data folder from an archive, or a copy of the database: all of it, after all checks, or nothing.

    Returns the manifest. Raises ValueError unless the data folder is empty or not there, DamagedBackup, DamagedCopy,
    OSError.
    """
    target = home()
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ValueError(f"{target} is not empty; set KEYLINE_HOME to a new folder, restore there, then look at it")
    target.parent.mkdir(parents=True, exist_ok=True)
    with partial_folder(target.parent, ".keyline-restore-") as folder:
        partial = folder / "home"
        partial.mkdir(mode=0o700)
        manifest = read_backup(archive, partial)
        if "schema" in manifest:
            _check_database(archive, partial / DATABASE, manifest)
        if PACKED in manifest["files"]:
            try:
                unpack(partial / PACKED, partial)
            except (tarfile.TarError, ValueError) as error:
                raise DamagedBackup(f"{archive.name}: {PACKED} is damaged: {error}") from error
            (partial / PACKED).unlink()
        for path in sorted(partial.rglob("*"), reverse=True):
            sync(path)
        try:
            partial.rename(target)  # takes the place of an empty folder too, in one step
        except OSError as error:
            problem = f"{target} cannot be replaced (a mount point?): restore into a folder in it"
            raise OSError(error.errno, problem) from error
    sync(target.parent)
    if "schema" in manifest:
        with write(Right.OPERATE) as session:
            facts = {name: manifest[name] for name in ("made_at", "release")}
            _note_restore(session, f"Restored the backup of {manifest['made_at']}", **facts)
    return manifest


def settle_dump() -> None:
    """Ends, in a PostgreSQL database that was restored by its own tool, the jobs, logins and API tokens that lasted
    when the dump was made. Raises ValueError for a SQLite file."""
    if isinstance(database_address(), Path):
        raise ValueError("DATABASE_URL is not set: it must name the restored PostgreSQL database")
    with write(Right.OPERATE) as session:
        settle_here(session)
        _note_restore(session, "Restored a dump of PostgreSQL")


def _note_restore(session: Session, summary: str, **facts: Any) -> None:
    # From here on new rows get ids that rows after the backup had: messages about them need another name.
    after = {"branches": db.team.webhook_rows.newest_ids(session), "name": secrets.token_hex(4)}
    note(session, Noted.RESTORE, summary, **facts, after=after)


def _check_database(archive: Path, path: Path, manifest: Mapping[str, Any]) -> None:
    if not isinstance(database_address(), Path):
        raise ValueError("DATABASE_URL is set, but the backup holds a SQLite database: unset it to restore")
    examined = examine(path)
    if examined.rows != manifest["rows"] or examined.schema != manifest["schema"]:
        raise DamagedBackup(f"{archive.name}: the database does not match the manifest")
    settle(path)


def _partial(target: Path) -> AbstractContextManager[Path]:
    """A folder next to the target, so that a file made in it can be renamed."""
    if not target.parent.is_dir():
        raise ValueError(f"there is no folder {target.parent}")
    return partial_folder(target.parent, ".keyline-backup-")


def _add_models(contents: Contents, report: Report) -> None:
    with read() as session:
        versions = db.registry.versions(session)
    for number, version in enumerate(versions):
        report("checking the model files", number, len(versions))
        try:
            folder = verified_folder(version)
        except DamagedModel as error:  # the verdicts are worth a backup all the same
            contents.left_out[version.name] = str(error)
            continue
        for name, sha256 in version.manifest.items():
            contents.add(str(folder.relative_to(home()) / name), folder / name, sha256)


def _check_room(folder: Path, spare_bytes: int, models_only: bool) -> None:
    """The copy of the database is there twice for a moment: by itself and in the archive."""
    with read() as session:
        folders = [model_folder(version) for version in db.registry.versions(session)]
    needed = sum(path.stat().st_size for models in folders for path in models.rglob("*") if path.is_file())
    needed += 2 * kept_bytes()
    if not models_only:
        path = sqlite_file()
        needed += 2 * sum(file.stat().st_size for file in (path, path.with_name(f"{path.name}-wal")) if file.exists())
    free = shutil.disk_usage(folder).free
    if free < needed + spare_bytes:
        raise OSError(
            errno.ENOSPC,
            f"too little disk space for a backup: {free / 1e9:.1f} GB are free, {needed / 1e9:.1f} GB are needed"
            + (f", and {spare_bytes / 1e9:.1f} GB must stay free" if spare_bytes else ""),
        )


def _write_archive(archive: Path, manifest: dict[str, Any], paths: Mapping[str, Path], report: Report) -> None:
    first = json.dumps(manifest, ensure_ascii=False, indent=1).encode()
    with (
        os.fdopen(os.open(archive, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY), "wb") as file,
        tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        tar.addfile(_member(MANIFEST, len(first)), io.BytesIO(first))
        for number, (name, path) in enumerate(paths.items()):
            report("writing", number, len(paths))
            with path.open("rb") as source:
                tar.addfile(_member(name, manifest["files"][name]["bytes"]), source)
        tar.close()
        file.flush()
        os.fsync(file.fileno())


def _member(name: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = size, OWNER_ONLY, int(time.time())
    return member


def _into_place(path: Path, target: Path) -> None:
    path.rename(target)
    sync(target.parent)
