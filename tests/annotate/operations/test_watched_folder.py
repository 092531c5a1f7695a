"""A watched folder: new files once, growing ones later, refused ones told once, and nothing twice after a crash."""

import json
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from annotate.articles.import_report import past_imports
from annotate.jobs import lifecycle
from annotate.jobs.lifecycle import run_here
from annotate.operations import regular_duties, watched_folder
from annotate.operations.watched_folder import MOST_AGAIN, PAUSE, TRIES, FolderWatch, WatchSettings, tick
from annotate.project.home import read
from annotate.project.stored_settings import change_settings
from annotate.work import HANDLERS
from tests.support.making import query
from tests.support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("home")
TEXT = "A title of {}\n\nCells of {} grew fast.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "inbox"
    made.mkdir()
    return made


def put(folder: Path, name: str, text: str | None = None) -> Path:
    path = folder / name
    path.write_text(TEXT.format(name, name) if text is None else text)
    return path


def looked(watch: FolderWatch, now: datetime | None = None) -> list[str]:
    """The names of what a look finds new, imported as a job would."""
    payload = watch.look(now)
    if payload is None:
        return []
    run_here("import", payload | {"recognise": False}, HANDLERS, lambda _: None)
    return [Path(path).name for path in payload["paths"]]


def titles() -> list[str]:
    return [title for (title,) in query("SELECT title FROM article ORDER BY id")]


def test_a_file_is_imported_once_when_two_looks_have_found_it_the_same(folder):
    watch = FolderWatch(folder)
    put(folder, "a.txt")
    assert looked(watch) == []
    assert looked(watch) == ["a.txt"]
    assert looked(watch) == []
    assert titles() == ["A title of a.txt"]


def test_a_file_that_grows_waits_until_it_does_no_longer(folder):
    watch = FolderWatch(folder)
    for text in ("A title\n", "A title\n\nCells", "A title\n\nCells grew fast."):
        put(folder, "a.txt", text)
        assert looked(watch) == []
    assert looked(watch) == ["a.txt"]
    assert query("SELECT text FROM paragraph") == [("Cells grew fast.",)]


def failed_import(watch: FolderWatch, now: datetime | None = None) -> list[str]:
    """The names of what a look finds new, in an import that fails as a whole."""
    payload = watch.look(now)
    if payload is None:
        return []
    with pytest.raises(MemoryError):
        run_here("import", payload, {"import": _killed}, lambda _: None)
    return [Path(path).name for path in payload["paths"]]


def _killed(*_: object) -> dict[str, object]:
    raise MemoryError


def later(pauses: float) -> datetime:
    return datetime.now(UTC) + pauses * PAUSE


def test_what_was_asked_for_before_a_crash_is_not_asked_for_again_at_once(folder):
    put(folder, "a.txt")
    watch = FolderWatch(folder)
    assert [failed_import(watch) for _ in range(2)] == [[], ["a.txt"]]
    again = FolderWatch(folder)  # as after a start of the app
    assert looked(again) == looked(again) == []
    assert query("SELECT count(*) FROM job WHERE kind = 'import'") == [(1,)]


def test_an_import_that_failed_as_a_whole_is_asked_for_again_after_a_while_apart_from_what_is_new(folder):
    put(folder, "a.txt")
    watch = FolderWatch(folder)
    assert [failed_import(watch) for _ in range(2)] == [[], ["a.txt"]]
    put(folder, "b.txt")
    assert looked(watch, later(0.5)) == []
    assert looked(watch, later(1.5)) == ["b.txt"]
    assert looked(watch, later(1.5)) == ["a.txt"]
    assert looked(watch, later(9)) == []
    assert titles() == ["A title of b.txt", "A title of a.txt"]


def test_an_import_that_fails_again_and_again_is_given_up(folder):
    for number in range(MOST_AGAIN + 1):
        put(folder, f"{number:02}.txt")
    watch = FolderWatch(folder)
    counts = [len(failed_import(watch, later(1.5))) for _ in range(2 * TRIES + 1)]
    assert counts[:2] == [0, MOST_AGAIN + 1] and max(counts[2:]) == MOST_AGAIN
    assert sum(counts) == TRIES * (MOST_AGAIN + 1) and counts[-1] == 0


@pytest.mark.postgresql
def test_an_import_that_was_cancelled_is_not_asked_for_again(folder):
    put(folder, "a.txt")
    watch = FolderWatch(folder)
    watch.look()
    payload = watch.look()
    assert payload is not None
    lifecycle.cancel(lifecycle.enqueue("import", payload))
    assert looked(watch, later(9)) == []


def test_a_refused_file_is_told_once_with_its_reason_and_again_when_it_is_changed(folder):
    watch = FolderWatch(folder)
    put(folder, "a.pdf", "%PDF-1.7 and no more")
    assert [looked(watch) for _ in range(4)] == [[], ["a.pdf"], [], []]
    put(folder, "a.pdf", "%PDF-1.7 and no more, again")
    assert [looked(watch) for _ in range(3)] == [[], ["a.pdf"], []]
    with read() as session:
        told = [one.failures for one in past_imports(session, 10)]
    assert told == [(("a.pdf", "is a PDF that is damaged or cut short"),)] * 2


