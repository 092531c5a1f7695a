"""Past imports: by whom, of which files, and what became of them."""

from pathlib import Path

import pytest

import annotate.articles.importing.splitting
import db.articles
import db.jobs
from annotate.articles.import_report import PastImport, counted, past_imports
from annotate.jobs.lifecycle import run_here
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.team.history import events
from annotate.work import HANDLERS
from tests.support.making import query

pytestmark = pytest.mark.usefixtures("home")

NONE = {"stored": 0, "full text added": 0, "already there": 0, "failed": 0}


def imported(by: str, payload: dict, state: str, result: dict, error: str | None = None) -> None:
    with write(Right.SYSTEM) as session:
        number = db.jobs.insert_job(session, "import", payload, by)
        db.jobs.finish(session, number, state, result=result, error=error)


def listed(limit: int = 10) -> list[PastImport]:
    with read() as session:
        return past_imports(session, limit)


def test_each_says_by_whom_its_files_and_its_reasons():
    uploaded = {"paths": ["/srv/k/uploads/a/0.xml"], "names": {"/srv/k/uploads/a/0.xml": "mine.xml"}}
    failures = [["mine.xml", "is empty"]]
    imported("Ada", uploaded, "done", {"counts": NONE | {"failed": 1}, "failures": failures, "warnings": []})
    imported("Ben", {"paths": ["/srv/papers/b.xml"]}, "failed", {}, "no space left")
    ben, ada = listed()
    assert (ada.by, ada.files, ada.outcome) == ("Ada", ("mine.xml",), "nothing imported, 1 failed")
    assert ada.failures == (("mine.xml", "is empty"),) and not ada.went_well
    assert (ben.by, ben.files, ben.outcome) == ("Ben", ("b.xml",), "failed: no space left") and not ben.went_well
    assert [one.by for one in listed(1)] == ["Ben"]


def test_one_that_fails_says_how_many_articles_it_had_stored(tmp_path, monkeypatch):
    for number in range(5):
        (tmp_path / f"{number}.txt").write_text(f"Title {number}\n\nWe deleted gene {number} in cells.\n")
    monkeypatch.setattr(annotate.articles.importing.splitting, "BATCH_ARTICLES", 2)
    insert, batches = db.articles.insert_text, []

    def full(session, rows):
        batches.append(rows)
        if len(batches) == 3:
            raise OSError("no space left")
        insert(session, rows)

    monkeypatch.setattr(db.articles, "insert_text", full)
    with pytest.raises(OSError, match="no space left"):
        run_here("import", {"paths": [str(tmp_path)]}, HANDLERS, lambda progress: None)
    assert query("SELECT count(*) FROM article") == [(4,)]
    assert listed()[0].outcome == "failed, after 4 stored: no space left"


def test_one_that_is_still_running_is_not_among_them():
    with write(Right.SYSTEM) as session:
        db.jobs.insert_job(session, "import", {"paths": []}, "Ada")
    assert not listed()


def test_the_history_says_what_became_of_an_import_and_never_that_failed_files_are_done():
    imported("Ada", {"paths": []}, "done", {"counts": NONE | {"failed": 2}})
    imported("Ada", {"paths": []}, "failed", {}, "no space left")
    with read() as session:
        failed, none = events(session).events
    assert none.what.startswith("import: nothing imported, 2 failed") and "done" not in none.what
    assert failed.what.startswith("import: failed") and failed.what.endswith("(no space left)")


def test_other_ways_to_import_have_a_name_too():
    imported("Ada", {"identifiers": ["1", "2"], "paths": []}, "done", {"counts": NONE | {"stored": 2}})
    imported("Ada", {"sample": True}, "cancelled", {"counts": NONE | {"stored": 1}})
    sample, fetched = listed()
    assert (fetched.files, fetched.outcome) == (("2 identifiers from Europe PMC",), "2 stored")
    assert (sample.files, sample.outcome) == (("the sample corpus",), "cancelled, after 1 stored")
    assert sample.by == "Ada"


def test_a_sample_that_the_command_line_loaded_is_of_the_sample_and_of_no_person():
    imported("operator", {"sample": True}, "done", {"counts": NONE | {"stored": 1}})
    assert [one.by for one in listed()] == ["the sample"]


@pytest.mark.parametrize(
    ("counts", "left_out", "told"),
    [
        (NONE, 0, "nothing found"),
        (NONE, 30_000, "30,000 read, none of which the filter lets through"),
        (NONE | {"stored": 3, "failed": 1}, 7, "3 stored, 1 failed, 7 left out by the filter"),
        (NONE | {"failed": 3}, 0, "nothing imported, 3 failed"),
    ],
)
def test_counts_in_words(counts, left_out, told):
    assert counted(counts, left_out) == told


def test_a_path_is_told_by_its_name_alone():
    imported("Ada", {"paths": [str(Path.home() / "secret" / "x.xml")]}, "done", {"counts": NONE})
    assert listed()[0].files == ("x.xml",)
