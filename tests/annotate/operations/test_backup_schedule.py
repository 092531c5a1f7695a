"""Scheduled backups: when one is due whatever the clock does, how many are kept, and what a failure leaves."""

import errno
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import annotate.operations.backup_schedule
import db.jobs
import db.rows
from annotate.jobs import lifecycle
from annotate.jobs.lifecycle import run_here
from annotate.operations.backup import read_backup
from annotate.operations.backup_schedule import BackupSettings, archives, back_up_project, tick, why_not_due
from annotate.operations.server_status import server_status
from annotate.project.home import folder, read, write
from annotate.project.rights import Right
from annotate.project.stored_settings import change_settings, settings_now
from annotate.project.whole_files import IN_USE, partial_folder
from db.tables import Setting
from tests.support.making import paper, query, store
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.usefixtures("home"), pytest.mark.sqlite]
NOW = datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
HANDLERS = {"backup": back_up_project}


@pytest.fixture(autouse=True)
def stocked(home: Path) -> None:
    """One article: an empty project is not backed up."""
    store(paper(pmid="1"))


def back_up() -> dict[str, Any]:
    return run_here("backup", {"scheduled": True}, HANDLERS, lambda progress: None)


def job_of(state: str, at: datetime, **values: Any) -> None:
    """A backup job that was begun then and ended so."""
    with write(Right.SYSTEM) as session:
        job_id = db.jobs.insert_job(session, "backup", {})
        db.jobs.change(session, job_id, from_states=("queued",), created_at=at.isoformat(), state=state, **values)


def set_schedule(**values: Any) -> None:
    change_settings("Anna", BackupSettings(**values))


def test_the_first_backup_is_due_at_once_and_the_next_after_its_hours():
    assert why_not_due(NOW) is None
    job_of("done", NOW)
    for hours, due in ((0.1, False), (23.9, False), (24.0, True), (100, True)):
        assert (why_not_due(NOW + timedelta(hours=hours)) is None) == due, hours


def test_an_empty_project_is_not_backed_up(home, monkeypatch, tmp_path):
    monkeypatch.setenv("KEYLINE_HOME", str(tmp_path / "empty"))
    assert why_not_due(NOW) == "there is nothing to back up yet"


def test_a_clock_that_is_set_back_delays_nothing_and_makes_no_storm():
    for back in (timedelta(hours=1), timedelta(days=1), timedelta(days=20_000)):
        job_of("done", NOW)
        earlier = NOW - back
        assert why_not_due(earlier) is None  # the last one is of the future: at most one more than the schedule wants
        job_of("done", earlier)
        assert [why_not_due(earlier + timedelta(minutes=n)) is None for n in range(1, 24 * 60, 7)] == [False] * 206


def test_a_clock_that_is_set_ahead_makes_one_backup_more():
    job_of("done", NOW)
    later = NOW + timedelta(days=365)
    assert why_not_due(later) is None
    job_of("done", later)
    assert why_not_due(later + timedelta(minutes=1))


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_a_backup_that_was_not_made_is_tried_again_after_an_hour_and_not_every_minute(state):
    job_of(state, NOW)
    assert why_not_due(NOW + timedelta(minutes=59)) == "due at 2026-03-29T02:30+00:00"
    assert why_not_due(NOW + timedelta(minutes=60)) is None
    job_of("done", NOW)
    job_of(state, NOW + timedelta(hours=2))
    assert why_not_due(NOW + timedelta(hours=23)) == "due at 2026-03-30T01:30+00:00"


def test_status_says_when_the_first_backup_is_due_after_one_that_was_cancelled():
    job_of("cancelled", datetime.now(UTC))
    (told,) = (warning for warning in server_status().warnings if "backup" in warning)
    assert told.startswith("There is no backup yet: due at ")


def test_backups_that_are_off_or_running_are_not_due():
    job_of("running", NOW - timedelta(days=2), pid=os.getpid())
    assert why_not_due(NOW) == "a backup is running"
    set_schedule(on=False)
    assert why_not_due(NOW) == "scheduled backups are off"


def test_a_tick_begins_a_job_of_its_own_process_once():
    job_id = tick(datetime.now(UTC))
    assert job_id is not None and tick(datetime.now(UTC)) is None
    wait_until(archives)
    wait_until(lambda: query("SELECT state FROM job") == [("done",)])
    assert query("SELECT kind, state FROM job") == [("backup", "done")], lifecycle.log_tail(job_id)
    assert read_backup(archives()[0])["rows"]["article"] == 1
    assert tick(datetime.now(UTC)) is None


