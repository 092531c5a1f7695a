"""A file is written whole or not at all, and nothing is left beside it."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from annotate.project import whole_files
from annotate.project.whole_files import OWNER_ONLY, partial_folder, sync, whole_file, write_whole


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def permissions(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_is_made_and_replaced_and_nothing_is_left_beside_it(tmp_path):
    write_whole(tmp_path / "a.csv", b"one")
    write_whole(tmp_path / "a.csv", b"two")
    assert contents(tmp_path) == {"a.csv": b"two"}


def test_until_the_end_a_reader_finds_the_file_of_before(tmp_path):
    path = tmp_path / "a.csv"
    write_whole(path, b"old")
    with whole_file(path) as partial:
        partial.write_bytes(b"half of the ne")
        assert path.read_bytes() == b"old"
        assert (partial.parent, partial.suffix) == (path.parent, path.suffix)
    assert contents(tmp_path) == {"a.csv": b"half of the ne"}


@pytest.mark.parametrize("before", [{}, {"a.csv": b"old"}], ids=["no file", "an old file"])
@pytest.mark.parametrize("failing", ["block", "fsync", "replace"])
def test_a_write_that_fails_leaves_what_was_there(tmp_path, monkeypatch, before, failing):
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    for name, content in before.items():
        (tmp_path / name).write_bytes(content)
    if failing == "fsync":
        monkeypatch.setattr("annotate.project.whole_files.os.fsync", fail)
    elif failing == "replace":
        monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space"), whole_file(tmp_path / "a.csv") as partial:
        partial.write_bytes(b"new")
        if failing == "block":
            fail()
    assert contents(tmp_path) == before


def test_the_content_is_on_disk_before_it_takes_the_name(tmp_path, monkeypatch):
    seen = []

    def watched(handle: int) -> None:
        seen.append((os.fstat(handle).st_size, (tmp_path / "a.csv").exists()))

    monkeypatch.setattr("annotate.project.whole_files.os.fsync", watched)
    write_whole(tmp_path / "a.csv", b"12345")
    assert seen == [(5, False)]


def test_of_two_that_make_the_same_file_the_first_stays(tmp_path):
    path = tmp_path / "key"
    with whole_file(path, keep_existing=True) as slower:
        slower.write_bytes(b"slower")
        with whole_file(path, keep_existing=True) as faster:
            faster.write_bytes(b"faster")
    assert contents(tmp_path) == {"key": b"faster"}


def test_permissions_are_those_asked_for_less_the_umask(tmp_path):
    before = os.umask(0o022)
    try:
        write_whole(tmp_path / "shared", b"")
        with whole_file(tmp_path / "secret", mode=OWNER_ONLY) as partial:
            assert permissions(partial) == 0o600
    finally:
        os.umask(before)
    assert (permissions(tmp_path / "shared"), permissions(tmp_path / "secret")) == (0o644, 0o600)


def test_an_error_names_the_file_that_was_asked_for(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    for path in (tmp_path / "folder.csv", tmp_path / "none" / "a.csv"):
        with pytest.raises(OSError, match="directory") as caught:
            write_whole(path, b"")
        assert caught.value.filename == str(path)


def test_a_folder_that_is_missing_is_an_error_and_is_not_made(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "none" / "a.csv", b"")
    with pytest.raises(FileNotFoundError):
        sync(tmp_path / "none")
    assert contents(tmp_path) == {}


WRITES = """
import sys, time
from pathlib import Path
from annotate.project.whole_files import partial_folder
with partial_folder(Path(sys.argv[1]), ".half-"):
    print("writing", flush=True)
    time.sleep(600)
"""


def test_the_folder_of_a_killed_process_is_removed_by_the_next_and_one_that_is_written_stays(tmp_path):
    with subprocess.Popen([sys.executable, "-c", WRITES, tmp_path], stdout=subprocess.PIPE) as writer:
        try:
            assert writer.stdout.readline() == b"writing\n"
            with partial_folder(tmp_path, ".half-"):
                assert len(list(tmp_path.iterdir())) == 2
            assert len(list(tmp_path.iterdir())) == 1
        finally:
            writer.kill()
    with partial_folder(tmp_path, ".half-") as folder:
        assert list(tmp_path.iterdir()) == [folder]
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_another_process_is_just_making_is_not_taken_for_a_left_one(tmp_path, monkeypatch):
    lock = whole_files._taken

    def another_looks(handle: int) -> bool:
        monkeypatch.setattr(whole_files, "_taken", lock)
        with partial_folder(tmp_path, ".half-"):
            return lock(handle)

    monkeypatch.setattr(whole_files, "_taken", another_looks)
    with partial_folder(tmp_path, ".half-") as folder:
        assert list(tmp_path.iterdir()) == [folder]
