"""Backups: whole or not at all, under load, checked before they count; restored whole, or nothing."""

import errno
import hashlib
import io
import json
import os
import shutil
import tarfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

import annotate.operations.backup
import db.jobs
import db.registry
from annotate.cli.main import main
from annotate.gold.label_sets import current_label_set
from annotate.operations.backup import MANIFEST, DamagedBackup, read_backup, restore, write_backup, write_database_copy
from annotate.operations.model_files import damage_of
from annotate.operations.server_status import server_status
from annotate.project.home import home as data_folder
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.registry.versions import model_folder, verified_folder
from annotate.review.verdicts import record
from db.engine import sqlite_module
from db.operations.restoring import STOPPED, DamagedCopy
from tests.support.browser import serving
from tests.support.making import judge, paper, query, store, store_proposed, verdict, version_without_weights
from tests.support.oracle import assert_sound

pytestmark = [pytest.mark.usefixtures("home"), pytest.mark.sqlite]


@pytest.fixture
def archive(home: Path, tmp_path: Path) -> Path:
    """The backup of three reviewed articles and a version."""
    store_proposed(3)
    judge("Anna", 1, verdict(0), verdict(1, "reject"))
    path = tmp_path / "keyline.tar"
    write_backup(path)
    return path


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Path]:
    """Turns to a data folder that is not there yet."""

    def turn() -> Path:
        monkeypatch.setenv("KEYLINE_HOME", str(tmp_path / "other" / "keyline"))
        return tmp_path / "other" / "keyline"

    return turn


def members(path: Path) -> dict[str, bytes]:
    with tarfile.open(path) as tar:
        return {member.name: tar.extractfile(member).read() for member in tar}  # type: ignore[union-attr]


def packed(path: Path, files: dict[str, bytes], change: Callable[[tarfile.TarInfo], None] = lambda _: None) -> Path:
    """An archive of these files, in order; `change` may alter each entry."""
    with tarfile.open(path, "w") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            change(member)
            tar.addfile(member, io.BytesIO(content) if member.isreg() else None)
    return path


def with_manifest(files: dict[str, bytes], change: Callable[[dict[str, Any]], None]) -> dict[str, bytes]:
    manifest = json.loads(files[MANIFEST])
    change(manifest)
    return files | {MANIFEST: json.dumps(manifest).encode()}


def leftovers(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(".keyline")]


def test_a_backup_holds_the_database_and_the_files_of_every_version_with_their_hashes(archive):
    manifest = read_backup(archive)
    assert set(manifest["files"]) == {"keyline.sqlite", "models/tiny/config.json", "models/tiny/model.safetensors"}
    assert manifest["rows"]["article"] == 3 and manifest["rows"]["verdict"] == 2
    assert manifest["schema"] == query("SELECT version_num FROM alembic_version")[0][0]
    assert manifest["left_out"] == {} and manifest["release"] and manifest["made_at"].endswith("Z")
    assert archive.stat().st_mode & 0o777 == 0o600
    assert leftovers(archive.parent) == []


def test_the_key_that_signs_review_pages_is_in_no_backup(archive):
    (data_folder() / "secret.key").write_bytes(b"s" * 32)
    other = archive.with_name("other.tar")
    write_backup(other)
    assert not [name for name in members(other) if "secret" in name]


def test_answers_of_a_language_model_how_far_a_webhook_is_and_loaded_names_come_back(archive, elsewhere):
    kept = {
        "llm/abc/asked.json": b"{}",
        "llm/abc/0f/0f11.json": b'{"scores": [1]}',
        "llm/spent.jsonl": b'{"id": "a"}\n',
        "webhook/progress.json": b'{"sent": 3}',
        "vocabularies/tables.json": b"[]",
        "vocabularies/genes-0f.tsv.gz": b"names",
    }
    made_again = ("webhook/lock", "llm/abc/.keyline-half.json", "vocabularies/compiled-genes-0f/names")
    for name, content in (kept | dict.fromkeys(made_again, b"x")).items():
        (data_folder() / name).parent.mkdir(parents=True, exist_ok=True)
        (data_folder() / name).write_bytes(content)
    for number, options in enumerate(({}, {"models_only": True})):
        assert "kept.tar" in write_backup(archive.with_name(f"with-{number}.tar"), **options)["files"]
    folder = elsewhere()
    restore(archive.with_name("with-0.tar"))
    found = [path for name in ("llm", "webhook", "vocabularies") for path in (folder / name).rglob("*")]
    assert {str(path.relative_to(folder)): path.read_bytes() for path in found if path.is_file()} == kept
    assert not (folder / "kept.tar").exists() and leftovers(folder.parent) == []


