"""The project's topic: stored with all before it, and what happens where it cannot be read."""

import pytest

import db.rows
from annotate.project.acting import Actor, Forbidden, acting
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.topics.file import FIRST, BadTopic, read_topic, shipped
from annotate.topics.project_topic import (
    current_topic,
    earlier_topics,
    find_topic,
    use_topic,
    why_unreadable,
)
from db.tables import Topic
from tests.support.making import query
from tests.support.topics import SMALL

pytestmark = pytest.mark.usefixtures("home")
OTHER = SMALL.replace("name: Sleep", "name: Dreams")


def test_a_project_without_a_choice_is_about_gene_editing():
    assert current_topic() is shipped(FIRST)
    with read() as session:
        assert earlier_topics(session) == [] and why_unreadable(session) is None


def test_a_topic_is_stored_with_its_hash_and_the_earlier_ones_stay():
    assert use_topic(SMALL, by="Anna")
    assert not use_topic(SMALL, by="Ben")  # it holds already
    assert use_topic(OTHER, by="Ben")
    assert use_topic(SMALL, by="Anna")
    assert current_topic().name == "Sleep"
    with read() as session:
        rows = earlier_topics(session)
    assert [(row.name, row.chosen_by) for row in rows] == [("Sleep", "Anna"), ("Dreams", "Ben"), ("Sleep", "Anna")]
    assert rows[0].sha256 == rows[2].sha256 == read_topic(SMALL).sha256
    assert [kind for (kind,) in query("SELECT kind FROM history")] == ["topic"] * 3


def test_a_wrong_topic_is_not_stored():
    with pytest.raises(BadTopic, match="topic: name is missing"):
        use_topic(SMALL.replace("name: Sleep\n", ""), by="Anna")
    assert query("SELECT count(*) FROM topic") == [(0,)]


def test_nobody_without_the_right_changes_it():
    with acting(Actor("nobody")), pytest.raises(Forbidden, match="may not choose and change the topic"):
        use_topic(SMALL, by="nobody")


def test_a_topic_that_this_release_cannot_read_stops_nothing():
    with write(Right.TOPIC) as session:
        db.rows.add(session, Topic(sha256="0" * 64, name="Later", text="form: 9", chosen_by="Anna"))
    assert current_topic() is shipped("blank")
    with read() as session:
        assert "Later: form is 9; it must be 1" in str(why_unreadable(session))
    assert use_topic(shipped("blank").text, by="Anna")  # it did not hold: it stood in
    with read() as session:
        assert why_unreadable(session) is None


def test_a_topic_is_found_by_file_name_hash_or_name():
    use_topic(SMALL, by="Anna")
    use_topic(OTHER, by="Anna")
    sleep = read_topic(SMALL)
    with read() as session:
        for name in ("Sleep", sleep.sha256, sleep.sha256[:8]):
            assert find_topic(session, name).sha256 == sleep.sha256
        assert find_topic(session, "blank") is shipped("blank")
        with pytest.raises(ValueError, match=r"no topic '%'; there are gene_editing, .*, Dreams, Sleep"):
            find_topic(session, "%")
