"""A large import on several cores, whose files are read in processes beside: the same rows in the same order."""

import gzip
import os
import signal
from collections.abc import Callable
from contextlib import closing
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

from annotate.articles.article_rows import store
from annotate.articles.import_report import ImportReport
from annotate.articles.importing import batches as importing
from annotate.articles.parsing import Member
from annotate.engines import child_processes
from annotate.engines.engine import HERE
from annotate.jobs import lifecycle
from annotate.jobs.lifecycle import run_here
from annotate.work import HANDLERS
from tests.annotate.articles.test_parsing_jats import PAPER
from tests.support.copies import CONTEXT
from tests.support.hostile import zipped
from tests.support.making import contents, query

PARTS = ("section", "paragraph", "sentence", "reference", "citation")
FILES = 24


@pytest.fixture
def payload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """An import of files of JATS, two of them the same article, one larger than the others and one that is broken."""
    for number in range(FILES):
        words = PAPER.replace(">123<", f">{number % 23 + 1}<").replace(">45<", f">{number % 23 + 100}<")
        words = words.replace("PONE.1<", f"PONE.{number % 23}<").replace("New.", f"New {number}.")
        (tmp_path / f"{number:02}.nxml").write_text(words + " " * 40_000 * (number == 9))
    (tmp_path / "12b.nxml").write_text("<article>")
    monkeypatch.setattr(child_processes.multiprocessing, "get_context", lambda kind: CONTEXT)
    monkeypatch.setattr(importing, "BUNDLE_BYTES", 30_000)
    monkeypatch.setattr(importing, "BUNDLE_FILES", 2)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1}, raising=False)
    return {"paths": [str(tmp_path)]}


def imported(payload: dict[str, Any], **more: Any) -> tuple[dict[str, Any], dict[str, list[tuple[Any, ...]]]]:
    """(report, rows) of an import, without the times of the articles."""
    with closing(importing.batches_of(payload, HERE, lambda: None, lambda: False)) as ready:
        report = store(ready, **more).as_dict()
    articles = "SELECT id, key, pmid, pmcid, doi, title, split, source, sentence_count FROM article ORDER BY id"
    return report, {"article": query(articles)} | contents(*PARTS)


def test_articles_get_the_rows_that_one_process_gives_them_also_where_processes_are_killed(
    payload: dict[str, Any], other_home: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = imported(payload)
    other_home()
    monkeypatch.setattr(importing, "WORTH_CHILDREN_BYTES", 1)
    used: set[int | None] = set()

    def kill_one(report: ImportReport) -> None:
        used.update(process.pid for process in active_children())
        if report.counts.total() == 2:
            os.kill(active_children()[0].pid or 0, signal.SIGKILL)

    assert imported(payload, progress=kill_one) == alone
    assert len(used) >= 2 and active_children() == []
    assert alone[0]["counts"] == {"stored": 23, "full text added": 0, "already there": 1, "failed": 1}


def test_what_a_filter_leaves_out_is_counted_and_a_large_file_read_at_its_turn(
    payload: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for worth in (importing.WORTH_CHILDREN_BYTES, 1):
        monkeypatch.setattr(importing, "WORTH_CHILDREN_BYTES", worth)
        left_out: list[bool] = []
        asked = payload | {"pmids": ["3", "10", "12", "20"]}
        ready = importing.batches_of(asked, HERE, lambda: left_out.append(True), lambda: False)  # noqa: B023 (used up here)
        found.append(([one for batch in ready for one in batch], len(left_out)))
    assert found[0] == found[1] and found[0][1] == FILES - 4
    assert [entry.source[:3] for entry, _ in found[0][0]] == ["02.", "09.", "11.", "12b", "19."]


def test_members_of_a_zip_are_read_beside_in_their_order_but_for_those_that_are_large_or_packed_once_more(
    payload: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = {path.name: path.read_bytes() for path in sorted(tmp_path.iterdir())}
    held |= {"14.nxml.gz": gzip.compress(held.pop("14.nxml")), "15b.xml": zipped({"a.nxml": held["01.nxml"]})}
    folder = tmp_path / "zips"
    folder.mkdir()
    (folder / "upload-7.zip").write_bytes(zipped({name: held[name] for name in sorted(held)}))
    (folder / "upload-8.zip").write_bytes(b"PK\x03\x04 and no more")
    shown = {str(folder / "upload-7.zip"): "mine.zip", str(folder / "upload-8.zip"): "cut.zip"}
    asked = {"paths": [str(folder)], "names": shown, "pmids": ["2", "3", "10", "12", "15", "20"]}
    opened = [*importing.Reader.of(asked).opened([folder / "upload-7.zip"], 30_000, lambda: None)]
    unread = {one.name.split(" › ")[1] for one in opened if isinstance(one, Member)}
    assert unread == set(held) - {"09.nxml", "14.nxml.gz", "15b.xml"}
    found = []
    for worth in (1 << 30, 1):
        monkeypatch.setattr(importing, "WORTH_CHILDREN_BYTES", worth)
        left_out: list[bool] = []
        ready = importing.batches_of(asked, HERE, lambda: left_out.append(True), lambda: False)  # noqa: B023 (used up here)
        found.append(([one for batch in ready for one in batch], len(left_out)))
    assert found[0] == found[1] and found[0][1] == FILES - 6
    names = ("01.nxml", "02.nxml", "09.nxml", "11.nxml", "12b.nxml", "14.nxml.gz", "15b.xml", "19.nxml")
    told = {entry.source: entry.error or "" for entry, _ in found[0][0]}
    assert [*told] == [*(f"mine.zip › {name}" for name in names), "cut.zip"]
    errors = [error[:20] for error in told.values() if error]
    assert errors == ["is not well-formed X", "is a zip or Office d", "is not a zip that ca"]


def test_a_small_import_one_file_and_one_core_begin_no_process(
    payload: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = sorted(tmp_path.iterdir())
    assert importing.helpers(files) == 0
    monkeypatch.setattr(importing, "WORTH_CHILDREN_BYTES", 50_000)
    assert importing.helpers(files) == 2
    assert importing.helpers([tmp_path / "09.nxml"]) == 0  # larger than a bundle: it is read here in any case
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {1})
    assert importing.helpers(files) == 0


def test_a_job_that_is_cancelled_leaves_no_process_behind(
    payload: dict[str, Any], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "WORTH_CHILDREN_BYTES", 1)
    monkeypatch.setattr("annotate.jobs.monitor.REPORT_SECONDS", 0)
    seen: list[int] = []

    def cancel(progress: dict[str, Any]) -> None:
        seen.append(len(active_children()))
        lifecycle.cancel(query("SELECT id FROM job")[0][0])

    with pytest.raises(lifecycle.Cancelled):
        run_here("import", payload, HANDLERS, cancel)
    assert seen[0] >= 1 and active_children() == []
    assert query("SELECT state FROM job") == [("cancelled",)]
    assert 0 < query("SELECT count(*) FROM article")[0][0] < FILES - 1
