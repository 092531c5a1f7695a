"""The Topic page: choosing and changing it, what is wrong at its field, and that it works empty."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import db.rows
from annotate.project.home import write
from annotate.project.rights import Right
from annotate.topics.file import BadTopic
from annotate.topics.project_topic import current_topic, leave_out, use_topic
from db.tables import Topic
from model.proposing.bounded import Place, SlowPattern
from pages.parts.articles import topic_form
from pages.parts.shared.label_form import columns_text
from tests.support.making import SENTENCES, judge, paper, query, store, verdict
from tests.support.paths import PAGES
from tests.support.told import captions
from tests.support.topics import SMALL, TOPIC


@pytest.fixture(autouse=True)
def started(home: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The jobs that the page began."""
    jobs: list[str] = []
    monkeypatch.setattr(topic_form, "start_job", lambda kind, payload: jobs.append(kind))
    return jobs


def opened() -> AppTest:
    run = AppTest.from_file(str(PAGES / "topic.py"), default_timeout=60)
    run.session_state["annotator"] = "Anna"
    return checked(run.run())


def page() -> AppTest:
    """The page with all parts of the topic."""
    return checked(opened().segmented_control(key="topic_way").set_value("All parts").run())


def checked(run: AppTest) -> AppTest:
    assert not run.exception
    return run


def area(run: AppTest, label: str):
    return next(field for field in (*run.text_area, *run.text_input) if field.label == label)


def told(message) -> str:
    return message.value.replace("\\", "")


def use(run: AppTest):
    return next(button for button in run.button if button.label.startswith("Use this topic"))


def test_an_empty_project_shows_gene_editing_and_nothing_to_preview():
    run = page()
    assert "In use: Gene editing" in captions(run)
    assert area(run, "Name").value == "Gene editing" and use(run).disabled
    assert [note.value[:15] for note in run.info] == ["Nothing to show"]


def test_a_topic_by_examples_is_written_without_a_pattern_and_stands_in_the_form_again(started):
    run = opened()
    assert area(run, "Name").value == "" and not run.checkbox[0].value  # gene editing is no topic by examples
    area(run, "Name").set_value("Sleep")
    area(run, "What counts, in two sentences").set_value("It says what lets people sleep.")
    counting = area(run, "Five or more sentences that count, one a line").set_value(
        "- Milk let them sleep.\nA bath let them sleep."
    )
    area(run, "Five or more sentences that do not count, one a line").set_value(
        "All were asked.\nSleep is good.\nWe sent letters."
    )
    checked(use(run).click().run())
    assert [told(error) for error in run.error] == ["Write at least 3 sentences that count; there are 2."]
    assert started == [] and counting.value == "- Milk let them sleep.\nA bath let them sleep."  # nothing is lost
    area(run, "Five or more sentences that count, one a line").set_value(f"{counting.value}\nThey slept after tea.")
    checked(use(run).click().run())
    assert not run.error and (current_topic().name, started) == ("Sleep", [])  # there is no article to rank
    assert current_topic().rules.examples.accepted[0] == "Milk let them sleep."
    assert [told(note) for note in run.success] == ["Sleep is the topic now. Import articles next."]
    assert area(run, "Five or more sentences that count, one a line").value.startswith("Milk let them sleep.\n")


def test_what_is_written_in_one_form_stays_after_a_look_at_the_other(started):
    run = opened()
    area(run, "Name").set_value("Sleep")
    area(run, "Five or more sentences that count, one a line").set_value("Milk let them sleep.")
    way = run.segmented_control(key="topic_way")
    checked(way.set_value("All parts").run())  # in the same run as the last words
    choice = next(box for box in run.selectbox if box.label == "Begin with")
    checked(choice.select("shipped: Blank").run())
    checked(area(run, "Name").set_value("Naps").run())
    checked(way.set_value("By examples").run())
    assert area(run, "Name").value == "Sleep"
    assert area(run, "Five or more sentences that count, one a line").value == "Milk let them sleep."
    checked(run.run())
    checked(way.set_value("All parts").run())
    assert area(run, "Name").value == "Naps" and not use(run).disabled
    checked(use(run).click().run())
    assert current_topic().name == "Naps" and not run.warning


def test_sentences_that_were_judged_are_added_to_the_ones_written(started):
    store(paper(pmid="1"))
    run = opened()
    assert next(button for button in run.button if button.label == "Add sentences that I accepted").disabled
    judge("Anna", 1, verdict(1))
    checked(run.run())
    area(run, "Five or more sentences that count, one a line").set_value("Milk let them sleep.")
    checked(next(button for button in run.button if button.label == "Add sentences that I accepted").click().run())
    assert area(run, "Five or more sentences that count, one a line").value == f"Milk let them sleep.\n{SENTENCES[1]}"


def test_a_shipped_topic_is_copied_changed_and_used(started):
    store(paper(pmid="1"))
    run = page()
    choice = next(box for box in run.selectbox if box.label == "Begin with")
    checked(choice.select(next(label for label in choice.options if label == "shipped: Blank")).run())
    checked(area(run, "Name").set_value("Sleep").run())
    assert not run.error and not use(run).disabled
    checked(use(run).click().run())
    assert (current_topic().name, started) == ("Sleep", ["propose"])
    assert query("SELECT name, chosen_by FROM topic") == [("Sleep", "Anna")]
    assert "In use: Sleep" in captions(run)


