"""The import page: what it says of a table that it read."""

import os
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import db.jobs
from annotate.curation.removal import remove
from annotate.jobs import job_process, lifecycle
from annotate.operations.watched_folder import WatchSettings
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.project.stored_settings import settings_now
from tests.support.making import paper, query, store
from tests.support.paths import PAGES

pytestmark = pytest.mark.usefixtures("home")

HEAD = "pmid,sentence,label\n"


def page_after_gold(rows: str) -> AppTest:
    """The page after a gold file of these rows was uploaded."""
    store(paper(pmid="1"))
    run = AppTest.from_file(str(PAGES / "import_articles.py"), default_timeout=30)
    run.session_state["annotator"] = "Anna"
    run.run()
    uploader = next(one for one in run.file_uploader if one.key == "gold_file")
    uploader.set_value(("gold.csv", (HEAD + rows).encode(), "text/csv")).run()
    next(button for button in run.button if button.label == "Import gold").click().run()
    assert not run.exception and not run.error
    return run


def test_rows_of_gold_that_contradict_each_other_are_shown_with_both_lines():
    run = page_after_gold("1,Here we deleted TP53,1\n1,deleted TP53 in HeLa cells.,0\n")
    assert [warning.value for warning in run.warning] == ["1 time two rows disagree about one sentence."]
    (table,) = run.dataframe
    words = "Anna: key in line 2, not key in line 3 (parts of one sentence), taken as key: "
    said = [[2, 3, words + "'Here we deleted TP53 in HeLa cells.'"]]
    assert (table.value.columns.tolist(), table.value.to_numpy().tolist()) == (
        ["Line", "And line", "What they say"],
        said,
    )
    assert run.success[0].value == "2 rows, 2 matched, 1 new verdict"
    assert query("SELECT value FROM verdict") == [("accept",)]


def test_where_nothing_contradicts_nothing_is_said_of_it():
    run = page_after_gold("1,The gene is known.,1\n1,No such sentence stands anywhere in it.,0\n")
    (warning,) = run.warning
    assert warning.value.startswith("2 rows, 1 matched") and warning.value.endswith(
        "; 1 entry left out, for the reasons below."
    )
    assert not run.success  # no green tick above what was left out
    assert len(run.dataframe) == 1


def test_a_gold_file_that_is_here_already_holds_no_new_verdict():
    for told in ("1 row, 1 matched, 1 new verdict", "1 row, 1 matched, 0 new verdicts"):
        assert page_after_gold("1,The gene is known.,1\n").success[0].value == told


def test_the_history_names_a_gold_file_as_its_owner_does():
    page_after_gold("1,The gene is known.,1\n")
    assert query("SELECT summary FROM history WHERE kind = 'import'")[-1][0].startswith("imported gold from gold.csv: ")


def test_gold_of_a_removed_article_is_worth_a_look():
    store(paper(pmid="1"))
    remove([1])
    run = page_after_gold("1,The gene is known.,1\n")
    assert "**Worth a look: 1**" in [text.value for text in run.markdown]
    (table,) = run.dataframe
    assert table.value["Line"].tolist() == [2] and "its article was removed by" in table.value["Reason"][0]


def test_a_file_of_names_of_any_size_is_loaded_from_the_machine_that_runs_the_app(tmp_path, monkeypatch):
    started = []
    monkeypatch.setattr(lifecycle, "start", lambda kind, payload: started.append((kind, payload)))
    names = tmp_path / "cellosaurus.txt"
    names.write_text("")
    run = AppTest.from_file(str(PAGES / "import_articles.py"), default_timeout=30).run()
    for given in (names, tmp_path / "none"):
        run.text_input(key="vocabulary_path").set_value(str(given))
        run.button(key="import_vocabulary_path").click().run()
    assert started == [("vocabulary", {"paths": [str(names)]})]
    assert run.error[0].value.startswith("There is no file or folder ") and "none" in run.error[0].value


def finished(by: str, state: str, result: dict, error: str | None = None) -> None:
    with write(Right.SYSTEM) as session:
        number = db.jobs.insert_job(session, "import", {"paths": ["/srv/one.xml"]}, by)
        db.jobs.finish(session, number, state, result=result, error=error)


def test_imports_stay_in_a_list_with_their_files_and_reasons_and_mark_no_other_page():
    store(paper(pmid="1"))
    finished("Ada", "done", {"counts": {"stored": 2, "failed": 1}, "failures": [["one.xml", "is empty"]]})
    finished("Ben", "failed", {}, "no space left: 'one.xml'")
    run = AppTest.from_file(str(PAGES / "import_articles.py"), default_timeout=30).run()
    ben, ada = [one for one in run.expander if "one" in one.label]
    assert " · Ben · one\\.xml: failed: no space left" in ben.label.replace("\\:", ":")
    assert "Ada" in ada.label and "2 stored, 1 failed" in ada.label
    assert ["one.xml", "is empty"] in [row for table in ada.dataframe for row in table.value.to_numpy().tolist()]
    others = AppTest.from_file(str(PAGES / "articles.py"), default_timeout=30).run()
    assert not others.error and not others.warning and not others.exception