def test_a_backup_of_the_first_format_is_read(archive, elsewhere):
    packed(archive, with_manifest(members(archive), lambda manifest: manifest.update(format=1)))
    elsewhere()
    assert restore(archive)["rows"]["article"] == 3


def test_a_restored_folder_has_the_same_rows_versions_and_labels(archive, elsewhere):
    with read() as session:
        before = current_label_set(session).sha256
    folder = elsewhere()
    restore(archive)
    with read() as session:
        assert current_label_set(session).sha256 == before
        version = db.registry.encoder_in_use(session)
    assert verified_folder(version) == folder / "models" / "tiny"
    assert query("SELECT kind, summary FROM history")[-1][0] == "restore"
    assert_sound([row[0] for row in query("SELECT event_id FROM verdict")])
    judge("Anna", 2, verdict(0))  # and work goes on
    assert leftovers(folder.parent) == []


def test_what_was_running_is_over_in_a_restored_folder_and_nobody_is_logged_in(archive, elsewhere):
    rows = (
        "INSERT INTO account (annotator_id, role, disabled, session_epoch, created_at)"
        " VALUES (1, 'admin', 0, 1, 'now')",
        "INSERT INTO login_session (token_sha256, account_id, epoch, address, browser, created_at, expires_at)"
        " VALUES ('a', 1, 1, '', '', 'now', '2999')",
        "INSERT INTO api_token (token_sha256, account_id, epoch, annotator, name, created_at)"
        " VALUES ('a', 1, 1, 'Anna', 'script', 'now')",
    )
    with write(Right.SYSTEM) as session:
        for row in rows:
            session.execute(text(row))
        db.jobs.insert_job(session, "train", {})
    path = archive.with_name("busy.tar")
    write_backup(path)
    elsewhere()
    restore(path)
    assert query("SELECT state, error FROM job") == [("cancelled", STOPPED)]
    assert query("SELECT count(*) FROM login_session WHERE ended_at IS NULL") == [(0,)]
    assert query("SELECT count(*) FROM api_token WHERE revoked_at IS NULL") == [(0,)]


def test_a_folder_that_holds_something_is_never_restored_into(archive, elsewhere):
    folder = elsewhere()
    folder.mkdir(parents=True)
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match="is not empty"):
        restore(archive)
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]
    (folder / "notes.txt").unlink()
    restore(archive)  # an empty one will do
    assert (folder / "keyline.sqlite").exists()


def flipped(path: Path, where: float) -> None:
    content = bytearray(path.read_bytes())
    content[int(len(content) * where)] ^= 1
    path.write_bytes(content)


def test_a_flipped_bit_anywhere_in_the_files_is_found_and_nothing_is_put_in_place(archive, elsewhere):
    folder = elsewhere()
    sound = archive.read_bytes()
    with tarfile.open(archive) as tar:
        spans = [(member.offset_data, member.size) for member in tar]
    for offset, length in spans:
        archive.write_bytes(sound)
        flipped(archive, (offset + length // 2) / len(sound))
        with pytest.raises((DamagedBackup, DamagedCopy)):
            restore(archive)
        assert not folder.exists() and leftovers(folder.parent) == []


@pytest.mark.parametrize("part", [0, 0.001, 0.3, 0.7, 0.97])
def test_a_truncated_archive_is_refused(archive, elsewhere, part):
    content = archive.read_bytes()
    archive.write_bytes(content[: int(len(content) * part)])
    elsewhere()
    with pytest.raises(DamagedBackup):
        restore(archive)
    assert not data_folder().exists()


def link(member: tarfile.TarInfo, kind: bytes = tarfile.SYMTYPE) -> None:
    if member.name.endswith("config.json"):
        member.type, member.linkname, member.size = kind, "/etc/passwd", 0


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE])
def test_links_devices_and_folders_in_an_archive_are_refused(archive, elsewhere, kind):
    packed(archive, members(archive), lambda member: link(member, kind))
    elsewhere()
    with pytest.raises(DamagedBackup):
        restore(archive)
    assert not data_folder().exists()


