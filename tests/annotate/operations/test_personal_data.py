"""A person's data: all of it is in the file for them, and none of it is in the database once they are erased."""

import gzip
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import DBAPIError

import db.jobs
import db.rows
from annotate.cli.main import main
from annotate.curation.assigning import assign, unassign
from annotate.finding.asking.saved import Asked, keep
from annotate.finding.question import Filters, Question
from annotate.gold import snapshots
from annotate.gold.label_sets import current_label_set, live_gold
from annotate.jobs import lifecycle
from annotate.operations.personal_data import LEFT_OUT, erase
from annotate.operations.sealing import verify
from annotate.operations.watched_folder import WatchSettings
from annotate.project.acting import OPERATOR, Actor, Forbidden, acting, role_of
from annotate.project.home import database, read, write
from annotate.project.refusals import note_refusal
from annotate.project.rights import Right, Role
from annotate.project.stored_settings import change_settings, settings_now
from annotate.review.assignments import why_empty
from annotate.review.events import Refused
from annotate.review.queue_settings import QueueSettings
from annotate.review.verdicts import check_signature, record, sign
from annotate.team import api_tokens, logins, people
from annotate.team.agreement import team_agreement
from annotate.team.people import LastAdmin, NoSuchPerson
from db.base import Base
from db.engine import engine
from db.operations.personal_data import NAMES
from db.tables import Job
from tests.support.making import comment, judge, query, reading, store_proposed, verdict
from tests.support.queueing import choose_the_first
from tests.support.rights_calls import CALLS, make_world
from tests.support.team import PASSWORD, add, browser, cheap_hashes

pytestmark = pytest.mark.postgresql
NAME = "Zoë Q. O'Planted"


