"""The latest row with some values, and the one that was latest at a time."""

from pathlib import Path

import db.rows
from annotate.project.home import look_up, write
from annotate.project.rights import Right
from db.tables import Job, Setting


def test_the_row_that_was_latest_at_a_time_is_found_and_a_job_by_kind_and_state(home: Path) -> None:
    with write(Right.OPERATE) as session:
        for year in (2020, 2021):
            made = f"{year}-01-01T00:00:00.000Z"
            db.rows.add(session, Setting(name="n", content={"of": year}, changed_by="Anna", created_at=made))
    assert look_up(db.rows.find, Setting, name="n").content == {"of": 2021}
    assert look_up(db.rows.find, Setting, name="n", until="2020-06-01T00:00:00.000Z").content == {"of": 2020}
    assert look_up(db.rows.find, Setting, name="n", until="2019-06-01T00:00:00.000Z") is None
    assert look_up(db.rows.find, Job, kind="backup", state="done") is None