@pytest.mark.parametrize(
    "name",
    ["../evil", "/etc/evil", "models/../../evil", "secret.key", "models/x\0y", "keyline.sqlite-wal", "models", "."],
)
def test_names_that_lead_elsewhere_are_refused_even_where_the_manifest_names_them(archive, elsewhere, name):
    evil = {"sha256": hashlib.sha256(b"evil").hexdigest(), "bytes": 4}
    files = with_manifest(members(archive), lambda manifest: manifest["files"].update({name: evil}))
    packed(archive, files | {name: b"evil"})
    folder = elsewhere()
    for look in (read_backup, restore):
        with pytest.raises(DamagedBackup):
            look(archive)
    assert (
        not folder.exists() and not (folder.parent / "evil").exists() and not (folder.parent.parent / "evil").exists()
    )


def test_an_archive_holds_exactly_what_its_manifest_names(archive, elsewhere):
    elsewhere()
    files = members(archive)
    without = {name: content for name, content in files.items() if not name.endswith("config.json")}
    for wrong, words in ((files | {"models/tiny/more.bin": b"x"}, "does not belong"), (without, "is missing")):
        packed(archive, wrong)
        with pytest.raises(DamagedBackup, match=words):
            restore(archive)
    with tarfile.open(archive, "w") as tar:  # one file twice: the second would win
        for name, content in [*files.items(), ("models/tiny/config.json", files["models/tiny/config.json"])]:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    with pytest.raises(DamagedBackup, match="does not belong"):
        restore(archive)


def test_a_database_that_is_not_that_of_the_manifest_is_refused(archive, elsewhere):
    files = with_manifest(members(archive), lambda manifest: manifest["rows"].update(verdict=3))
    packed(archive, files)
    elsewhere()
    with pytest.raises(DamagedBackup, match="does not match the manifest"):
        restore(archive)
    assert not data_folder().exists()


@pytest.mark.parametrize("content", [b"", b"not a tar", b"\0" * 10240])
def test_what_is_no_archive_is_refused_in_words(tmp_path, content):
    path = tmp_path / "x.tar"
    path.write_bytes(content)
    with pytest.raises(DamagedBackup, match=r"x\.tar is no"):
        read_backup(path)


def test_the_backup_of_a_newer_release_is_refused_with_the_remedy(archive, elsewhere):
    files = members(archive)
    path = archive.with_name("newer.sqlite")
    path.write_bytes(files["keyline.sqlite"])

    connection = sqlite_module.connect(path)
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    new = path.read_bytes()
    sha256 = hashlib.sha256(new).hexdigest()
    entry = {"keyline.sqlite": {"sha256": sha256, "bytes": len(new)}}
    packed(archive, with_manifest(files | {"keyline.sqlite": new}, lambda manifest: manifest["files"].update(entry)))
    elsewhere()
    assert main(["restore", str(archive)]) == 1
    assert not data_folder().exists()


def test_a_version_with_damaged_files_is_left_out_and_named_and_the_verdicts_are_saved(archive, capsys):
    with read() as session:
        version = db.registry.encoder_in_use(session)
    (model_folder(version) / "model.safetensors").write_bytes(b"other")
    path = archive.with_name("second.tar")
    assert main(["backup", str(path), "--json"]) == 3
    told = json.loads(capsys.readouterr().out)
    assert "model.safetensors was changed" in told["left_out"]["tiny"]
    assert set(read_backup(path)["files"]) == {"keyline.sqlite"}


