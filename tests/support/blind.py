"""Two experts who judge the same articles without seeing each other: the team, and all that one of them is told."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

from annotate.project.acting import OPERATOR, acting
from annotate.project.rights import RIGHTS, Role
from annotate.project.stored_settings import change_settings
from annotate.review.article_view import ENDPOINT, RANK_ENDPOINT, WHY_ENDPOINT, reading_view
from annotate.review.queue_settings import QueueSettings
from annotate.review.verdicts import sign
from annotate.team.logins import actor_of
from pages.parts.frame import who
from pages.parts.frame.entries import entries
from pages.parts.frame.who import SESSION_COOKIE
from pages.parts.server.routes import ROUTES
from tests.support.api import program, token_of
from tests.support.making import comment, judge, query, reading, store_proposed, verdict
from tests.support.paths import PAGES
from tests.support.team import add, browser, cheap_hashes, team

HOUR = re.compile(r"\d\d:\d\d")
# What an expert may open; each must be as it was, whatever others said of an article that is still to be judged blind.
OPEN = [page for page, entry in entries().items() if entry.right in RIGHTS[Role.ANNOTATOR]]
# The routes of one's own that tell something of an article.
ASKED = {RANK_ENDPOINT, WHY_ENDPOINT}


@contextmanager
def blind_team(articles: int = 3) -> Iterator[dict[str, str]]:
    """A team of which two are to judge each of these articles. {name: token of their browser}."""
    with cheap_hashes():
        with acting(OPERATOR):
            team()
            add("Ben")
            store_proposed(articles)
            change_settings("Cora", QueueSettings(double_share=1.0, experts=2, blind_share=0.0, random_share=0.0))
        yield {name: browser(name)[0] for name in ("Anna", "Ben", "Cora")}


def opened(monkeypatch: pytest.MonkeyPatch, page: str, token: str) -> str:
    """All that a page shows in the browser that holds this token, in words. Hours are left out: a lease is renewed by
    the person who holds it."""
    monkeypatch.setattr(who, "session_token", lambda: token)
    run = AppTest.from_file(str(PAGES / f"{page}.py"), default_timeout=60).run()
    assert not run.exception, (page, run.exception)
    metrics = [f"{element.label}: {element.value} ({element.help})" for element in run.metric]
    tables = [table.value.to_json() for table in run.dataframe] + [part.proto.body for part in run.get("html")]
    figures = [element.proto.spec for element in run.get("plotly_chart")]
    return HOUR.sub("hour", "\n".join([*metrics, *tables, *figures, *words(run)]))


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
    client = program(token_of(name, f"token {query('SELECT count(*) FROM api_token')[0][0]}"))
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


def send(token: str, article_id: int, *events: dict[str, Any]) -> dict[str, Any]:
    """What the route answers that saves the events of the review page, as the browser with this token sends them."""
    actor = actor_of(token)
    assert actor is not None
    with acting(actor):
        signed = sign(actor.name, article_id)
    client = TestClient(Starlette(routes=list(ROUTES)), cookies={SESSION_COOKIE: token})
    return client.post(ENDPOINT, content=json.dumps({"token": signed, "events": list(events)})).json()


def judged_of(articles: str) -> dict[str, int]:
    """By title of an article, without the word before its number: the verdicts that the page Articles counts."""
    table = json.loads(next(line for line in articles.splitlines() if line.startswith('{"review"')))
    return {table["title"][row].removeprefix("Article "): number for row, number in table["judged"].items()}
