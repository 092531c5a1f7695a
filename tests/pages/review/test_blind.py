"""What an expert sees who is still to judge an article blind: nothing changes, whatever another says of it."""

from collections.abc import Iterator
from typing import Any

import pytest

from annotate.active_learning.queue import hand_out
from annotate.project.acting import OPERATOR, acting
from annotate.project.stored_settings import change_settings
from annotate.review.article_view import RANK_ENDPOINT
from annotate.review.queue_settings import QueueSettings
from annotate.team.logins import actor_of
from annotate.work import run_job
from pages.parts.frame.shown import shown_parts
from pages.parts.server.ops_routes import OPS_ROUTES
from pages.parts.server.routes import ROUTES
from pages.parts.server.site_gate import API
from tests.support.api import program, token_of
from tests.support.blind import ASKED, OPEN, answers, ben_says, blind_team, judged_of, opened, told_by_the_api
from tests.support.making import judge, query, reading, verdict

# The other routes are forms and tell nothing of articles, or make the files that a page of one's own offers.
SILENT = {"/start", "/api/practice", "/api/review", "/api/find", "/api/audit", "/login", "/logout", "/password"}
SILENT |= {"/login/code", "/second-factor", "/healthz", "/metrics", "/api/file"}


@pytest.fixture
def tokens(home: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """A team of which two are to judge each article."""
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with blind_team() as made:
        yield made


def test_every_route_is_asked_or_tells_nothing_of_articles():
    of_parts = {route.path for part in shown_parts() for route in part.routes}  # type: ignore[attr-defined]
    core = {route.path for route in (*ROUTES, *OPS_ROUTES)}  # type: ignore[attr-defined]
    assert core | of_parts == ASKED | SILENT | {API}  # `told_by_the_api` asks the API


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


@pytest.mark.postgresql
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


@pytest.mark.postgresql
def test_when_all_experts_are_done_with_an_article_each_sees_what_the_others_said(tokens, monkeypatch):
    ben_says(1, 3)
    with acting(OPERATOR):
        judge("Anna", 1, verdict(0), verdict(1), reading())
    progress = opened(monkeypatch, "queue", tokens["Anna"])
    assert "Of 2 articles only your own verdicts count here" in progress
    assert "Key sentences: 2 " in progress  # in the article that both have judged
    articles = opened(monkeypatch, "articles", tokens["Anna"])
    assert "Of 2 articles only your own verdicts count here" in articles
    assert judged_of(articles) == {"1": 3, "2": 0, "3": 0}
