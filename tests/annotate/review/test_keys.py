"""The keys of the review: chosen by each person, refused where they are in each other's way, and set back."""

import pytest

from annotate.project.acting import Actor, Forbidden, acting
from annotate.project.home import read
from annotate.project.stored_settings import own_choice
from annotate.review.article_view import reading_view
from annotate.review.keys import (
    ACTIONS,
    ADJUDICATE,
    AUDIT,
    FIND,
    PAGES,
    BadKeys,
    all_keys,
    caps_of,
    choose_keys,
    own_keys,
)
from db.team.history import BRANCHES, Filter, events
from tests.support.making import paper, query, store
from tests.support.paths import ROOT

pytestmark = pytest.mark.usefixtures("home")


def keys_of(name: str) -> dict[str, str]:
    with read() as session:
        return all_keys(session, name)


def test_each_person_has_their_own_and_the_reader_shows_them():
    store(paper(pmid="1"))
    choose_keys("Anna", {"accept": " 1 ", "reject": "É"})
    mine = reading_view(1, "Anna")["keys"]
    assert (mine["accept"], mine["reject"], mine["undo"]) == ("1", "É", "U")
    assert reading_view(1, "Ben")["keys"]["accept"] == "A"
    assert set(reading_view(1, "Ben")["keys"]) == set(ACTIONS)


def test_what_people_chose_for_themselves_is_told_to_nobody_and_moves_no_setting_of_the_project():
    choose_keys("Anna", {"accept": "1"})
    with read() as session:
        assert events(session, BRANCHES["setting"], Filter(frozenset({"settings"})), before=None, limit=9) == []
        assert own_choice(session, "Ben", "review keys") is None


@pytest.mark.postgresql
def test_two_actions_may_change_keys_with_each_other():
    choose_keys("Anna", {"accept": "x", "reject": "a"})
    with read() as session:
        assert own_keys(session, "Anna") == {"accept": "x", "reject": "a"}


def test_a_key_that_somebody_chose_before_it_had_an_action_stays_theirs(monkeypatch):
    later = ACTIONS["more"]
    monkeypatch.delitem(ACTIONS, "more")
    choose_keys("Anna", {"accept": later.key})
    monkeypatch.setitem(ACTIONS, "more", later)
    keys = keys_of("Anna")
    assert keys["accept"] == later.key and keys_of("Ben")["more"] == later.key
    assert len(set(keys.values())) == len(ACTIONS)


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({"accept": "x"}, "the key X cannot be both to accept the proposal and to reject it"),
        ({"accept": "1", "undo": "1"}, "the key 1 cannot be both to accept the proposal and to undo"),
        ({"accept": "ab"}, "must be one letter or digit, not 'ab'"),
        ({"accept": ""}, "must be one letter or digit, not ''"),
        ({"accept": "?"}, "must be one letter or digit"),
        ({"accept": "ß"}, "must be one letter or digit"),  # two letters on its button
        ({"fly": "w"}, "'fly' is none of accept, reject"),
    ],
)
def test_keys_that_cannot_be_are_refused_with_the_reason(keys, reason):
    with pytest.raises(BadKeys, match=reason.replace("?", r"\?")):
        choose_keys("Anna", keys)
    assert query("SELECT count(*) FROM setting WHERE owner_id IS NOT NULL") == [(0,)]


def test_back_to_the_standard_and_what_was_chosen_is_kept():
    choose_keys("Anna", {"accept": "1"})
    choose_keys("Anna", {})
    assert keys_of("Anna") == {action: each.key for action, each in ACTIONS.items()}
    assert query("SELECT count(*) FROM setting WHERE owner_id IS NOT NULL") == [(2,)]


def test_nobody_chooses_the_keys_of_another():
    with acting(Actor("Ben", account_id=1)), pytest.raises(Forbidden):
        choose_keys("Anna", {"accept": "1"})


def test_the_reader_has_an_action_for_each_key():
    script = (ROOT / "pages/parts/review/keys.js").read_text()
    table = script[script.index("const ACTIONS = {") : script.index("const FIXED")]
    named = {line.strip().partition(":")[0] for line in table.splitlines() if line.startswith("  ")}
    assert named == set(ACTIONS)


@pytest.mark.parametrize("page", PAGES)
def test_each_page_has_keys_of_its_own_none_of_them_twice(page):
    standard = [each.key for each in PAGES[page].actions.values()]
    assert len(set(standard)) == len(standard) and not PAGES[page].taken.intersection(standard)
    choose_keys("Anna", {"undo": "7"}, page)
    for other in PAGES:
        assert caps_of("Anna", other)["undo"] == ("7" if other == page else "U")
    choose_keys("Anna", {}, page)
    assert caps_of("Anna", page)["undo"] == "U"


@pytest.mark.parametrize("page", [ADJUDICATE, AUDIT])
def test_keys_that_the_page_itself_has_are_refused(page):
    with pytest.raises(BadKeys, match="the key C does something else on this page"):
        choose_keys("Anna", {"next": "c"}, page)
    choose_keys("Anna", {"comment": "7", "next_article": "c"})  # the reader hears keys before Streamlit does


def test_the_list_of_find_has_an_action_for_each_key():
    script = (ROOT / "pages/parts/finding/found_list.js").read_text()
    table = script[script.index("const chosen = {") : script.index("const byKey")]
    named = {line.strip().rstrip(",").partition(":")[0] for line in table.splitlines()[1:] if line.startswith("      ")}
    assert named == set(PAGES[FIND].actions)
