"""The policy of retraining: by click until somebody chooses otherwise, validated, every choice kept."""

from dataclasses import replace

import pytest

import db.rows
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.project.stored_settings import change_settings, settings_now
from annotate.retraining.retrain_policy import Gate, RetrainPolicy, When
from db.tables import Setting
from tests.support.making import query

pytestmark = pytest.mark.usefixtures("home")


def policy() -> RetrainPolicy:
    with read() as session:
        return settings_now(session, RetrainPolicy)


def test_at_first_training_is_by_click_and_promotion_a_persons():
    assert policy() == RetrainPolicy(When.CLICK, 200, 2, Gate.HUMAN)


def test_a_choice_holds_until_the_next_one_and_says_who_made_it():
    chosen = RetrainPolicy(When.AFTER, 50, 3, Gate.BETTER)
    change_settings("Anna", chosen)
    assert policy() == chosen
    change_settings("Ben", replace(chosen, when=When.NIGHT))
    assert policy().when is When.NIGHT
    assert query("SELECT name, changed_by FROM setting ORDER BY id") == [
        (RetrainPolicy.NAME, "Anna"),
        (RetrainPolicy.NAME, "Ben"),
    ]


def test_a_choice_that_holds_already_is_not_stored_again():
    change_settings("Anna", RetrainPolicy())
    assert query("SELECT count(*) FROM setting") == [(0,)]


def test_words_of_the_page_and_of_the_command_line_become_the_closed_set():
    made = RetrainPolicy(when="night", gate="better")
    assert (made.when, made.gate) == (When.NIGHT, Gate.BETTER)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"when": "daily"}, "when 'daily' is none of click, after, night"),
        ({"gate": "always"}, "gate 'always' is none of human, better"),
        ({"after_verdicts": 0}, "after_verdicts is 0; it must be a whole number from 1 to 1000000"),
        ({"after_verdicts": 2.5}, "after_verdicts is 2.5"),
        ({"night_hour": 24}, "night_hour is 24; it must be a whole number from 0 to 23"),
        ({"night_hour": True}, "night_hour is True"),
    ],
)
def test_a_value_outside_the_allowed_set_is_refused_by_name(values, message):
    with pytest.raises(ValueError, match=message):
        RetrainPolicy(**values)


def test_what_a_later_release_stored_beside_the_known_is_left_out():
    with write(Right.SYSTEM) as session:
        db.rows.add(
            session, Setting(name=RetrainPolicy.NAME, content={"when": "night", "weekday": 3}, changed_by="Anna")
        )
    assert policy() == RetrainPolicy(When.NIGHT)


def test_a_stored_value_that_this_release_does_not_take_gives_way_to_the_default():
    with write(Right.SYSTEM) as session:
        content = {"when": "weekly", "after_verdicts": "many", "night_hour": 3, "gate": "better"}
        db.rows.add(session, Setting(name=RetrainPolicy.NAME, content=content, changed_by="Anna"))
    assert policy() == RetrainPolicy(When.CLICK, 200, 3, Gate.BETTER)
