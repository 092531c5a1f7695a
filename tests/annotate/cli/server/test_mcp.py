"""Assistants ask Keyline by the Model Context Protocol: sessions of its own library's client, over stdin and stdout."""

import asyncio
import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from mcp import Client, StdioServerParameters, stdio_client

from annotate.cli.main import main
from annotate.project.acting import OPERATOR, acting
from tests.support.api import served, token_of
from tests.support.finding import index
from tests.support.making import judge, query, store_proposed, verdict
from tests.support.paths import ROOT
from tests.support.team import cheap_hashes, team

TOOLS = ("find", "article", "proposals", "why", "gold", "propose")
Call = tuple[str, dict[str, Any]]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The API of a project with a team, three proposed articles and an index, served at this address."""
    with pytest.MonkeyPatch.context() as patch, cheap_hashes():
        patch.setenv("KEYLINE_HOME", str(tmp_path_factory.mktemp("world") / "keyline"))
        patch.setenv("KEYLINE_AUTH", "local")
        patch.setattr("pages.parts.finding.api.stages_in_use", lambda: ["words"])  # the version has no weights
        with acting(OPERATOR):
            team()
            store_proposed(3)
            judge("Anna", 1, verdict(0), verdict(1, "reject"))
            index()
        with served() as address:
            yield address


def asked(site: str, token: str, *calls: Call) -> tuple[list[Any], list[Any]]:
    """The tools that a server tells of, and what it answers to these calls."""
    command = ["-m", "annotate", "mcp", "--site", site]
    environment = dict(os.environ) | {"KEYLINE_TOKEN": token, "PYTHONPATH": str(ROOT)}
    program = StdioServerParameters(command=sys.executable, args=command, env=environment, cwd=ROOT)

    async def session() -> tuple[list[Any], list[Any]]:
        async with Client(stdio_client(program)) as client:
            tools = (await client.list_tools()).tools
            return tools, [await client.call_tool(name, given) for name, given in calls]

    return asyncio.run(session())


def test_every_tool_answers_as_the_api_does_and_says_whether_it_writes(site: str) -> None:
    calls: list[Call] = [
        ("find", {"words": "gene", "limit": 2}),
        ("article", {"article": 1}),
        ("proposals", {"article": 1}),
        ("why", {"article": 1}),
        ("gold", {"limit": 1}),
        ("propose", {"article": 1, "sentence": 2, "why": "by an assistant"}),
        ("proposals", {"article": 1}),
    ]
    tools, answers = asked(site, token_of("Cora"), *calls)
    assert [tool.name for tool in tools] == list(TOOLS)
    assert {tool.name for tool in tools if not tool.annotations.read_only_hint} == {"propose"}
    assert all(tool.description for tool in tools)
    assert not any(answer.is_error for answer in answers), answers
    found, article, before, why, gold, proposed, after = (answer.structured_content for answer in answers)
    assert found["found"] == 3 and len(found["rows"]) == 2
    assert [one["position"] for one in article["sentences"]] == [0, 1, 2] and article["pmid"] == "1"
    assert found["rows"][0]["sentences"][0]["text"] in [one["text"] for one in article["sentences"]]
    texts = [one["text"] for one in article["sentences"]]
    assert [(row["sentence"], row["text"]) for row in before["rows"]] == [(1, texts[1]), (0, texts[0])]
    assert set(why["parts"]) == {"0", "1"}
    assert (gold["total"], len(gold["rows"]), gold["rows"][0]["label"]) == (2, 1, "1") and gold["next"]
    assert proposed == {"shown": True}
    (new,) = (row for row in after["rows"] if row["sentence"] == 2)
    assert new["proposed_by"] == {"Cora": "by an assistant"}
    assert query("SELECT done_by FROM history WHERE kind = 'proposed'") == [("Cora",)]


def test_who_only_reviews_reads_and_cannot_propose(site: str) -> None:
    calls: list[Call] = [
        ("article", {"article": 2}), ("propose", {"article": 2, "sentence": 2}), ("gold", {}),
    ]  # fmt: skip
    _, (article, proposed, gold) = asked(site, token_of("Anna"), *calls)
    assert not article.is_error and proposed.is_error and gold.is_error
    assert "Anna may not set the queue" in proposed.content[0].text
    assert "Anna may not see all labels" in gold.content[0].text
    assert query("SELECT count(*) FROM history WHERE kind = 'proposed' AND article_id = 2") == [(0,)]


def test_what_cannot_be_answered_is_said_in_words(site: str) -> None:
    calls: list[Call] = [
        ("article", {"article": 99}),
        ("propose", {"article": 1, "sentence": 7}),
        ("find", {"words": '"gene'}),
        ("find", {"words": ""}),
        ("proposals", {"article": "first"}),
        ("proposals", {}),
    ]
    _, answers = asked(site, token_of("Mats"), *calls)
    said = [answer.content[0].text for answer in answers]
    assert all(answer.is_error for answer in answers)
    assert "there is no article 99" in said[0] and "article 1 has no sentence 7: it has 3, from 0" in said[1]
    print(said)
    assert "words" in said[3] and "article" in said[4] and "article" in said[5]
    _, (forged,) = asked(site, "keyline_forged", ("article", {"article": 1}))
    assert forged.is_error and "needs the header Authorization" in forged.content[0].text
    _, (away,) = asked("http://127.0.0.1:9", "keyline_any", ("article", {"article": 1}))
    assert away.is_error and "Keyline does not answer at http://127.0.0.1:9" in away.content[0].text


def test_without_a_token_it_does_not_begin(monkeypatch, capsys) -> None:
    monkeypatch.delenv("KEYLINE_TOKEN", raising=False)
    assert main(["mcp"]) == 1
    assert "KEYLINE_TOKEN is not set" in capsys.readouterr().err