def test_hidden_files_and_unknown_kinds_are_left_alone_and_folders_within_are_looked_into(folder):
    watch = FolderWatch(folder)
    (folder / "inner").mkdir()
    for name in (".a.txt", "a.pdf.part", "b.exe", "inner/c.txt"):
        put(folder, name)
    assert [looked(watch) for _ in range(3)] == [[], ["c.txt"], []]


def test_a_file_that_went_costs_the_others_nothing(folder):
    gone = put(folder, "a.txt")
    put(folder, "b.txt")
    watch = FolderWatch(folder)
    watch.look()
    payload = watch.look()
    assert payload is not None
    gone.unlink()
    report = run_here("import", payload | {"recognise": False}, HANDLERS, lambda _: None)
    assert titles() == ["A title of b.txt"]
    assert report["failures"] == [["a.txt", "is not a file that can be read"]]


def test_a_link_to_a_file_elsewhere_is_left_alone(folder, tmp_path):
    (folder / "a.txt").symlink_to(put(tmp_path, "secret.txt"))
    watch = FolderWatch(folder)
    assert [looked(watch) for _ in range(2)] == [[], []]


def test_a_file_that_became_a_link_after_the_look_is_refused_with_the_reason(folder, tmp_path):
    path = put(folder, "a.txt")
    watch = FolderWatch(folder)
    watch.look()
    payload = watch.look()
    assert payload is not None
    path.unlink()
    path.symlink_to(put(tmp_path, "secret.txt"))
    report = run_here("import", payload | {"recognise": False}, HANDLERS, lambda _: None)
    assert titles() == []
    assert report["failures"] == [["a.txt", "is a link or lies behind one: links are not followed"]]


def test_what_an_earlier_release_has_asked_for_is_not_asked_for_again(folder):
    path = put(folder, "a.txt")
    told = path.stat()
    signs = {str(path): f"{told.st_size}:{told.st_mtime_ns}"}
    payload = {"paths": [str(path)], "recognise": False, "watched": str(folder), "signs": signs}
    run_here("import", payload, HANDLERS, lambda _: None)
    watch = FolderWatch(folder)
    assert titles() == ["A title of a.txt"] and [looked(watch) for _ in range(3)] == [[], [], []]


def test_many_files_come_in_turns(folder, monkeypatch):
    monkeypatch.setattr(watched_folder, "MOST_FILES", 2)
    for name in ("a.txt", "b.txt", "c.txt"):
        put(folder, name)
    watch = FolderWatch(folder)
    assert [looked(watch) for _ in range(4)] == [[], ["a.txt", "b.txt"], ["c.txt"], []]


def test_the_app_imports_from_the_folder_that_is_chosen_and_stops_when_none_is(folder, monkeypatch):
    started: list[dict[str, object]] = []
    monkeypatch.setattr(lifecycle, "start", lambda kind, payload: started.append(payload) or 7)
    put(folder, "a.txt")
    assert tick() is None and tick() is None
    change_settings("Ada", WatchSettings(folder=str(folder)))
    assert (tick(), tick()) == (None, 7)
    assert [list(payload["signs"]) for payload in started] == [[str(folder / "a.txt")]]
    assert [payload["propose"] for payload in started] == [True]
    json.dumps(started)
    change_settings("Ada", WatchSettings())
    assert tick() is None and watched_folder._watch is None


@pytest.mark.parametrize("of_home", [".", "backups", ".."])
def test_the_folder_of_keylines_own_data_is_not_watched(home, of_home):
    with pytest.raises(ValueError, match="Keyline's own data"):
        FolderWatch(home / of_home)


@pytest.mark.postgresql
def test_an_import_under_way_is_waited_for(folder, monkeypatch):
    def busy(*_: object) -> int:
        raise lifecycle.AlreadyRunning

    monkeypatch.setattr(lifecycle, "start", busy)
    change_settings("Ada", WatchSettings(folder=str(folder)))
    put(folder, "a.txt")
    assert tick() is None and tick() is None
    monkeypatch.setattr(lifecycle, "start", lambda *_: 7)
    assert tick() == 7


def test_the_apps_round_looks_at_the_folder_and_survives_one_that_went(folder, monkeypatch):
    rounds: list[object] = []
    with monkeypatch.context() as patch:  # not undo(), which would turn to the data folder of whoever runs this
        patch.setattr(watched_folder, "tick", lambda: rounds.append(1))
        with regular_duties.operating(seconds=0.01):
            wait_until(lambda: len(rounds) > 1)
    change_settings("Ada", WatchSettings(folder=str(folder / "gone")))
    with pytest.raises(FileNotFoundError, match="is not there"):
        tick()


def test_the_command_watches_until_it_is_interrupted(folder, monkeypatch, capsys):
    from annotate.cli.main import main

    put(folder, "a.txt")
    put(folder, "b.pdf", "%PDF-1.7 and no more")
    rounds = iter([None, None])

    def sleep(_: float) -> None:
        if next(rounds, 1):
            raise KeyboardInterrupt

    monkeypatch.setattr("annotate.cli.articles.time", SimpleNamespace(sleep=sleep))
    assert main(["import", "--watch", str(folder), "--every", "1"]) == 130
    said = capsys.readouterr().out
    assert "1 stored, 1 failed" in said and "b.pdf: is a PDF that is damaged" in said
    assert titles() == ["A title of a.txt"]
    assert main(["import", "--watch", str(folder / "none")]) == 1
    assert main(["import", "--watch", str(folder), str(folder / "a.txt")]) == 1