def test_a_file_that_is_there_is_never_written_over(archive):
    before = archive.read_bytes()
    for path in (archive, archive.with_name("a.sqlite")):
        path.write_bytes(before)
        assert main(["backup", str(path)]) == 1
        assert path.read_bytes() == before


def test_too_little_space_is_told_before_anything_is_written(archive, monkeypatch):
    usage = shutil.disk_usage(archive.parent)
    monkeypatch.setattr(annotate.operations.backup.shutil, "disk_usage", lambda path: usage._replace(free=1_000))
    target = archive.with_name("none.tar")
    with pytest.raises(OSError, match="too little disk space") as caught:
        write_backup(target)
    assert caught.value.errno == errno.ENOSPC
    assert not target.exists() and leftovers(target.parent) == []


@pytest.mark.parametrize("step", ["back_up", "_write_archive", "read_backup", "_into_place"])
def test_a_backup_that_fails_anywhere_leaves_nothing_behind(archive, monkeypatch, step):
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(annotate.operations.backup, step, full)
    target = archive.with_name("none.tar")
    with pytest.raises(OSError, match="No space left"):
        write_backup(target)
    assert not target.exists() and leftovers(target.parent) == []


def test_the_database_alone_is_copied_where_the_name_ends_in_sqlite(archive, capsys):
    path = archive.with_name("alone.sqlite")
    assert main(["backup", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["bytes"] == path.stat().st_size
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(ValueError, match="is there already"):
        write_database_copy(path)


def test_models_alone_are_backed_up_and_restored_where_the_database_is_elsewhere(archive, elsewhere):
    path = archive.with_name("models.tar")
    assert main(["backup", str(path), "--models-only"]) == 0
    assert "schema" not in read_backup(path)
    folder = elsewhere()
    restore(path)
    assert sorted(child.name for child in folder.iterdir()) == ["models"]


def test_a_backup_under_load_restores_to_an_app_with_everything_that_was_acknowledged_before_it(
    home, tmp_path, elsewhere
):
    """The restore drill: eight writers write while it is made; then the restored folder is served."""
    store(*(paper(pmid=str(number)) for number in range(1, 9)))
    version_without_weights("tiny")
    acknowledged: list[str] = []
    stop = threading.Event()

    def annotate_article(number: int) -> None:
        while not stop.is_set():
            stored, refused = record(f"Expert {number}", number, [verdict(0), verdict(1, "reject")])
            assert not refused
            acknowledged.extend(stored)

    threads = [threading.Thread(target=annotate_article, args=(number,)) for number in range(1, 9)]
    for thread in threads:
        thread.start()
    try:
        archives = []
        for number in range(3):
            while len(acknowledged) < 100 * (number + 1):
                stop.wait(0.01)
            before = list(acknowledged)
            path = tmp_path / f"{number}.tar"
            manifest = write_backup(path)
            archives.append((path, before, manifest))
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert len(acknowledged) > len(archives[-1][1])  # they wrote meanwhile
    path, before, manifest = archives[-1]
    original = {row[0]: row for row in query("SELECT event_id, value, sentence_id, id FROM verdict")}
    with read() as session:
        until = query("SELECT id FROM verdict ORDER BY id LIMIT 1 OFFSET :n", n=manifest["rows"]["verdict"] - 1)[0][0]
        labels_then = current_label_set(session, until_verdict=until).sha256
    folder = elsewhere()
    restore(path)
    assert_sound(before, sent=acknowledged)
    restored = {row[0]: row for row in query("SELECT event_id, value, sentence_id, id FROM verdict")}
    assert len(restored) == manifest["rows"]["verdict"] and restored.items() <= original.items()
    with read() as session:
        assert current_label_set(session).sha256 == labels_then
    with serving(folder):
        assert server_status().articles == 8
    with read() as session:
        assert damage_of(db.registry.encoder_named(session, "tiny")) is None
