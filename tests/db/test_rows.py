"""What is asked of one table, whichever it is."""

import db.rows
from annotate.project.home import look_up, read, write
from annotate.project.rights import Right
from db.tables import Job, Setting
from tests.support.making import query


def store(*names: str) -> list[int]:
    with write(Right.SYSTEM) as session:
        rows = [Setting(name=name, content={"n": n}, changed_by="Anna") for n, name in enumerate(names)]
        return [db.rows.add(session, row).id for row in rows]


def test_the_latest_row_with_some_values_is_found_and_none_where_there_is_none(home):
    store("queue", "queue", "backup")
    with read() as session:
        assert db.rows.find(session, Setting, name="queue").content == {"n": 1}
        assert db.rows.find(session, Setting, name="queue", changed_by="Ben") is None


def test_rows_come_the_latest_first_and_no_more_than_asked_for(home):
    first, second, third = store("queue", "backup", "queue")
    with read() as session:
        assert [row.id for row in db.rows.latest(session, Setting)] == [third, second, first]
        assert [row.id for row in db.rows.latest(session, Setting, name="queue", limit=1)] == [third]
        assert db.rows.get(session, Setting, second).name == "backup"
        assert db.rows.get(session, Setting, 99) is None


def test_one_row_is_changed_and_no_other(home):
    _, second, third = store("queue", "queue", "queue")
    with write(Right.SYSTEM) as session:
        db.rows.change(session, Setting, second, changed_by="Ben")
    assert query("SELECT id FROM setting WHERE changed_by = 'Anna' ORDER BY id") == [(1,), (third,)]


def test_many_rows_or_none_are_stored_at_once(home):
    with write(Right.SYSTEM) as session:
        db.rows.add_all(session, Setting, [])
        db.rows.add_all(session, Setting, [{"name": n, "content": {}, "changed_by": "Anna"} for n in "ab"])
    assert query("SELECT name FROM setting ORDER BY id") == [("a",), ("b",)]


def test_the_row_that_was_latest_at_a_time_is_found_and_a_job_by_kind_and_state(home):
    with write(Right.SYSTEM) as session:
        for year in (2020, 2021):
            made = f"{year}-01-01T00:00:00.000Z"
            db.rows.add(session, Setting(name="n", content={"of": year}, changed_by="Anna", created_at=made))
    assert look_up(db.rows.find, Setting, name="n").content == {"of": 2021}
    assert look_up(db.rows.find, Setting, name="n", until="2020-06-01T00:00:00.000Z").content == {"of": 2020}
    assert look_up(db.rows.find, Setting, name="n", until="2019-06-01T00:00:00.000Z") is None
    assert look_up(db.rows.find, Job, kind="backup", state="done") is None
