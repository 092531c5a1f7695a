"""The status page: what it shows, what it warns of, backups by a click, and how quick it is in a large project."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import annotate.operations.model_files
import annotate.operations.server_status
import pages.parts.shared.job_panel
from annotate.curation.assigning import assign
from annotate.jobs.lifecycle import enqueue, log_path, run_here
from annotate.operations.backup_schedule import BackupSettings, back_up_project
from annotate.operations.server_status import server_status
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.project.stored_settings import settings_now
from annotate.proposing.encoder_versions import proposing_version
from annotate.registry.versions import model_folder
from db.tables import Job
from pages.parts.frame.page import my_places
from pages.parts.operations.status_numbers import size
from tests.support.making import judge, propose_with, query, store_proposed, verdict, version_without_weights
from tests.support.paths import PAGES
from tests.support.reviewed import Review, write_pool, write_reviews
from tests.support.schema import HEAD
from tests.support.told import columns_of

pytestmark = pytest.mark.usefixtures("home")
PAGE = PAGES / "status.py"


def page() -> AppTest:
    run = AppTest.from_file(str(PAGE), default_timeout=60).run()
    assert not run.exception
    return run


def metrics(run: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in run.metric}


def words(run: AppTest) -> str:
    parts = (*run.markdown, *run.caption, *run.warning, *run.success, *run.error)
    return "\n".join(part.value for part in parts).replace("\\", "")


def button(run: AppTest, label: str) -> Any:
    (found,) = [each for each in run.button if each.label == label]
    return found


def back_up() -> None:
    run_here("backup", {}, {"backup": back_up_project}, lambda progress: None)


def test_an_empty_project_has_a_page_of_zeros():
    run = page()
    assert metrics(run)["Articles"] == "0"
    assert "None yet." in words(run) or "PostgreSQL is backed up by its own tool" in words(run)


def test_the_numbers_are_those_of_the_rows():
    store_proposed(3)
    judge("Anna", 1, verdict(0), verdict(1, "reject"))
    shown = metrics(page())
    assert {name: shown[name] for name in ("Articles", "Sentences", "Verdicts", "Waiting", "Being reviewed")} == {
        "Articles": "3",
        "Sentences": "9",
        "Verdicts": "2",
        "Waiting": "2",
        "Being reviewed": "0",
    }
    assign([2], "Anna")  # who has not opened it
    assert metrics(page())["Waiting"] == "2" and metrics(page())["Being reviewed"] == "0"
    assert [metric.label for metric in page().expander[0].metric] == ["Write-ahead log", "Schema", "Memory of the app"]
    assert shown["Schema"] == HEAD and shown["Logged in"] == "0"


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (5_000_000, "5.0 MB"),
        (265_400_000, "265 MB"),  # as short as fits its column on a small screen
        (69_100_000_000, "69.1 GB"),
        (1_200_000_000_000, "1.2 TB"),
    ],
)
def test_bytes_are_told_in_few_digits(count, text):
    assert size(count) == text


def test_the_versions_of_the_programs_are_told_and_torch_is_not_imported():
    import sys

    loaded = "torch" in sys.modules
    told = words(page())
    assert "torch 2." in told and "streamlit 1.67.0" in told and "Keyline " in told
    assert ("torch" in sys.modules) == loaded


def test_jobs_that_run_and_the_last_that_failed_are_told_with_reason_and_log():
    with pytest.raises(ValueError, match="no gold"):
        run_here("evaluate", {}, {"evaluate": fail}, lambda progress: None)
    log_path(1).write_text("Traceback: the whole story\n")
    enqueue("train", {})
    run = page()
    assert "Last failed: **Evaluation**" in words(run) and "no gold *here*" in words(run)
    assert "Traceback: the whole story" in [code.value for code in run.code]
    assert "**Retraining** · queued" in words(run)


def fail(payload: dict[str, Any], monitor: Any) -> dict[str, Any]:
    raise ValueError("no gold *here*")


@pytest.mark.sqlite
def test_the_last_backup_is_told_with_age_size_and_that_it_was_read_again():
    store_proposed(1)
    back_up()
    run = page()
    assert "**0 min old**" in words(run) and "read again and sound" in words(run)
    assert "Everything is in order." in words(run)
    assert [name[:14] for name in columns_of(run, "Backups")["Archive"]] == ["keyline-000001"]


@pytest.mark.sqlite
def test_an_old_a_missing_and_a_failed_backup_are_warned_of():
    store_proposed(1)
    assert "There is no backup yet" in words(page())
    back_up()
    with write(Right.SYSTEM) as session:
        session.get_one(Job, 1).created_at = (datetime.now(UTC) - timedelta(hours=40)).isoformat()
    assert "The last backup is 40 hours old: one was due 24 h after it." in words(page())
    with pytest.raises(ValueError, match="disk full"):
        run_here("backup", {}, {"backup": full}, lambda progress: None)
    assert "The last backup failed: disk full." in words(page())


def full(payload: dict[str, Any], monitor: Any) -> dict[str, Any]:
    raise ValueError("disk full")


@pytest.mark.sqlite
def test_a_click_begins_a_backup(monkeypatch):
    store_proposed(1)
    started: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr(
        pages.parts.shared.job_panel.lifecycle, "start", lambda kind, payload: started.append((kind, payload))
    )
    run = page()
    button(run, "Back up now").click().run()
    assert started == [("backup", {})] and not run.exception


@pytest.mark.sqlite
def test_the_schedule_is_set_by_the_form_and_by_whom_is_told():
    run = page()
    run.toggle[0].set_value(False)
    run.number_input[0].set_value(6)
    run.number_input[1].set_value(3)
    button(run, "Save").click().run()
    assert not run.exception
    with read() as session:
        assert settings_now(session, BackupSettings) == BackupSettings(on=False, every_hours=6, keep=3)
    assert "Scheduled backups are off." in words(run) and "Set by operator" in words(run)


def test_little_space_on_the_disk_is_warned_of(monkeypatch):
    usage = annotate.operations.server_status.shutil.disk_usage(Path.cwd())
    monkeypatch.setattr(
        annotate.operations.server_status.shutil, "disk_usage", lambda path: usage._replace(free=1_900_000_000)
    )
    run = page()
    assert "Only 1.9 GB of disk space are free" in words(run)
    assert metrics(run)["Free disk"] == ":red[1.9 GB]"


def test_a_network_file_system_is_warned_of(monkeypatch):
    monkeypatch.setattr(annotate.operations.server_status, "network_file_system", lambda path: "nfs4")
    if isinstance(annotate.operations.server_status.database(), Path):
        assert "network file system (nfs4)" in words(page())
    else:
        assert "network file system" not in words(page())


def test_model_files_are_read_on_a_click_and_never_by_opening_the_page(monkeypatch):
    propose_with(version_without_weights("tiny"))
    looked: list[str] = []
    real = annotate.operations.model_files.verified_folder
    monkeypatch.setattr(
        annotate.operations.model_files, "verified_folder", lambda version: looked.append(version.name) or real(version)
    )
    run = page()
    assert looked == []
    button(run, "Check its files").click().run()
    assert looked == ["tiny"] and "tiny: every file is as it was saved" in words(run)
    (model_folder(proposing_version()) / "model.safetensors").write_bytes(b"other")
    button(run, "Check its files").click().run()
    assert "model.safetensors was changed" in words(run)


def test_whoever_may_not_operate_the_server_does_not_see_it(monkeypatch):
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    monkeypatch.setattr("pages.parts.frame.who.session_token", lambda: "")  # the runner's browser has no cookies
    run = page()
    assert not run.metric and not [each for each in run.button if each.label == "Back up now"]


@pytest.mark.sqlite
@pytest.mark.timeout(60)
def test_it_is_drawn_within_a_second_in_a_project_of_ten_thousand_articles(record_property):
    back_up()  # before there is much to copy: the page reads what is noted of a backup, and no archive
    write_pool(10_000, 20, [[0, 1, 2]] * 10_000)
    write_reviews([Review(number, number, number + 1, key=[0], other=[1, 2]) for number in range(1, 5_001)])
    server_status()  # what the queue remembers from call to call is made once
    took = []
    for _ in range(3):
        began = time.perf_counter()
        status = server_status()
        took.append(time.perf_counter() - began)
    assert (status.articles, status.verdicts) == (10_000, 15_000)
    page()
    record_property("seconds", round(min(took), 2))


def test_lab_stands_in_the_menu_once_somebody_asked_for_it():
    assert "Lab" not in my_places()
    switch = next(each for each in page().toggle if each.label == "Lab in the menu")
    run = switch.set_value(True).run()
    assert not run.exception and my_places()["Lab"] == ["experiments", "simulate", "encoders"]
    assert query("SELECT name, changed_by FROM setting") == [("menu", "operator")]