def test_what_an_import_stored_is_told_while_another_job_goes_on() -> None:
    finished("Ada", "done", {"counts": {"stored": 30}})
    with write(Right.SYSTEM) as session:
        going = db.jobs.insert_job(session, "propose", {}, "Ada")
        running = {"state": "running", **job_process.identity(os.getpid())}
        db.jobs.change(session, going, from_states=("queued",), **running)
    run = AppTest.from_file(str(PAGES / "import_articles.py"), default_timeout=30).run()
    assert not run.exception
    assert [one.label.endswith(": 30 stored") for one in run.expander if "Ada" in one.label] == [True]
    assert len(run.get("progress")) == 1


def test_how_an_import_ended_that_the_tab_watched_stands_above_the_form() -> None:
    finished("Ada", "done", {"counts": {"stored": 3}})
    with write(Right.SYSTEM) as session:
        going = db.jobs.insert_job(session, "import", {"paths": ["/srv/two.xml"]}, "Ada")
        db.jobs.change(session, going, from_states=("queued",), state="running", **job_process.identity(os.getpid()))
    run = AppTest.from_file(str(PAGES / "import_articles.py"), default_timeout=30).run()
    assert not run.success  # of the first import the list tells
    with write(Right.SYSTEM) as session:
        db.jobs.finish(session, going, "done", result={"counts": {"stored": 7}})
    assert [one.value.replace("\\", "") for one in run.run().success] == ["The import has ended: 7 stored."]


def test_what_is_done_in_the_browser_without_login_is_done_by_the_person_there():
    run = AppTest.from_file(str(PAGES / "articles.py"), default_timeout=30)
    run.session_state["annotator"] = "Ada"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lifecycle, "_start_process", lambda *_, **__: None)
        run.run()
        next(button for button in run.button if button.label == "Load the sample corpus").click().run()
    assert query("SELECT asked_by FROM job WHERE kind = 'import'") == [("Ada",)]


def test_old_word_files_are_refused_by_name_with_the_reason_and_the_rest_is_imported(monkeypatch):
    started = []
    monkeypatch.setattr(lifecycle, "start", lambda kind, payload: started.append(payload["names"]))
    run = AppTest.from_file(str(PAGES / "import_articles.py"), default_timeout=30).run()
    uploader = next(one for one in run.file_uploader if one.label == "Files")
    old, rich = ("Smith 2020.DOC", b"\xd0\xcf", "application/msword"), ("x.rtf", b"{", "application/rtf")
    uploader.set_value([old, rich]).run()
    (refusal,) = (error.value.replace("\\", "") for error in run.error)
    assert refusal.startswith(
        "Smith 2020.DOC is a word processor file in a format that Keyline does not read; x.rtf is"
    )
    button = next(button for button in run.button if button.label == "Import the files")
    assert button.disabled
    pdf = ("b.pdf", b"%PDF-1.7", "application/pdf")
    next(one for one in run.file_uploader if one.label == "Files").set_value(
        [old, pdf, ("a.txt", b"A", "text/plain")]
    ).run()
    next(button for button in run.button if button.label == "Import the files").click().run()
    assert [list(names.values()) for names in started] == [["b.pdf", "a.txt"]]


def test_a_folder_is_imported_by_the_names_of_its_files_and_what_a_manager_wrote_is_fetched_unless_switched_off(
    monkeypatch,
):
    started = []
    monkeypatch.setattr(lifecycle, "start", lambda kind, payload: started.append(payload))
    run = AppTest.from_file(str(PAGES / "import_articles.py"), default_timeout=30).run()
    inner = ("papers/2020/a.txt", b"A", "text/plain")
    next(one for one in run.file_uploader if one.label == "A folder").set_value([inner]).run()
    next(button for button in run.button if button.label == "Import the files").click().run()
    named = ("mine.ris", b"TY  - JOUR", "text/plain")
    next(one for one in run.file_uploader if one.label == "Files").set_value([named]).run()
    run.checkbox(key="fetch").uncheck()
    next(button for button in run.button if button.label == "Import the files").click().run()
    assert [list(each["names"].values()) for each in started] == [["papers/2020/a.txt"], ["mine.ris"]]
    assert [each["fetch"] for each in started] == [True, False]
    assert [Path(path).suffix for each in started for path in each["paths"]] == [".txt", ".ris"]


def test_a_folder_to_watch_is_chosen_and_given_up(tmp_path):
    run = AppTest.from_file(str(PAGES / "import_articles.py"), default_timeout=30).run()
    run.text_input(key="watch_path").set_value(str(tmp_path / "none"))
    run.button(key="watch_start").click().run()
    assert "There is no folder" in run.error[0].value
    run.text_input(key="watch_path").set_value(str(tmp_path))  # the data folder lies in it
    run.button(key="watch_start").click().run()
    assert "Keyline's own data" in run.error[0].value
    (inbox := tmp_path / "inbox").mkdir()
    run.text_input(key="watch_path").set_value(str(inbox))
    run.button(key="watch_start").click().run()
    with read() as session:
        assert settings_now(session, WatchSettings).folder == str(inbox)
    assert not run.exception
    run.button(key="watch_stop").click().run()
    with read() as session:
        assert settings_now(session, WatchSettings) == WatchSettings()
