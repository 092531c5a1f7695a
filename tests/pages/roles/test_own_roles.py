"""The panel More like this, and the tab of the team's own roles: ticked sentences, answers and their times."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from annotate.roles.own import create, say
from tests.annotate.roles.conftest import read_home, with_model  # noqa: F401 (fixtures)
from tests.support.making import query
from tests.support.paths import PAGES
from tests.support.told import captions


def opened(page: str, **address: str) -> AppTest:
    run = AppTest.from_file(str(PAGES / page), default_timeout=60)
    run.session_state["annotator"] = "Cora"
    for name, value in address.items():
        run.query_params[name] = value
    run.run()
    assert not run.exception
    return run


def boxes(run: AppTest) -> list:
    return [box for box in run.checkbox if box.label == "Choose"]


def test_a_ticked_sentence_stays_chosen_while_the_list_shows_others(read_home: Path) -> None:  # noqa: F811
    run = opened("articles.py", panel="alike", article="1", sentence="3")
    run.toggle(key="where").set_value(True).run()
    here = {key for (key,) in query("SELECT id FROM sentence WHERE article_id = 1")}
    other = next(box for box in boxes(run) if int(box.key.rpartition("_")[2]) not in here)
    key = other.key
    other.check().run()
    run.toggle(key="where").set_value(False).run()
    assert key not in {box.key for box in boxes(run)} and "Also chosen, but not in this list: 1" in captions(run)
    run.toggle(key="where").set_value(True).run()
    assert not run.exception and [box.key for box in boxes(run) if box.value] == [key]
    run.toggle(key="where").set_value(False).run()
    boxes(run)[0].check().run()
    run.text_input(key="function_name").set_value("a rise")
    next(button for button in run.button if button.label == "Name the role").click().run()
    assert not run.exception and query("SELECT count(*) FROM function_example") == [(3,)]
    assert "Also chosen" not in captions(run)


def test_an_answer_without_a_tick_is_told_and_times_are_local(read_home: Path) -> None:  # noqa: F811
    ids = [key for (key,) in query("SELECT id FROM sentence ORDER BY id LIMIT 3")]
    number = create("Cora", "a rise", ids)
    run = opened("functions.py")
    next(button for button in run.button if button.label == "The chosen ones have it").click().run()
    assert [note.value for note in run.warning] == [r"Tick a sentence first\."]
    table = next(one.value for one in run.dataframe if "has it" in one.value)
    assert all(re.fullmatch(r"(\d{4}-\d\d-\d\d )?\d\d:\d\d", at) for at in table["at"])
    boxes(run)[0].check().run()
    assert boxes(run)[0].key.startswith(f"nearest_{number}_")
    next(button for button in run.button if button.label == "The chosen ones have it").click().run()
    assert not run.warning and query("SELECT count(*) FROM function_example") == [(4,)]


@pytest.mark.parametrize("sees_it", [True, False])
def test_what_another_person_answered_is_not_chosen_any_more(read_home: Path, sees_it: bool) -> None:  # noqa: F811
    ids = [key for (key,) in query("SELECT id FROM sentence ORDER BY id LIMIT 3")]
    number = create("Cora", "a rise", ids)
    run = opened("functions.py")
    refused, other = (int(box.check().key.rpartition("_")[2]) for box in boxes(run)[:2])
    run.run()
    say("Ben", number, {refused: False})
    if sees_it:
        run.run()
        assert "Also chosen" not in captions(run)
    next(button for button in run.button if button.label == "The chosen ones have it").click().run()
    assert not run.exception and not run.warning
    said = query("SELECT sentence_id, has_it, said_by FROM function_example ORDER BY id DESC LIMIT 2")
    assert [(one, bool(has_it), by) for one, has_it, by in said] == [(other, True, "Cora"), (refused, False, "Ben")]
