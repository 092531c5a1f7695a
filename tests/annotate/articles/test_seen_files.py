"""Files of a watched folder are opened as they were seen: no link, no second name, nothing of the system."""

import os
import pickle
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from annotate.articles.document import UnreadableArticle
from annotate.articles.importing import batches as importing
from annotate.articles.parsing.seen_files import SeenFiles, sign_of
from annotate.engines import child_processes
from annotate.engines.engine import HERE
from tests.support.copies import CONTEXT

SECRET = "The secret of the machine.\n\nIts key is 1234.\n"
Swap = Callable[[Path, Path], None]


def as_link(path: Path, secret: Path) -> None:
    path.unlink()
    path.symlink_to(secret)


def as_hard_link(path: Path, secret: Path) -> None:
    path.unlink()
    path.hardlink_to(secret)


def behind_a_link(path: Path, secret: Path) -> None:
    path.parent.rename(path.parent.with_name("before"))
    os.utime(secret, ns=(0, 0))
    path.parent.symlink_to(secret.parent)


def as_pipe(path: Path, _: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def as_another_of_the_same_size_and_time(path: Path, _: Path) -> None:
    told = path.stat()
    other = path.with_name("other")
    other.write_text(path.read_text().replace("grew", "died"))
    os.utime(other, ns=(told.st_atime_ns, told.st_mtime_ns))
    other.rename(path)


def longer(path: Path, _: Path) -> None:
    path.write_text(path.read_text() + "More.\n")


SWAPS = {
    as_link: "is a link or lies behind one: links are not followed",
    as_hard_link: "has a second name (a hard link), perhaps elsewhere: copy it",
    behind_a_link: "is a link or lies behind one: links are not followed",
    as_pipe: "is not a file that can be read",
    as_another_of_the_same_size_and_time: "has changed since it was seen",
    longer: "has changed since it was seen",
    lambda path, _: path.unlink(): "is not a file that can be read",
}


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file outside of the folder that has the name of one inside."""
    path = tmp_path / "etc" / "a.txt"
    path.parent.mkdir()
    path.write_text(SECRET)
    return path


def seen(folder: Path, name: str = "a.txt", text: str = "A title\n\nCells grew fast.\n") -> tuple[Path, SeenFiles]:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(text)
    return path, SeenFiles({str(path): sign_of(path.lstat())})


@pytest.mark.parametrize(("swap", "reason"), SWAPS.items(), ids=lambda each: getattr(each, "__name__", ""))
@pytest.mark.parametrize("worth_beside", [False, True])
@pytest.mark.parametrize("suffix", ["txt", "ris", "zip"])
def test_what_became_another_file_since_the_look_is_refused_with_the_reason_by_any_process(
    suffix: str, worth_beside: bool, swap: Swap, reason: str, tmp_path: Path, secret: Path, monkeypatch
) -> None:
    if worth_beside:
        monkeypatch.setattr(child_processes.multiprocessing, "get_context", lambda kind: CONTEXT)
        monkeypatch.setattr(importing, "WORTH_CHILDREN_BYTES", 1)
        monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1}, raising=False)
    secret = secret.rename(secret.with_suffix(f".{suffix}"))
    path, opener = seen(tmp_path / "inbox", f"a.{suffix}")
    swap(path, secret)
    payload = {"paths": [str(path)], "watched": str(path.parent), "signs": dict(opener.signs)}
    with closing(importing.batches_of(payload, HERE, lambda: None, lambda: False)) as ready:
        entries = [entry for batch in ready for entry, _ in batch]
    assert [(entry.source, entry.error, entry.article) for entry in entries] == [(f"a.{suffix}", reason, None)]


def test_what_is_as_it_was_seen_is_read_also_once_pickled(tmp_path: Path) -> None:
    path, opener = seen(tmp_path / "inbox")
    with pickle.loads(pickle.dumps(opener))(path) as file:
        assert file.read() == path.read_bytes()


def test_another_machine_compares_size_and_time_since_it_numbers_files_otherwise(tmp_path: Path) -> None:
    path, opener = seen(tmp_path / "inbox")
    elsewhere = ":".join([*opener.signs[str(path)].split(":")[:2], "7", "8", "another machine"])
    with SeenFiles({str(path): elsewhere})(path) as file:
        assert file.read() == path.read_bytes()
    longer(path, path)
    with pytest.raises(UnreadableArticle, match="changed"):
        SeenFiles({str(path): elsewhere})(path)


@pytest.mark.parametrize(
    "path", ["/proc/self/environ", "/proc/self/root/etc/hostname", "/sys/kernel/notes", "/dev/null"]
)
def test_what_the_system_shows_as_files_is_refused(path: str) -> None:
    with pytest.raises(UnreadableArticle, match="the system shows itself"):
        SeenFiles({path: ""})(Path(path))


def test_a_file_that_no_look_has_seen_is_refused_and_nothing_stays_open(tmp_path: Path) -> None:
    path, opener = seen(tmp_path / "inbox")
    with pytest.raises(UnreadableArticle, match="no file that was seen"):
        opener(path.with_name("b.txt"))
    path.write_text("another")
    before = open_files()
    for _ in range(20):
        with pytest.raises(UnreadableArticle, match="changed"):
            opener(path)
    assert open_files() == before


def open_files() -> int:
    return sum(1 for _ in Path("/dev/fd").iterdir())
