"""What an expert sees who is still to judge an article blind: nothing changes, whatever another says of it."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

from annotate.learning.queue import hand_out
from annotate.project.acting import OPERATOR, acting
from annotate.project.rights import RIGHTS, Role
from annotate.project.stored_settings import change_settings
from annotate.review.article_view import RANK_ENDPOINT, WHY_ENDPOINT, reading_view
from annotate.review.queue_settings import QueueSettings
from annotate.review.verdicts import sign
from annotate.team.logins import actor_of
from annotate.work import run_job
from pages.parts.frame import who
from pages.parts.frame.entries import ENTRIES
from pages.parts.frame.who import SESSION_COOKIE
from pages.parts.server.ops_routes import OPS_ROUTES
from pages.parts.server.routes import ROUTES
from tests.support.api import program, token_of
from tests.support.making import comment, judge, query, reading, store_proposed, verdict
from tests.support.paths import PAGES
from tests.support.team import add, browser, cheap_hashes, team

HOUR = re.compile(r"\d\d:\d\d")
# What an expert may open; each must be as it was, whatever others said of an article that is still to be judged blind.
OPEN = [page for page, entry in ENTRIES.items() if entry.right in RIGHTS[Role.ANNOTATOR]]
# The routes of one's own, which the two below ask; the others are forms and tell nothing of articles, or make the files
# that a page of one's own offers.
ASKED = {RANK_ENDPOINT, WHY_ENDPOINT}
SILENT = {"/start", "/api/practice", "/api/review", "/api/find", "/api/audit", "/login", "/logout", "/password"}
SILENT |= {"/healthz", "/metrics", "/api/file"}


@pytest.fixture
def tokens(home: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """A team of which two are to judge each article; Anna has the first in hand. {name: token of their browser}."""
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with cheap_hashes():
        with acting(OPERATOR):
            team()
            add("Ben")
            store_proposed(3)
            change_settings("Cora", QueueSettings(double_share=1.0, experts=2, blind_share=0.0, random_share=0.0))
        yield {name: browser(name)[0] for name in ("Anna", "Ben", "Cora")}


def opened(monkeypatch: pytest.MonkeyPatch, page: str, token: str) -> str:
    """All that a page shows in the browser that holds this token, in words. Hours are left out: a lease is renewed by
    whoever holds it."""
    monkeypatch.setattr(who, "session_token", lambda: token)
    run = AppTest.from_file(str(PAGES / f"{page}.py"), default_timeout=60).run()
    assert not run.exception, (page, run.exception)
    tables = [table.value.to_json() for table in run.dataframe]
    return HOUR.sub("hour", "\n".join([*(repr(element.value) for element in run.metric), *tables, *words(run)]))


def words(run: AppTest) -> list[str]:
    kinds = (run.markdown, run.caption, run.info, run.subheader, run.error, run.warning, run.success)
    return [element.value for kind in kinds for element in kind]


def answers(token: str, article_id: int) -> dict[str, Any]:
    """What the reader's routes tell of an article, and what its page is given."""
    with acting(actor_of(token)):  # type: ignore[arg-type]
        view, signed = reading_view(article_id, "Anna"), sign("Anna", article_id)
    client = TestClient(Starlette(routes=list(ROUTES)), cookies={SESSION_COOKIE: token})
    told = {path: client.post(path, content=json.dumps({"token": signed})).json() for path in ASKED}
    return told | {"view": {name: value for name, value in view.items() if name != "token"}}


def told_by_the_api(name: str, article_id: int) -> dict[str, str]:
    """What each route of the API that reads tells a program of this person, but for when they have an article till."""
    client = program(
        token_of(name, "told again" if query("SELECT 1 FROM api_token WHERE annotator = :n", n=name) else "x")
    )
    paths = client.get("/openapi.json").json()["paths"]
    reads = [path for path, methods in paths.items() if "get" in methods] + ["/verdicts?article={article_id}"]
    asked = [path.format(article_id=article_id, job_id=1, name="First") for path in reads]
    told = {path: (answer := client.get(path)).text + str(answer.status_code) for path in asked}
    handed = client.post("/queue/next")
    return told | {"next": str({name: value for name, value in handed.json().items() if name != "until"})}


