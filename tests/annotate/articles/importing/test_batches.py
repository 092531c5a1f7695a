"""Files of an import that are read elsewhere: in which bundles and pieces, and with the same result as here."""

from pathlib import Path
from typing import Any

import pytest

from annotate.articles.importing import batches as importing
from annotate.articles.importing.batches import Parsing, batches_of
from annotate.articles.importing.entries import Reader
from annotate.articles.parsing.entry import UnusablePattern
from annotate.engines.engine import HERE
from tests.annotate.articles.test_parsing_jats import PAPER
from tests.support.engine_works import Elsewhere


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six files of JATS; half of them are on HeLa cells."""
    for number in range(6):
        words = PAPER.replace(">123<", f">{number + 1}<").replace("Known.", "HeLa." if number % 2 else "Known.")
        (tmp_path / f"{number}.nxml").write_text(words)
    return tmp_path


def entries(payload: dict[str, Any], engine: Any) -> tuple[list[Any], int]:
    """(the entries with their sentences, how many were left out)."""
    left_out: list[bool] = []
    ready = batches_of(payload, engine, lambda: left_out.append(True), lambda: False)
    return [one for batch in ready for one in batch], len(left_out)


def test_what_is_read_elsewhere_is_what_is_read_here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "BUNDLE_FILES", 4)
    shown = {str(folder / "3.nxml"): "mine.nxml"}
    payload = {"paths": [str(folder)], "names": shown}
    found, left_out = entries(payload, Elsewhere())
    assert (found, left_out) == entries(payload, HERE) and left_out == 0
    assert [entry.source for entry, _ in found][2:5] == ["2.nxml", "mine.nxml", "4.nxml"]


def test_what_a_filter_leaves_out_elsewhere_is_counted(folder: Path) -> None:
    payload = {"paths": [str(folder)], "match": "hela", "pmids": ["1", "2", "4"]}
    found, left_out = entries(payload, Elsewhere())
    assert [entry.article.pmid for entry, _ in found] == ["2", "4"] and left_out == 4
    assert (found, left_out) == entries(payload, HERE)
    with pytest.raises(UnusablePattern):
        entries(payload | {"match": "("}, Elsewhere())


def test_large_files_are_read_here_first_and_middling_ones_come_in_pieces(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = (folder / "1.nxml").stat().st_size
    monkeypatch.setattr(importing, "BUNDLE_BYTES", size * 2)
    monkeypatch.setattr(importing, "MOST_BYTES", size * 8)
    for name, times in (("4.nxml", 5), ("5.nxml", 10)):
        words = (folder / name).read_text().rstrip()
        (folder / name).write_text(words + " " * (size * times - len(words.encode())))
    given: list[list[Path]] = []

    class Told(Elsewhere):
        def map(self, work: Any, inputs: Any, *rest: Any, **more: Any) -> Any:
            given.extend(inputs)
            return super().map(work, given, *rest, **more)

    found, _ = entries({"paths": [str(folder)]}, Told())
    assert [entry.source[0] for entry, _ in found] == ["5", "0", "1", "2", "3", "4"]
    assert given[-1] == [folder / "4.nxml"] and len(given) == 5
    assert [Parsing(Reader()).pieces(bundle) for bundle in given[-2:]] == [1, 3]
    assert Parsing(Reader()).pieces([folder / "gone.nxml"]) == 1


def test_a_machine_that_does_not_see_the_folder_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="does not see the folder nowhere"):
        list(Parsing(Reader())([tmp_path / "nowhere" / "1.nxml"]))
    ((batch, left_out),) = Parsing(Reader())([tmp_path / "gone.nxml"])
    assert left_out == 0 and batch[0][0].error == "is not a file that can be read"
