"""What the queue is set to: bounds, the latest choice, and rows that another release wrote."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

import db.rows
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.project.stored_settings import change_settings, settings_now
from annotate.review.assignments import take
from annotate.review.queue_settings import QueueSettings, replaced_strategy
from db.tables import Setting
from tests.support.making import query, store_proposed

pytestmark = pytest.mark.usefixtures("home")


def stored() -> QueueSettings:
    with read() as session:
        return settings_now(session, QueueSettings)


def test_the_defaults_hold_until_somebody_chooses():
    assert stored() == QueueSettings()
    assert (QueueSettings().random_share, QueueSettings().blind_share, QueueSettings().double_share) == (0.1, 0.05, 0)


def test_a_choice_is_stored_with_who_made_it_and_earlier_ones_stay():
    change_settings("Anna", QueueSettings(strategy="random", lease_minutes=10))
    change_settings("Ben", QueueSettings(strategy="random", lease_minutes=20))
    change_settings("Cleo", QueueSettings(strategy="random", lease_minutes=20))  # no change
    assert stored() == QueueSettings(strategy="random", lease_minutes=20)
    assert query("SELECT name, changed_by FROM setting ORDER BY id") == [
        (QueueSettings.NAME, "Anna"),
        (QueueSettings.NAME, "Ben"),
    ]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("strategy", "best", "strategy is 'best'; it must be one of random, score"),
        ("random_share", 1.1, "random_share is 1.1; it must be a number from 0 to 1"),
        ("blind_share", -0.1, "blind_share is -0.1; it must be a number from 0 to 1"),
        ("double_share", float("nan"), "double_share is nan"),
        ("double_share", True, "double_share is True"),
        ("lease_minutes", 4, "lease_minutes is 4; it must be a whole number from 5 to 1440"),
        ("lease_minutes", 2.5, "lease_minutes is 2.5; it must be a whole number"),
        ("learn_at_once", 1, "learn_at_once is 1; it must be true or false"),
    ],
)
def test_a_value_out_of_bounds_is_refused_by_name(name, value, said):
    with pytest.raises(ValueError, match=said.replace(".", r"\.")):
        replace(QueueSettings(), **{name: value})


def test_what_this_release_does_not_take_gives_way_to_the_default():
    content = {"strategy": ["no"], "lease_minutes": "ten", "random_share": 0.5, "a later setting": 1}
    with write(Right.SYSTEM) as session:
        db.rows.add(session, Setting(name=QueueSettings.NAME, content=content, changed_by="another release"))
        db.rows.add(session, Setting(name="another name", content={"random_share": 0.9}, changed_by="Anna"))
    assert stored() == QueueSettings(random_share=0.5)


@pytest.mark.parametrize(("before", "now"), [("entropy", "committee"), ("change", "committee")])
def test_a_project_that_chose_a_strategy_of_an_earlier_release_has_the_one_in_its_place(before, now):
    content = {"strategy": before, "random_share": 0.2}
    with write(Right.SYSTEM) as session:
        assert replaced_strategy(session) == ""
        db.rows.add(session, Setting(name=QueueSettings.NAME, content=content, changed_by="another release"))
    assert stored() == QueueSettings(strategy=now, random_share=0.2)
    with read() as session:
        assert replaced_strategy(session) == before


def test_a_shorter_lease_shortens_those_that_run():
    store_proposed(1)
    change_settings("Anna", QueueSettings(lease_minutes=600))
    take("Anna", 1)
    change_settings("Anna", QueueSettings(lease_minutes=5))
    ((until,),) = query("SELECT leased_until FROM assignment")
    assert datetime.fromisoformat(until) <= datetime.now(UTC) + timedelta(minutes=5)
    change_settings("Anna", QueueSettings(lease_minutes=60))
    assert query("SELECT leased_until FROM assignment") == [(until,)]