def test_what_is_wrong_stands_at_its_part_and_nothing_is_stored(started):
    use_topic(SMALL, by="Anna")
    run = page()
    cues = area(run, "Cues")
    checked(cues.set_value(cues.value.replace("weight: 2", "weight: heavy")).run())
    assert [told(error) for error in run.error] == ["cues.1.weight: must be a number"]
    assert use(run).disabled and current_topic().name == "Sleep"
    checked(area(run, "Queries").set_value("").run())
    assert {told(error) for error in run.error} == {
        "cues.1.weight: must be a number",
        "queries: is missing",
    }
    assert started == []


def test_the_import_page_tells_the_columns_by_the_topics_kinds():
    assert columns_text(TOPIC).startswith("genes (TP53|p53; MDM2), cells (HEK293T|293T; HeLa), edit (KO, KI, KD, OE)")
    use_topic(SMALL, by="Anna")
    assert columns_text(current_topic()).startswith("causes (warm feet), nights. Names separated")
    with pytest.raises(BadTopic):
        use_topic("", by="Anna")


def test_a_stored_topic_that_cannot_be_read_is_mended_in_the_page(started):
    with write(Right.TOPIC) as session:
        db.rows.add(
            session, Topic(sha256="0" * 64, name="Later", text=SMALL.replace("form: 1", "form: 9"), chosen_by="Anna")
        )
    run = page()
    assert "The stored topic cannot be used" in run.warning[0].value
    whole = area(run, "The whole file")
    assert [told(error) for error in run.error] == ["form: is 9; it must be 1"] and use(run).disabled
    checked(whole.set_value(SMALL).run())
    checked(use(run).click().run())
    assert (current_topic().name, started) == ("Sleep", []) and not run.warning


def test_it_can_be_replaced_by_the_one_that_stood_in_for_it(started):
    with write(Right.TOPIC) as session:
        db.rows.add(session, Topic(sha256="0" * 64, name="Later", text="form: 9", chosen_by="Anna"))
    run = page()
    checked(next(box for box in run.selectbox if box.label == "Begin with").select("shipped: Blank").run())
    assert not use(run).disabled
    checked(use(run).click().run())
    assert current_topic().name == "Blank" and not run.warning


def test_a_pattern_that_is_left_out_is_named_with_its_reason_until_the_topic_is_changed() -> None:
    assert use_topic(SMALL, by="Anna")
    assert not page().warning
    assert leave_out(SlowPattern(Place(current_topic().rules_sha256, "cues.1.words")))
    (told,) = page().warning
    assert told.value.replace("\\", "").startswith(
        "cues.1.words is left out of all searches until the topic is changed: one search took"
    )
    assert use_topic(SMALL.replace("weight: 2", "weight: 3"), by="Anna")
    assert not page().warning


def test_a_draft_that_searches_too_long_is_told_in_place_of_its_preview(monkeypatch: pytest.MonkeyPatch) -> None:
    def searches(_: object) -> None:
        raise SlowPattern(Place("a draft", "cues.1.pattern"))

    monkeypatch.setattr(topic_form, "preview", searches)
    errors = [told(error) for error in page().error]
    assert "the topic's cues.1.pattern searches too long; write it simpler." in errors


def test_a_topic_that_was_used_before_stands_in_the_form_as_it_was(started):
    use_topic(SMALL, by="Anna")
    run = page()
    checked(area(run, "Name").set_value("Naps").run())
    checked(use(run).click().run())
    use_topic(SMALL, by="Anna")
    checked(run.run())
    assert (current_topic().name, area(run, "Name").value) == ("Sleep", "Sleep")


@pytest.mark.parametrize("way", ["By examples", "All parts"])
def test_what_is_written_stays_when_another_topic_comes_into_use(started, way):
    use_topic(SMALL, by="Anna")
    run = opened()
    checked(run.segmented_control(key="topic_way").set_value(way).run())
    checked(area(run, "Name").set_value("Dreams").run())
    use_topic(SMALL.replace("Sleep", "Naps"), by="Ben")
    checked(run.run())
    assert area(run, "Name").value == "Dreams" and "In use: Naps" in captions(run)
    assert told(run.info[0]) == "Naps came into use while you wrote. What you wrote is still here."
    if way == "All parts":
        choice = next(box for box in run.selectbox if box.label == "Begin with")
        assert choice.value == "the topic before: Sleep" and not use(run).disabled
    leave = next(button for button in run.button if button.label == "Leave it and show the topic in use")
    checked(leave.click().run())
    assert area(run, "Name").value == ("Naps" if way == "All parts" else "")
    assert not any("while you wrote" in note.value for note in run.info)


def test_what_one_began_with_is_forgotten_once_it_was_used(started):
    use_topic(SMALL, by="Anna")
    run = page()
    checked(next(box for box in run.selectbox if box.label == "Begin with").select("shipped: Blank").run())
    checked(area(run, "Name").set_value("Naps").run())
    checked(use(run).click().run())
    use_topic(SMALL, by="Ben")
    checked(run.run())
    assert next(box for box in run.selectbox if box.label == "Begin with").value == "the project's topic: Sleep"
    assert (area(run, "Name").value, use(run).disabled) == ("Sleep", True)
