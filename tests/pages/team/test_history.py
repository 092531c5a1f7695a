"""The history page: filters, pages, files, and undo of one's own verdict."""

import pytest
from streamlit.testing.v1 import AppTest

import annotate.project.acting
from annotate.jobs.lifecycle import enqueue
from annotate.project.acting import Actor
from annotate.project.menu_settings import MenuSettings
from annotate.project.rights import Right
from annotate.project.stored_settings import change_settings
from annotate.review.queue_settings import QueueSettings
from annotate.review.sentence_roles import FunctionSettings
from tests.support.making import comment, judge, paper, query, store, verdict
from tests.support.paths import PAGES
from tests.support.told import files

pytestmark = pytest.mark.usefixtures("home", "ticking")


def page(name: str | None = "Anna", **state: object) -> AppTest:
    run = AppTest.from_file(str(PAGES / "history.py"), default_timeout=30)
    run.session_state["annotator"] = name
    for key, value in state.items():
        run.session_state[key] = value
    return checked(run.run())


def checked(run: AppTest) -> AppTest:
    assert not run.exception
    return run


def press(run: AppTest, label: str) -> AppTest:
    return checked(next(button for button in run.button if button.label == label).click().run())


def rows(run: AppTest) -> list[tuple[str, str, str]]:
    table = run.dataframe[0].value
    return list(zip(table["who"], table["kind"], table["what"], strict=True))


def begin() -> None:
    store(paper(pmid="1"), paper(pmid="2"))
    judge("Anna", 1, verdict(0))
    judge("Ben", 2, verdict(1, "reject"))
    judge("Ben", 2, comment(1, "why"))


def test_an_empty_history_says_so():
    run = page(None)
    assert run.info[0].value == "There are no such events yet." and not run.dataframe


def test_everything_is_shown_newest_first():
    begin()
    assert rows(page()) == [
        ("Ben", "comment", "why"),
        ("Ben", "verdict", "not key"),
        ("Anna", "verdict", "key sentence"),
    ]


@pytest.mark.postgresql
def test_of_settings_only_what_changed_is_told_after_the_first_time():
    for lab, share, tag in ((True, 0.2, "pilot"), (False, 0.3, "pilot"), (True, 0.3, "")):
        change_settings("Anna", QueueSettings(blind_share=share, with_tag=tag))
        change_settings("Anna", MenuSettings(lab=lab))
    told = [what for _, _, what in rows(page())]
    assert told[:4] == ["menu: lab on", "queue: with tag none", "menu: lab off", "queue: blind share 0.3"]
    assert told[5].startswith("queue: strategy committee, random share 0.1, blind share 0.2, ")


def test_a_page_says_how_many_entries_it_holds_and_one_page_alone_is_not_turned():
    begin()
    run = page()
    assert any(caption.value.startswith("3 entries on this page. ") for caption in run.caption)
    assert not {"Newer", "Older"} & {button.label for button in run.button}


def test_a_job_bears_its_title_and_a_setting_is_told_in_words():
    begin()
    change_settings("Anna", FunctionSettings(roles=False))
    enqueue("functions", {})
    told = [what for _, _, what in rows(page())]
    assert told[:2] == ["Telling what sentences do: queued", "functions: roles off"]


@pytest.mark.postgresql
def test_filters_narrow_the_table():
    begin()
    run = page()
    run.multiselect(key="history_kinds").select("verdict")
    assert len(rows(checked(run.run()))) == 2
    run.selectbox(key="history_person").select("Ben")
    assert rows(checked(run.run())) == [("Ben", "verdict", "not key")]
    run.text_input(key="history_article").input("1")
    assert checked(run.run()).info[0].value.startswith("There are no such events")
    run.text_input(key="history_article").input("999")
    assert checked(run.run()).warning[0].value == "There is no article 999."


def test_older_and_newer_events_are_turned_to(monkeypatch):
    begin()
    for number in range(60):
        judge("Anna", 1, comment(0, f"remark {number}"))
    run = page()
    first = rows(run)
    run = press(run, "Older")
    second = rows(run)
    assert (len(first), len(second)) == (50, 13) and not set(first) & set(second)
    assert [button.disabled for button in run.button if button.label == "Older"] == [True]
    assert rows(press(run, "Newer")) == first


def test_my_verdicts_are_one_click_away_and_can_be_undone():
    begin()
    run = press(page(), "My verdicts")
    assert rows(run) == [("Anna", "verdict", "key sentence")]
    run = page(about_sentence=1)
    run = press(run, "Undo my verdict: key sentence")
    assert query("SELECT value, annotator_id FROM verdict WHERE id = 3") == [("withdrawn", 1)]
    assert rows(run)[0] == ("Anna", "verdict", "withdrawn")


def test_nobody_can_undo_another_persons_verdict_here():
    begin()
    run = page("Ben", about_sentence=1)
    assert not [button for button in run.button if button.label.startswith("Undo my")]


def test_whoever_sees_everybodys_events_is_offered_them_as_files():
    begin()
    assert files(page()) == ["CSV", "JSONL"]


def test_without_the_right_the_page_shows_ones_own_events_and_no_export(monkeypatch):
    begin()
    ours = Actor("Ben", account_id=1)
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    for module in ("annotate.project.acting", "annotate.team.history", "pages.parts.frame.page"):
        monkeypatch.setattr(f"{module}.current_actor", lambda: ours)
    may = lambda session, right, actor=None: right == Right.REVIEW  # noqa: E731
    for module in ("annotate.project.acting", "annotate.team.history", "pages.parts.frame.page"):
        monkeypatch.setattr(f"{module}.allowed", may)
    monkeypatch.setattr("pages.parts.frame.page.why_not", lambda session, actor: None)
    monkeypatch.setattr("pages.parts.frame.page.account_box", lambda header: header)
    assert annotate.project.acting.current_actor() == ours
    run = page()
    assert {who for who, _, _ in rows(run)} == {"Ben"}
    assert not [box for box in run.selectbox if box.key == "history_person"]
    assert not files(run)
