"""The gold page: live counts without making all rows, freezing, snapshots and their files, who said what."""

import json

import pytest
from streamlit.testing.v1 import AppTest

import annotate.gold.label_sets
import pages.parts.gold.live
from annotate.gold.export_file import FORMATS, download, download_manifest
from annotate.gold.label_sets import live_gold
from annotate.gold.rows import gold_rows, live_manifest, manifest
from annotate.gold.snapshots import freeze, verify
from annotate.project.home import read
from tests.support.making import comment, judge, paper, query, reading, store, thaw, verdict
from tests.support.paths import PAGES
from tests.support.told import columns_of, html, table_named

pytestmark = pytest.mark.usefixtures("home")


def page(name: str = "gold", **state: object) -> AppTest:
    run = AppTest.from_file(str(PAGES / f"{name}.py"), default_timeout=30)
    run.session_state["annotator"] = "Anna"
    for key, value in state.items():
        run.session_state[key] = value
    return checked(run.run())


def checked(run: AppTest) -> AppTest:
    assert not run.exception
    return run


def begin() -> None:
    store(paper(pmid="1"), paper(pmid="2"), paper(pmid="3"))
    judge("Anna", 1, verdict(0), verdict(1, "reject"), verdict(2, "unsure"), comment(1, "why :red[not]"))
    judge("Ben", 1, verdict(0, "reject"), reading())
    judge("Ben", 2, verdict(1))
    judge("Carla", 3, reading())


def words(run: AppTest) -> str:
    return "\n".join(str(part.value) for part in (*run.caption, *run.success, *run.error, *run.info)).replace("\\", "")


def press(run: AppTest, label: str) -> AppTest:
    return checked(next(button for button in run.button if button.label == label).click().run())


def test_an_empty_database_is_told_where_to_go():
    assert "No labels yet" in words(page())


def test_the_counts_are_those_of_the_manifest_of_any_download():
    begin()
    run = page()
    shown = {metric.label: metric.value for metric in run.metric}
    assert shown == {"Rows": "4", "Key sentences": "1", "Not key": "1", "Unsure": "1", "Tied": "1"}
    with read() as session:
        live = live_gold(session)
        assert live_manifest(session, live) == manifest(session, gold_rows(session))
    judge("Ben", 2, verdict(2), reading())  # after the page was drawn
    found = json.loads(download_manifest(live.basis))
    assert (found["rows"], found["by_label"], found["read_in_full"]) == (
        4,
        {"0": 1, "1": 1, "disputed": 1, "unsure": 1},
        [["pmid:1", "Ben", 3], ["pmid:3", "Carla", 3]],
    )
    assert [download(ending, live.basis).count(b"deleted TP53") for ending in (".csv", ".jsonl")] == [2, 2]
    assert download(".xlsx", live.basis)[:2] == b"PK" and set(FORMATS) == {".csv", ".jsonl", ".xlsx"}


def test_rows_are_counted_by_origin_and_annotator_where_there_is_more_than_one():
    store(paper(pmid="9"))
    judge("Anna", 1, verdict(0))
    assert "Rows by origin" not in html(page())
    judge("Ben", 1, verdict(1))
    assert "Rows by origin" in html(page())


def test_only_the_rows_that_are_shown_are_made(monkeypatch):
    begin()
    made: list[object] = []
    real = annotate.gold.rows.mentioned
    monkeypatch.setattr(annotate.gold.rows, "mentioned", lambda *one, **more: made.append(one) or real(*one, **more))
    monkeypatch.setattr(pages.parts.gold.live, "SHOWN_ROWS", 1)
    store(paper(pmid="4"))
    judge("Anna", 4, verdict(0), verdict(1))
    run = page()
    assert len(made) == 1
    assert "3 rows, the first 1 shown." in words(run)


def test_freezing_adds_a_snapshot_and_a_name_can_be_used_once():
    begin()
    run = page()
    run.text_input(key="freeze_name").input("Spring")
    run = press(run, "Freeze")
    assert "Frozen as Spring: 4 rows." in words(run)
    run.text_input(key="freeze_name").input("spring")
    run = press(run, "Freeze")
    assert "Not frozen: there is a snapshot spring already" in words(run)
    assert query("SELECT name, rule, created_by FROM gold_snapshot") == [("Spring", "majority", "Anna")]


def test_what_is_disputed_is_told_before_it_is_frozen():
    store(paper(pmid="1"))
    judge("Anna", 1, verdict(0))
    assert not page().warning
    judge("Ben", 1, verdict(0, "reject"))
    (warning,) = page().warning
    assert "1 disputed sentence in 1 article: a snapshot of now leaves them undecided" in warning.value


def test_the_rule_single_needs_a_name():
    begin()
    run = page()
    run.text_input(key="freeze_name").input("Ben alone")
    run.selectbox(key="freeze_rule").select("single")
    run = press(run, "Freeze")
    assert "needs the name of one annotator" in words(run)
    run.selectbox(key="freeze_annotator").select("Ben")
    assert "Frozen as Ben alone: 2 rows." in words(press(run, "Freeze"))


def test_a_snapshot_is_verified_and_compared_on_the_page():
    begin()
    freeze("one", "majority")
    judge("Anna", 1, verdict(1), verdict(2, "withdrawn"))
    judge("Ben", 2, verdict(0, "reject"))
    freeze("two", "majority")
    run = press(page(), "Verify")
    assert f"two is sound: {verify('two')['rows']} rows with SHA-256" in words(run)
    run = checked(run.toggle(key="comparing").set_value(True).run())
    assert "2 equal rows, 1 with another label, 1 added, 1 removed" in words(run)
    assert columns_of(run, "Differences")["Change"] == ["relabelled", "removed", "added"]


@pytest.mark.postgresql
def test_a_damaged_snapshot_is_said_to_be_so():
    from sqlalchemy import update

    from annotate.project.home import write
    from annotate.project.rights import Right
    from db.tables import GoldSnapshot

    begin()
    freeze("one", "majority")
    with write(Right.SYSTEM) as session:
        thaw(session)
        session.execute(update(GoldSnapshot).values(sha256="0" * 64))
    assert "the snapshot one is damaged" in words(press(page(), "Verify"))


def test_a_chosen_sentence_opens_all_that_was_said_about_it_and_ones_own_can_be_undone():
    begin()
    run = page(about_sentence=1)
    said = columns_of(run, "Who said what")
    assert list(zip(said["Who"], said["Kind"], said["What"], strict=True)) == [
        ("Ben", "verdict", "not key"),
        ("Anna", "verdict", "key sentence"),
    ]
    labels = [button.label for button in run.button]
    assert "Undo my verdict: key sentence" in labels and "Undo my verdict: not key" not in labels
    run = press(run, "Undo my verdict: key sentence")
    last = query("SELECT annotator_id, sentence_id, value, origin FROM verdict ORDER BY id DESC LIMIT 1")
    assert last == [(1, 1, "withdrawn", "added")]
    (toast,) = run.toast
    assert toast.value.replace("\\", "") == "Undone: key sentence. Your judgement before it counts again."


@pytest.mark.postgresql
def test_comments_are_shown_as_they_were_written():
    begin()
    said = ["Anna", "why :red[not]", "Here we deleted TP53 in HeLa cells.", "Article 1"]
    assert table_named(page(), "Comments") == [["Annotator", "Comment", "Sentence", "Article"], said]