def ben_says(of: int, and_of: int) -> None:
    """All that one can say of an article, and something of another."""
    with acting(OPERATOR):
        judge("Ben", of, verdict(0), verdict(1, "reject"), verdict(2), comment(0, "why?"), comment(None, "hm"))
        judge("Ben", of, reading())
        judge("Ben", and_of, verdict(0))


def test_every_route_is_asked_or_tells_nothing_of_articles():
    assert {route.path for route in (*ROUTES, *OPS_ROUTES)} == ASKED | SILENT  # type: ignore[attr-defined]


def test_nothing_that_a_blind_expert_sees_changes_by_what_another_says(tokens, monkeypatch):
    with acting(actor_of(tokens["Anna"])):
        handed = hand_out("Anna")
    assert handed is not None
    mine, other = handed.article_id, handed.article_id % 3 + 1
    with acting(OPERATOR):
        run_job("index", {})  # which nobody's words start
    before = {page: opened(monkeypatch, page, tokens["Anna"]) for page in OPEN}
    told = answers(tokens["Anna"], mine)
    assert told[RANK_ENDPOINT]["proposals"] and told["view"]["proposals"]
    curators = opened(monkeypatch, "articles", tokens["Cora"])
    ben_says(mine, other)
    for page in OPEN:
        assert opened(monkeypatch, page, tokens["Anna"]) == before[page], page
    assert answers(tokens["Anna"], mine) == told
    assert opened(monkeypatch, "articles", tokens["Cora"]) != curators  # whoever may see all labels sees them


def test_the_api_tells_a_blind_expert_no_more_than_the_pages(tokens):
    with acting(actor_of(tokens["Anna"])):
        mine = hand_out("Anna").article_id  # type: ignore[union-attr]
    with acting(OPERATOR):
        run_job("index", {})
    before, curators = told_by_the_api("Anna", mine), told_by_the_api("Cora", mine)
    assert '"rank":1' in before[f"/articles/{mine}/proposals"] and before["/gold"].endswith("403")
    ben_says(mine, mine % 3 + 1)
    assert told_by_the_api("Anna", mine) == before
    assert told_by_the_api("Cora", mine)["/verdicts"] != curators["/verdicts"]


def test_the_api_withholds_the_proposals_of_what_is_read_without(tokens):
    with acting(OPERATOR):
        change_settings("Cora", QueueSettings(double_share=0.0, experts=2, blind_share=1.0, random_share=0.0))
    anna = program(token_of("Anna"))
    handed = anna.post("/queue/next").json()
    assert handed["with_proposals"] is False
    told = anna.get(f"/articles/{handed['article']}/proposals").json()
    assert (told["with_proposals"], told["rows"]) == (False, [])
    assert program(token_of("Cora")).get(f"/articles/{handed['article']}/proposals").json()["rows"]
    anna.get("/articles/3/proposals")
    assert query("SELECT count(*) FROM assignment WHERE strategy = 'by hand'") == [(handed["article"] != 3,)]


def test_whoever_is_done_with_an_article_sees_what_others_said(tokens, monkeypatch):
    ben_says(1, 3)
    with acting(OPERATOR):
        judge("Anna", 1, verdict(0), verdict(1), reading())
    progress = opened(monkeypatch, "progress", tokens["Anna"])
    assert "Without 2 articles that you may still judge beside others." in progress
    assert "'2'" in progress.splitlines()[0]  # the key sentences of the article that both have judged
    articles = opened(monkeypatch, "articles", tokens["Anna"])
    assert "only your own verdicts are counted here" in articles
    assert json.loads(articles.splitlines()[3])["judged"] == {"0": 0, "1": 0, "2": 3}  # the newest first