@pytest.fixture(autouse=True)
def local(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Accounts with passwords, and hashes that cost next to nothing."""
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with cheap_hashes():
        yield


def naming(name: str = NAME) -> list[str]:
    """The places of the whole database that name somebody, in capitals or not."""
    word, found = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE), []
    for table in Base.metadata.sorted_tables:
        columns = ", ".join(f'"{column.name}"' for column in table.columns)
        for row in query(f"SELECT {columns} FROM {table.name}"):
            for column, value in zip(table.columns, row, strict=True):
                told = bytes(value).decode(errors="replace") if isinstance(value, bytes) else str(value)
                with suppress(TypeError, OSError):
                    told = gzip.decompress(value).decode()
                with suppress(ValueError):
                    told += str(json.loads(told))  # names in JSON may be escaped
                if word.search(told):
                    found.append(f"{column}: {told[:200]}")
    return found


def planted(monkeypatch: pytest.MonkeyPatch) -> Actor:
    """Everything that a person can do, done by an admin of this name, who is then spoken of, too."""
    choose_the_first(monkeypatch)
    make_world()
    add(NAME, Role.ADMIN)
    _, actor = browser(NAME)
    logins.log_in(NAME, PASSWORD, address="203.0.113.7")
    with pytest.raises(logins.LoginFailed):
        logins.log_in(NAME.upper(), "an entirely wrong password", address="203.0.113.7")
    with acting(actor):
        for _, call in CALLS.values():
            with suppress(Refused, ValueError):  # of another's verdict; of a backup of PostgreSQL
                call(actor.name)
            with acting(OPERATOR), write(Right.SYSTEM) as session:
                session.connection().exec_driver_sql("UPDATE job SET state = 'done'")
        events = [verdict(2), verdict(0, "reject"), comment(0, f"as {NAME} says"), reading()]
        assert len(record(NAME, 1, events)[0]) == 4
        api_tokens.make(f"for {NAME}")
        assign([2], "Anna")
        change_settings(NAME, QueueSettings(with_tag=f"for {NAME}", without_tag=f"not for {NAME}"))
        keep(NAME, Asked(Question(NAME, {}, Filters(without_tags=(NAME,))), ()))
        note_refusal(f"{NAME} may not fly")
        snapshots.freeze("by the rule", "majority")
        snapshots.freeze(f"of {NAME.replace(chr(39), ' ')}", "single", NAME)
    with acting(browser("Cora")[1]):
        judge("Cora", 2, comment(0, f"{NAME}: no. {NAME}s is another word."))
    return actor


def state() -> tuple[Any, ...]:
    """What was judged, and what is learnt from."""
    with read() as session:
        labels = current_label_set(session).sha256
    return labels, query("SELECT id, value, sentence_id, annotator_id FROM verdict ORDER BY id")


def test_who_is_erased_is_named_nowhere_and_what_they_judged_stays(monkeypatch, capsys) -> None:
    actor = planted(monkeypatch)
    before, named = state(), naming()
    assert {place.partition(".")[0] for place in named} >= {
        *("annotator", "api_token", "article_tag", "comment", "function_example", "gold_snapshot", "history", "job"),
        *("login_attempt", "own_function", "promotion", "queue_request", "question", "setting"),
        "topic",
    }
    with acting(OPERATOR):
        head = verify()["head"].split()[-1]
        assert main(["people", "erase", NAME.lower()]) == 0
    pseudonym = re.search(r"now: (person \d+)", capsys.readouterr().out)[1]
    assert len(named) > 50 and naming() == [], naming()
    assert state() == before
    assert query("SELECT text FROM comment ORDER BY id DESC LIMIT 1") == [
        (f"{pseudonym}: no. {NAME}s is another word.",)
    ]
    assert len(naming(pseudonym)) > 40 and not naming("203.0.113.7")
    with acting(OPERATOR):
        told = verify(head)
    assert told["holds"] and told["erased"] > 50, told
    for (name,) in query("SELECT name FROM gold_snapshot"):
        snapshots.verify(name)
    with pytest.raises(DBAPIError, match="a gold snapshot never changes"), engine(database()).begin() as connection:
        connection.exec_driver_sql("UPDATE gold_snapshot SET rule = ''")
    # Their open page is logged out, and its refusal names nobody.
    with acting(actor), pytest.raises(Forbidden):
        record(NAME, 1, [verdict(1)])
    with acting(actor):
        note_refusal(f"{NAME} may not review")
    assert naming() == []


def test_the_file_for_a_person_holds_their_rows_and_no_secret(monkeypatch, tmp_path, capsys) -> None:
    planted(monkeypatch)
    file = tmp_path / "zoe.json"
    assert main(["people", "export", NAME, str(file)]) == 0
    assert file.stat().st_mode & 0o777 == 0o600
    told = json.loads(file.read_text())
    assert told["person"] == NAME
    found = told["tables"]
    own = {"account", "annotator", "api_token", "assignment", "comment", "login_session", "reading", "setting"}
    assert own | {"history", "job", "question", "verdict"} <= set(found)
    assert [row["role"] for row in found["account"]] == ["admin"]
    assert {row["article_id"] for row in found["verdict"]} == {1} and told["articles"]["1"].startswith("pmid:")
    assert not any(LEFT_OUT & {f"{table}.{name}" for name in row} for table, rows in found.items() for row in rows)
    settings = [row["content"] for row in found["setting"]]
    assert {"with_tag": f"for {NAME}"}.items() <= settings[-1].items() and not any("nonce" in one for one in settings)
    assert [row["content"] for row in found["setting"] if row["owner_id"]]
    assert any(row["text"].endswith("is another word.") for row in found["comment"])
    assert "exported what is stored about" in query("SELECT summary FROM history ORDER BY id DESC LIMIT 1")[0][0]


def test_who_never_had_an_account_is_erased_and_nobody_erases_themselves_or_the_last_admin() -> None:
    with acting(OPERATOR):
        store_proposed(1)
        judge("Ghost", 1, verdict(0))
        judge("person 1", 1, verdict(1))
        add("Ghost Writer")  # whose name is another one
        people.set_role(people.find("Ghost Writer"), Role.CURATOR)
        judge("Ghost Writer", 1, comment(0, "Ghost, says Ghost Writer"))
        assert erase("ghost") == "person 2"
        assert naming("Ghost") == naming("Ghost Writer")
        assert query("SELECT text FROM comment") == [("person 2, says Ghost Writer",)]
        assert query("SELECT name FROM annotator ORDER BY name") == [("Ghost Writer",), ("person 1",), ("person 2",)]
        with pytest.raises(NoSuchPerson, match="there is no person Ghost"):
            erase("Ghost")
        add("Ada", Role.ADMIN)
        with pytest.raises(LastAdmin):
            erase("Ada")
    with acting(browser("Ada")[1]), pytest.raises(ValueError, match="erased by another one"):
        erase("Ada")
    assert people.find("Ada") and naming("Ada")


def test_who_is_erased_does_not_act_by_the_account_that_comes_next() -> None:
    with acting(OPERATOR):
        store_proposed(1)
    add("Ada")
    _, ada = browser("Ada")
    with acting(ada):
        signed = sign("Ada", 1)
    with acting(OPERATOR):
        erase("Ada")
    add("Bob", Role.ADMIN)
    _, bob = browser("Bob")
    for actor in (ada, check_signature(signed)[0]):
        with acting(actor), pytest.raises(Forbidden):
            record("Ada", 1, [verdict(0)])
    with read() as session:
        assert (role_of(session, ada), role_of(session, bob)) == (None, Role.ADMIN)


@pytest.mark.parametrize("how", ["disabled", "erased"])
def test_articles_and_jobs_of_who_has_left_wait_for_nobody(how: str) -> None:
    with acting(OPERATOR):
        store_proposed(2)
    ann = add("Ann", Role.CURATOR)
    with acting(browser("Ann")[1]):
        job = lifecycle.enqueue("import", {})
    with acting(OPERATOR):
        assert assign([1, 2], "Ann").done == [1, 2]
        assert "Assigned to others: 2 articles." in why_empty("Ben")
        people.disable(ann) if how == "disabled" else erase("Ann")
        assert why_empty("Ben") == ""
        with pytest.raises((Forbidden, lifecycle.AlreadyRunning)):
            lifecycle.run(job, {"import": lambda payload, monitor: {}})
        assert unassign([1]).done == ([1] if how == "disabled" else [])


def test_a_tag_and_a_saved_search_that_name_who_is_erased_go_on_to_find_the_same() -> None:
    def asked(name: str) -> Asked:
        return Asked(Question(f"as {name} says", {}, Filters(journals=("Ben",), tags=(f"for {name}",))), ("words",))

    with acting(OPERATOR):
        store_proposed(1)
        add("Ben")
        change_settings("operator", QueueSettings(strategy="random", with_tag="for Ben"))
        change_settings("operator", WatchSettings(folder="Ben"))
        judge("Cora", 1, verdict(0))
        number = keep("Cora", asked("Ben"))
        pseudonym = erase("Ben")
        with read() as session:
            assert settings_now(session, QueueSettings).with_tag == f"for {pseudonym}"
            assert settings_now(session, WatchSettings).folder == "Ben"  # a folder is no person
        assert keep("Cora", asked(pseudonym)) == number


def test_words_that_somebody_wrote_are_no_pseudonym_so_that_no_two_questions_become_one() -> None:
    with acting(OPERATOR):
        store_proposed(1)
        judge("Ben", 1, verdict(0))
        for name in ("Ben", "person 1"):
            keep("Cora", Asked(Question(f"as {name} says", {}, Filters()), ("words",)))
        assert erase("Ben") == "person 2"


@pytest.mark.sqlite("columns alone")
def test_each_column_that_says_by_whom_is_known() -> None:
    said = {
        f"{table.name}.{column.name}"
        for table in Base.metadata.sorted_tables
        for column in table.columns
        if re.search(r"_by$|^annotator$", column.name)
    }
    assert said <= {str(column.property.columns[0]) for column in NAMES}


def test_of_two_names_that_differ_in_capitals_the_one_that_is_written_is_erased() -> None:
    with acting(OPERATOR):
        store_proposed(1)
        judge("Zoe", 1, verdict(0))  # such as the name of a file of labels
        add("zoe")
        judge("zoe", 1, verdict(1))
        with pytest.raises(ValueError, match="which person: Zoe, zoe"):
            erase("ZOE")
        pseudonym = erase("zoe")
        names = {name for (name,) in query("SELECT name FROM annotator")}
    assert "Zoe" in names and "zoe" not in names and pseudonym in names
    assert query("SELECT count(*) FROM account") == [(0,)]


def test_who_is_erased_is_not_remembered_by_a_running_process() -> None:
    with acting(OPERATOR):
        store_proposed(2)
        for name, article_id in (("Anna", 1), ("Ben", 1), ("Ben", 2)):
            judge(name, article_id, verdict(0))
        with read() as session:
            assert live_gold(session).lines[1][0].annotators == "Anna; Ben"
            assert team_agreement(session).pairs[0].first == "Anna"
        pseudonym = erase("Anna")
        with read() as session:
            assert live_gold(session).lines[1][0].annotators == f"{pseudonym}; Ben"
            assert "Anna" not in (team_agreement(session).pairs[0].first, team_agreement(session).pairs[0].second)


def test_what_a_job_is_asked_for_in_names_of_its_own_stays() -> None:
    with acting(OPERATOR):
        store_proposed(1)
        judge("test", 1, verdict(0))
        payload = {"split": "test", "watched": ["test/a.xml"], "given": {"to": "test"}}
        with acting(Actor("test", operator=True)):
            lifecycle.enqueue("evaluate", payload)
        pseudonym = erase("test")
        with read() as session:
            (job,) = db.rows.latest(session, Job)
    assert job.payload == {"split": "test", "watched": ["test/a.xml"], "given": {"to": pseudonym}}
    assert job.asked_by == pseudonym


@pytest.mark.parametrize("name", ["1", "test"])
def test_a_name_that_is_also_a_key_is_replaced_where_it_names_a_person_alone(name: str) -> None:
    with acting(OPERATOR):
        store_proposed(2)
        judge(name, 1, verdict(0))
        judge("Ben", 2, verdict(0, "reject"))
        snapshots.freeze("v1.0", "majority")
        result = {name: {"test": 0.5}, "left_out": {f"reviewed by {name}": 2}}
        with write(Right.SYSTEM) as session:
            number = db.jobs.insert_job(session, "assign", {})
            db.jobs.finish(session, number, "done", result=result)
        pseudonym = erase(name)
        told = snapshots.verify("v1.0")
        assert (told["by_label"], told["by_annotator"]) == ({"0": 1, "1": 1}, {"Ben": 1, pseudonym: 1})
        with read() as session:
            (job,) = db.rows.latest(session, Job)
    assert job.result == {name: {"test": 0.5}, "left_out": {f"reviewed by {pseudonym}": 2}}