def test_the_newest_are_kept_by_number_and_what_else_lies_there_stays():
    set_schedule(keep=2)
    (folder("backups") / "mine.tar").write_bytes(b"by hand")
    old = folder("backups") / "keyline-000007-29991231T000000Z.tar"
    old.write_bytes(b"of a clock far ahead")
    names = [back_up()["file"] for _ in range(3)]
    assert [path.name for path in archives()] == names[1:]
    assert [name.split("-")[1] for name in names] == ["000008", "000009", "000010"]
    assert (folder("backups") / "mine.tar").read_bytes() == b"by hand"
    summaries = [row[0] for row in query("SELECT summary FROM history WHERE kind = 'backup' ORDER BY id")]
    assert summaries == [f"Backed up to {name}" for name in names]


@pytest.mark.parametrize("step", ["back_up", "examine", "_write_archive", "read_backup"])
def test_a_backup_that_fails_removes_no_older_one_leaves_nothing_and_is_told(monkeypatch, step):
    set_schedule(keep=1)
    sound = back_up()["file"]

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(annotate.operations.backup, step, full)
        with pytest.raises(OSError, match="No space left"):
            back_up()
    assert [path.name for path in folder("backups").iterdir()] == [sound]
    read_backup(archives()[0])
    assert "Backup failed: [Errno 28] No space left on device" in query("SELECT summary FROM history")[-1][0]
    assert any("The last backup failed" in warning for warning in server_status().warnings)
    back_up()  # once there is space again
    assert not any("backup" in warning for warning in server_status().warnings)


def test_what_a_killed_backup_left_is_removed_by_the_next_and_what_a_command_writes_stays():
    left = folder("backups") / ".keyline-backup-abc"
    left.mkdir()
    for name in (IN_USE, "keyline.sqlite"):
        (left / name).write_bytes(b"half")
    with partial_folder(folder("backups"), ".keyline-backup-") as written:
        back_up()
        assert {path.suffix or path for path in folder("backups").iterdir()} == {".tar", written}
    assert [path.suffix for path in folder("backups").iterdir()] == [".tar"]


def test_an_archive_that_is_not_sound_does_not_count_as_the_new_one(monkeypatch):
    """The disk writes something else than it was given: found when the archive is read again."""
    real = annotate.operations.backup._write_archive

    def torn(archive: Path, *rest: Any) -> None:
        real(archive, *rest)
        content = bytearray(archive.read_bytes())
        content[len(content) // 2] ^= 1
        archive.write_bytes(content)

    first = back_up()["file"]
    set_schedule(keep=1)
    monkeypatch.setattr(annotate.operations.backup, "_write_archive", torn)
    with pytest.raises(annotate.operations.backup.DamagedBackup):
        back_up()
    assert [path.name for path in archives()] == [first]


def test_space_for_the_database_to_grow_is_left(monkeypatch):
    usage = annotate.operations.backup.shutil.disk_usage(folder("backups"))
    monkeypatch.setattr(
        annotate.operations.backup.shutil, "disk_usage", lambda path: usage._replace(free=2_999_000_000)
    )
    with pytest.raises(OSError, match=r"3\.0 GB must stay free"):
        back_up()


@pytest.mark.parametrize("values", [{"every_hours": 0}, {"keep": 0}, {"keep": 1.5}, {"on": "yes"}, {"keep": True}])
def test_a_schedule_out_of_bounds_is_refused(values):
    with pytest.raises(ValueError, match=next(iter(values))):
        BackupSettings(**values)


def test_a_stored_schedule_that_this_release_does_not_take_gives_way_to_the_default():
    content = {"on": False, "every_hours": -1, "keep": 3, "colour": "red"}
    with write(Right.OPERATE) as session:
        db.rows.add(session, Setting(name="backup", content=content, changed_by="Anna"))
    with read() as session:
        assert settings_now(session, BackupSettings) == BackupSettings(on=False, every_hours=24, keep=3)


def test_the_same_schedule_is_not_stored_twice():
    for _ in range(2):
        set_schedule(keep=3)
    assert query("SELECT count(*) FROM setting") == [(1,)]
