"""Each route of the API, by each role: who may do what, and that a refused call changes nothing."""

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import func, select
from starlette.testclient import TestClient

from annotate.gold.snapshots import freeze
from annotate.jobs import lifecycle
from annotate.jobs.lifecycle import enqueue
from annotate.project.acting import KEYLINE, OPERATOR, acting
from annotate.project.home import read, write
from annotate.project.rights import Right, Role, may
from annotate.team import api_tokens, people
from db.base import Base
from tests.support.api import program, token_of
from tests.support.making import judge, store_proposed, verdict
from tests.support.team import NAMES, add, cheap_hashes, team

_number = itertools.count(1)
Call = Callable[[TestClient], Any]
LETTERS = b"Title\n\nThe gene is known."


def _id() -> str:
    return f"request-{next(_number):08d}"


def _job(kind: str, **more: Any) -> Call:
    return lambda at: at.post("/jobs", json={"id": _id(), "kind": kind, **more})


def _file(path: str, content: bytes, name: str, **form: str) -> Call:
    return lambda at: at.post(path, files={"file": (name, content)}, data=form)


def _cancel(at: TestClient) -> Any:
    with acting(OPERATOR):
        job_id = enqueue("train", {})
    return at.post(f"/jobs/{job_id}/cancel")


def _import(at: TestClient) -> Any:
    return at.post("/imports", files={"file": ("a.txt", LETTERS)}, data={"id": _id()})


# What each route needs, and a call of it; of those that take several kinds of work, one of each right.
CALLS: dict[str, tuple[Right, Call]] = {
    "GET /articles": (Right.REVIEW, lambda at: at.get("/articles")),
    "GET /articles/{article_id}": (Right.REVIEW, lambda at: at.get("/articles/1")),
    "GET /articles/{article_id}/sentences": (Right.REVIEW, lambda at: at.get("/articles/1/sentences")),
    "GET /articles/{article_id}/proposals": (Right.REVIEW, lambda at: at.get("/articles/1/proposals")),
    "GET /articles/{article_id}/why": (Right.REVIEW, lambda at: at.get("/articles/1/why")),
    "GET /find": (Right.REVIEW, lambda at: at.get("/find", params={"words": "gene"})),
    "POST /articles/{article_id}/proposals": (
        Right.QUEUE,
        lambda at: at.post("/articles/2/proposals", json={"sentence": next(_number) % 2, "why": "a program"}),
    ),
    "GET /verdicts": (Right.REVIEW, lambda at: at.get("/verdicts")),
    "POST /articles/{article_id}/events": (
        Right.REVIEW,
        lambda at: at.post("/articles/1/events", json={"events": [verdict(0)]}),
    ),
    "POST /articles/{article_id}/leave": (Right.REVIEW, lambda at: at.post("/articles/1/leave")),
    "GET /queue": (Right.REVIEW, lambda at: at.get("/queue")),
    "POST /queue/next": (Right.REVIEW, lambda at: at.post("/queue/next")),
    "GET /gold": (Right.GOLD, lambda at: at.get("/gold")),
    "GET /gold/snapshots": (Right.GOLD, lambda at: at.get("/gold/snapshots")),
    "GET /gold/snapshots/{name}": (Right.GOLD, lambda at: at.get("/gold/snapshots/First")),
    "GET /gold/snapshots/{name} not there": (Right.GOLD, lambda at: at.get("/gold/snapshots/None")),
    "POST /imports": (Right.IMPORT, _import),
    "POST /imports/gold": (
        Right.IMPORT,
        _file("/imports/gold", b"pmid,sentence,label\n1,The gene is known.,1\n", "gold.csv", whose="Gold"),
    ),
    "POST /imports/labels": (Right.IMPORT, _file("/imports/labels", b"pmid,genes\n1,TP53\n", "labels.csv")),
    "POST /jobs index": (Right.REVIEW, _job("index")),
    "POST /jobs related": (Right.REVIEW, _job("related")),
    "POST /jobs entities": (Right.IMPORT, _job("entities")),
    "POST /jobs functions": (Right.IMPORT, _job("functions")),
    "POST /jobs backup": (Right.OPERATE, _job("backup")),
    "POST /jobs import": (Right.IMPORT, _job("import", identifiers=["12345", "PMC12345"])),
    "POST /jobs propose": (Right.LABEL, _job("propose", article_ids=[1])),
    "POST /jobs evaluate": (Right.EVALUATE, _job("evaluate", versions=["tiny"])),
    "POST /jobs report": (Right.EVALUATE, _job("report", version="tiny")),
    "POST /jobs train": (Right.TRAIN, _job("train", settings={"epochs": 1})),
    "GET /jobs": (Right.REVIEW, lambda at: at.get("/jobs")),
    "GET /jobs/{job_id}": (Right.STUDY, lambda at: at.get("/jobs/1")),
    "POST /jobs/{job_id}/cancel": (Right.CANCEL, _cancel),
    "GET /me": (Right.REVIEW, lambda at: at.get("/me")),
}
# The shapes of what POST /jobs takes.
JOBS = ("Simple", "Fetch", "Propose", "Evaluate", "Report", "Train")
NOBODY = ("no token", "a wrong token", "revoked", "disabled", "of an unknown role")


