"""Who may do what: every role at every function that writes, read off the source, so that none is forgotten."""

import ast
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, literal, select, union_all

from annotate.jobs import lifecycle
from annotate.jobs.kinds import KINDS
from annotate.jobs.lifecycle import cancel, enqueue
from annotate.project.acting import ANONYMOUS, KEYLINE, OPERATOR, Actor, Forbidden, acting
from annotate.project.home import read, write
from annotate.project.rights import RIGHTS, Right, Role, may
from annotate.project.stored_settings import StoredSettings
from annotate.review.events import Refused
from annotate.team import logins, people
from annotate.work import HANDLERS
from db.base import Base
from tests.support.making import query
from tests.support.paths import ROOT
from tests.support.queueing import choose_the_first
from tests.support.rights_calls import CALLS, CHANGE, INTERNAL, make_world
from tests.support.team import add, browser, cheap_hashes

ANNOTATE = ROOT / "annotate"
WRITES = {"write", "write_together"}
# Whoever tries, and the role that counts.
WHO: dict[str, Role | None] = {
    "anonymous": None,
    "annotator": Role.ANNOTATOR,
    "curator": Role.CURATOR,
    "maintainer": Role.MAINTAINER,
    "admin": Role.ADMIN,
    "disabled": None,
    "demoted while open": Role.ANNOTATOR,
    "logged out": None,
    "of another epoch": None,
    "of an unknown role": None,
}
PREPARED = ("team.people.", "operations.personal_data.")
HANDED = {"annotator": "Anna", "curator": "Cora", "maintainer": "Mats", "admin": "Ada"}


# --- What the source says ---


def taken_from_home(tree: ast.Module) -> set[str]:
    """What a module imports from annotate.project.home; under no other name."""
    nodes = [
        node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == "annotate.project.home"
    ]
    names = [alias for node in nodes for alias in node.names]
    assert not any(alias.asname for alias in names)
    return {alias.name for alias in names}


def writes(path: Path) -> Iterator[tuple[str, str]]:
    """(function, what is given to `write`) of every write transaction in a module."""
    module = ".".join(path.relative_to(ANNOTATE).with_suffix("").parts)
    text = path.read_text()
    if "annotate.project.home import" not in text:
        return
    tree = ast.parse(text)
    for outer in ast.walk(tree) if WRITES & taken_from_home(tree) else ():
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(outer):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in WRITES:
                    yield f"{module}.{outer.name}", ast.unparse(node.args[0]) if node.args else ""


@cache
def found() -> list[tuple[str, str]]:
    """Those of all modules."""
    return [each for path in sorted(ANNOTATE.rglob("*.py")) for each in writes(path)]


EACH = "review.verdicts.record_each"
# The function that writes for each of these.
WRITER = dict.fromkeys(("evaluation.audit.record", "finding.asking.saved.record", "gold.practice.record"), EACH) | {
    "curation.tags.put_on": "curation.tags._change",
    "curation.tags.take_off": "curation.tags._change",
}


def test_every_write_names_a_right_that_can_be_read_off() -> None:
    literal = {f"Right.{right.name}" for right in Right}
    assert {(name, given) for name, given in found() if given not in literal} == {
        ("jobs.lifecycle.enqueue", "KINDS[kind].right"),
        (CHANGE, "settings.RIGHT"),
        (EACH, "right"),
    }


def test_every_function_that_writes_is_named_with_its_right() -> None:
    """Those that store what is computed, whoever's click needs it, may be called by every role."""
    for name, (right, _) in CALLS.items():
        writer = WRITER.get(name, name.partition(" ")[0])
        given = {words for function, words in found() if function == writer}
        read_off = ({f"Right.{right.name}"}, {"KINDS[kind].right"}, {"right"}, {"settings.RIGHT"})
        assert given in read_off, name
    for name, rights in INTERNAL.items():
        assert [words for function, words in found() if function == name] == [f"Right.{right.name}" for right in rights]
    named = {WRITER.get(name, name.partition(" ")[0]) for name in CALLS} | set(INTERNAL)
    assert {name for name, given in found() if given != "Right.SYSTEM"} == named


def test_only_known_callers_pass_a_right_on() -> None:
    passed = {}
    for path in ANNOTATE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "record_each":
                passed[path.stem] = ast.unparse(node.args[2])
    reviewers = dict.fromkeys(("verdicts", "saved", "practice"), "Right.REVIEW")
    assert passed == reviewers | {"audit": "Right.AUDIT"}


def test_every_kind_of_settings_has_a_right_and_is_among_the_calls() -> None:
    kinds = {kind.NAME: kind.RIGHT for kind in StoredSettings.__subclasses__()}
    assert kinds == {
        "queue": Right.QUEUE,
        "menu": Right.STUDY,
        "llm": Right.EVALUATE,
        "llm_consent": Right.EVALUATE,
        "webhook": Right.OPERATE,
        "retrain": Right.TRAIN,
        "backup": Right.OPERATE,
        "watched_folder": Right.OPERATE,
        "functions": Right.QUEUE,
        "ranking": Right.EVALUATE,
        "practice": Right.QUEUE,
        "encoder_tasks": Right.EVALUATE,
        "measuring": Right.EVALUATE,
    }
    called = [right for name, (right, _) in CALLS.items() if name.startswith(f"{CHANGE} ")]
    assert sorted(called) == sorted(kinds.values())


def test_the_database_is_written_through_that_one_door() -> None:
    # A copy into another, empty database is made on the command line alone.
    others = {"annotate/project/home.py", "db/engine.py", "annotate/operations/copying.py"}
    for path in (p for room in ("annotate", "pages", "db") for p in (ANNOTATE.parent / room).rglob("*.py")):
        name = str(path.relative_to(ANNOTATE.parent))
        tree = ast.parse(path.read_text())
        assert name in others or "writing" not in {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}, name
        assert not name.startswith("pages/") or not WRITES & taken_from_home(tree), name


def test_every_kind_of_job_has_a_right() -> None:
    assert set(KINDS) == set(HANDLERS)


def test_roles_have_what_the_table_says_and_nobody_anything() -> None:
    assert not any(may(role, right) for role in (None, "", "owner", "Admin") for right in Right)
    assert RIGHTS[Role.ANNOTATOR] < RIGHTS[Role.CURATOR] and RIGHTS[Role.ADMIN] == set(Right)
    assert RIGHTS[Role.CURATOR] - RIGHTS[Role.MAINTAINER] == {Right.ADJUDICATE}
    assert [role for role in Role if may(role, Right.PEOPLE)] == [Role.ADMIN]
    assert all(may(role, right) for role in Role for right in (Right.REVIEW, Right.LABEL, Right.SYSTEM))


# --- What happens ---


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Actor]]:
    """A project with a team: {whoever tries: who that is}."""
    with pytest.MonkeyPatch.context() as patch, cheap_hashes():
        patch.setenv("KEYLINE_HOME", str(tmp_path_factory.mktemp("world") / "keyline"))
        patch.setenv("KEYLINE_AUTH", "local")
        choose_the_first(patch)
        patch.setattr(lifecycle, "reap", lambda: None)  # no process works on the jobs of this test
        make_world()
        for name in ("Dis", "Dem", "Out", "Odd"):
            add(name, Role.ADMIN)
        who = {name: browser(person)[1] for name, person in HANDED.items()}
        who |= {"anonymous": ANONYMOUS, "disabled": browser("Dis")[1], "demoted while open": browser("Dem")[1]}
        who |= {"logged out": browser("Out")[1], "of an unknown role": browser("Odd")[1]}
        who["of another epoch"] = replace(who["admin"], epoch=who["admin"].epoch + 1)
        with acting(OPERATOR):
            people.disable(people.find("Dis"))
            people.set_role(people.find("Dem"), Role.ANNOTATOR)
        with acting(who["logged out"]):
            logins.end_my_login(who["logged out"].login_id or 0)
        with acting(KEYLINE), write(Right.SYSTEM) as session:
            session.connection().exec_driver_sql(
                "UPDATE account SET role = 'owner' WHERE id = (SELECT max(id) FROM account)"
            )
        yield who


COUNTS = union_all(
    *(select(literal(table.name), func.count()).select_from(table) for table in Base.metadata.sorted_tables)
)


def counts() -> dict[str, int]:
    """How many rows each table has."""
    with read() as session:
        return dict(session.execute(COUNTS).all())


def test_write_asks_for_its_right_within_the_transaction(world: dict[str, Actor]) -> None:
    for name, role in WHO.items():
        for right in Right:
            entered = False
            with acting(world[name]):
                if may(role, right):
                    with write(right):
                        entered = True
                    assert entered, (name, right)
                else:
                    with pytest.raises(Forbidden, match=right.value), write(right):
                        entered = True
                    assert not entered, (name, right)