@pytest.fixture(scope="module")
def callers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, TestClient]]:
    """A project with a team: a program of everybody's, and of whoever has no rights."""
    with pytest.MonkeyPatch.context() as patch, cheap_hashes():
        patch.setenv("KEYLINE_HOME", str(tmp_path_factory.mktemp("world") / "keyline"))
        patch.setenv("KEYLINE_AUTH", "local")
        patch.setattr(lifecycle, "_start_process", lambda job_id, attempt: None)
        patch.setattr(lifecycle, "reap", lambda: None)
        patch.setattr("pages.parts.api.jobs.reap", lambda: None)
        patch.setattr("pages.parts.finding.api.stages_in_use", lambda: ["words"])  # the version has no weights
        with acting(OPERATOR):
            team()
            store_proposed(3)
            judge("Anna", 1, verdict(0), verdict(1, "reject"))
            freeze("First", "majority")
            enqueue("simulate", {})
        for name in ("Dis", "Odd", "Rev"):
            add(name, Role.ADMIN)
        tokens = {name: token_of(name) for name in (*NAMES, "Dis", "Odd", "Rev")}
        with acting(OPERATOR):
            people.disable(people.find("Dis"))
            (revoked,) = [token for token in api_tokens.all_tokens() if token.annotator == "Rev"]
            api_tokens.revoke(revoked.id)
        sql = "UPDATE account SET role = 'owner' WHERE annotator_id = (SELECT id FROM annotator WHERE name = 'Odd')"
        with acting(KEYLINE), write(Right.SYSTEM) as session:
            session.connection().exec_driver_sql(sql)
        found = {name: program(tokens[name]) for name in NAMES}
        found |= {"no token": program(), "a wrong token": program("keyline_wrong"), "revoked": program(tokens["Rev"])}
        yield found | {"disabled": program(tokens["Dis"]), "of an unknown role": program(tokens["Odd"])}


def counts() -> dict[str, int]:
    """How many rows each table has, but for the history, which tells of refusals, and its seals."""
    with read() as session:
        tables = (table for table in Base.metadata.sorted_tables if table.name not in ("history", "seal"))
        return {table.name: session.scalars(select(func.count()).select_from(table)).one() for table in tables}


def no_job_runs() -> None:
    with acting(KEYLINE), write(Right.SYSTEM) as session:
        session.connection().exec_driver_sql("UPDATE job SET state = 'done'")


def test_every_route_of_the_documentation_is_among_the_calls(callers: dict[str, TestClient]) -> None:
    paths = callers["no token"].get("/openapi.json").json()["paths"]
    routes = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    assert routes == {" ".join(name.split()[:2]) for name in CALLS}


def test_every_kind_of_job_that_is_documented_is_among_the_calls(callers: dict[str, TestClient]) -> None:
    shapes = callers["no token"].get("/openapi.json").json()["components"]["schemas"]
    kinds = [shape["properties"]["kind"] for name, shape in shapes.items() if name in JOBS]
    named = {kind for told in kinds for kind in told.get("enum", [told.get("const")])}
    assert named == {name.split()[2] for name in CALLS if name.startswith("POST /jobs ")}


@pytest.mark.parametrize("name", CALLS)
def test_each_role_gets_what_the_table_lets_it_and_nothing_else(callers: dict[str, TestClient], name: str) -> None:
    right, call = CALLS[name]
    for person, role in NAMES.items():
        no_job_runs()
        before = counts()
        answer = call(callers[person])
        assert (answer.status_code == 403) is not may(role, right), (person, answer.text)
        if answer.status_code == 403:
            assert answer.json() == {"error": f"{person} may not {right}"}
            before["job"] += "cancel" in name  # the job that there is to cancel
            assert counts() == before
        else:
            assert answer.status_code in ((404,) if "not there" in name else (200, 202, 204)), answer.text


@pytest.mark.parametrize("name", CALLS)
def test_whoever_has_no_rights_gets_nothing(callers: dict[str, TestClient], name: str) -> None:
    for person in NOBODY:
        no_job_runs()
        answer = CALLS[name][1](callers[person])
        assert answer.status_code == (403 if person == "of an unknown role" else 401), person
        assert re.match("(needs the header|Odd may not)", answer.json()["error"])


@pytest.mark.parametrize(("kind", "least"), [("backup", Role.MAINTAINER), ("import", Role.CURATOR)])
def test_a_program_cancels_what_its_person_might_begin_and_a_maintainer_s_cancels_all(
    callers: dict[str, TestClient], kind: str, least: Role
) -> None:
    for person, role in NAMES.items():
        no_job_runs()
        with acting(OPERATOR):
            job_id = enqueue(kind, {})
        may_end = [*Role].index(role) >= [*Role].index(least)
        at = callers[person]
        listed = job_id in [row["id"] for row in at.get("/jobs").json()["rows"]]
        assert (listed, at.get(f"/jobs/{job_id}").status_code) == (may_end, 200 if may_end else 403), person
        answer = at.post(f"/jobs/{job_id}/cancel")
        assert answer.status_code == (200 if may_end else 403), person
        assert not may_end or answer.json()["state"] == "cancelled"