@pytest.mark.parametrize("function", CALLS)
def test_each_role_writes_what_the_table_lets_it_and_nothing_else(world: dict[str, Actor], function: str) -> None:
    right, call = CALLS[function]
    for name, role in WHO.items():
        with acting(KEYLINE), write(Right.SYSTEM) as session:
            session.connection().exec_driver_sql("UPDATE job SET state = 'done'")
        actor = world[name]
        if may(role, right):
            with acting(actor), suppress(Refused):  # of another's verdict, for instance: it was let in
                call(actor.name)
        else:
            before = counts()
            with acting(actor), pytest.raises(Forbidden):
                call(actor.name)
            # What a call prepares as an operator, so that there is something to change, is not the actor's.
            prepared = {"account", "annotator", "history", "seal"} if function.startswith(PREPARED) else set()
            assert {k: v for k, v in counts().items() if k not in prepared} == {
                k: v for k, v in before.items() if k not in prepared
            }, name


FOR_CURATORS = (
    "index",
    "propose",
    "triage",
    "label",
    "related",
    "import",
    "entities",
    "functions",
    "vocabulary",
    "assign",
    "remove",
)


@pytest.mark.parametrize("kind", KINDS)
def test_a_job_of_another_person_is_cancelled_by_curators_where_they_might_begin_it_and_by_maintainers_and_admins(
    world: dict[str, Actor], kind: str
) -> None:
    for name, role in WHO.items():
        with acting(KEYLINE), write(Right.SYSTEM) as session:
            session.connection().exec_driver_sql("UPDATE job SET state = 'done'")
        with acting(OPERATOR):
            job_id = enqueue(kind, {})
        with acting(world[name]):
            if may(role, Right.CANCEL) or may(role, KINDS[kind].cancel_right):
                cancel(job_id)
            else:
                with pytest.raises(Forbidden, match=r"may not (?:cancel the jobs of others|have derived)"):
                    cancel(job_id)
        ((state,),) = query("SELECT state FROM job WHERE id = :id", id=job_id)
        by_right = role in (Role.MAINTAINER, Role.ADMIN) or (kind in FOR_CURATORS and role is Role.CURATOR)
        assert state == ("cancelled" if by_right else "queued"), name


def test_everyone_cancels_the_jobs_that_they_asked_for(world: dict[str, Actor]) -> None:
    with acting(KEYLINE), write(Right.SYSTEM) as session:
        session.connection().exec_driver_sql("UPDATE job SET state = 'done'")
    for name, role in WHO.items():
        for kind in ("propose", "import", "backup"):
            if may(role, KINDS[kind].right):
                with acting(world[name]):
                    cancel(job_id := enqueue(kind, {}))
                assert query("SELECT state FROM job WHERE id = :id", id=job_id) == [("cancelled",)], (name, kind)


BY_NAME = [
    name
    for name in CALLS
    if name.partition(" ")[0].rpartition(".")[0]
    in {
        "evaluation.audit",
        "finding.asking.exports",
        "finding.asking.saved",
        "review.article_view",
        "review.undo",
        "review.verdicts",
        "team.adjudication",
    }
    or name.partition(" ")[0] == CHANGE
    or name
    in {
        "active_learning.queue.hand_out",
        "registry.versions.promote",
        "registry.versions.roll_back",
        "review.assignments.finish_or_leave",
        "review.assignments.take",
    }
]


@pytest.mark.parametrize("function", BY_NAME)
def test_nobody_acts_under_the_name_of_another(world: dict[str, Actor], function: str) -> None:
    """Also an admin, who may do everything else."""
    actor: Any = world["admin"] if function != "team.adjudication.adjudicate" else world["curator"]
    before = counts()
    with acting(actor), pytest.raises(Forbidden, match=r"may not act as Zoe"):
        CALLS[function][1]("Zoe")
    assert counts() == before


def test_the_documentation_shows_this_table() -> None:
    head = f"| may | {' | '.join(Role)} |\n|---|{'---|' * len(Role)}\n"
    rows = [
        f"| {right} | {' | '.join('yes' if may(role, right) else '–' for role in Role)} |\n"
        for right in Right
        if right is not Right.SYSTEM
    ]
    assert head + "".join(rows) in (ANNOTATE.parent / "docs" / "people.md").read_text()
