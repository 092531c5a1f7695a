"""The command that lets assistants ask Keyline, by the Model Context Protocol on stdin and stdout.

It is a client of the API, with a person's token, so that rights, blindness and the history are where they are for any
program. All tools read but one, which proposes a sentence for experts to judge.
"""

import argparse
import os
from typing import Annotated, Any

import requests
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from annotate.cli.frame.common import Commands, Result
from annotate.project.release import VERSION

TOKEN = "KEYLINE_TOKEN"
SITE = "http://127.0.0.1:8501"
SECONDS = 120  # the first question of Find reads its encoder
ABOUT = """Keyline holds biomedical articles, split into sentences, and the verdicts of experts on which sentences are
key. Find articles first; an article's number leads to its sentences, proposals and reasons. Sentences are named by
their position in the article, from 0. Nothing can be judged here: a sentence that seems key is proposed to experts."""
READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
PROPOSES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)

Number = Annotated[int, Field(description="The article's number, as find tells it", ge=1)]


class Tools:
    """What assistants may do; each public method is a tool, and its docstring what they are told of it."""

    def __init__(self, site: str, token: str) -> None:
        self._api = f"{site.rstrip('/')}/api/v1"
        self._session = requests.Session()
        self._session.headers["Authorization"] = f"Bearer {token}"

    def find(
        self,
        words: Annotated[str, Field(description="Names and words; AND, OR, NOT, quotes and * work")],
        limit: Annotated[int, Field(description="How many articles at most", ge=1, le=50)] = 10,
    ) -> dict[str, Any]:
        """Articles that answer a question, best first, each with up to three sentences that match."""
        return self._ask("GET", "/find", params={"words": words, "limit": limit})

    def article(self, article: Number) -> dict[str, Any]:
        """An article with its identifiers and all of its sentences by position, with the section of each."""
        columns = ("position", "section", "text")
        sentences = [{name: row[name] for name in columns} for row in self._sentences(article)]
        return self._ask("GET", f"/articles/{article}") | {"sentences": sentences}

    def proposals(self, article: Number) -> dict[str, Any]:
        """The sentences that are proposed as key in an article, the best first. Who may not see all labels opens the
        article by this, as on its page."""
        answer = self._ask("GET", f"/articles/{article}/proposals")
        texts = {row["position"]: row["text"] for row in self._sentences(article)} if answer["rows"] else {}
        return answer | {"rows": [row | {"text": texts[row["sentence"]]} for row in answer["rows"]]}

    def why(self, article: Number) -> dict[str, Any]:
        """What speaks for and against each proposal of an article: by sentence the parts of its score, the largest
        first."""
        return self._ask("GET", f"/articles/{article}/why")

    def gold(
        self,
        limit: Annotated[int, Field(description="How many rows at most", ge=1, le=500)] = 100,
        cursor: Annotated[str | None, Field(description="`next` of the page before")] = None,
    ) -> dict[str, Any]:
        """The labelled sentences as of now, a row a sentence, page by page: label 1 is key, 0 is not."""
        return self._ask("GET", "/gold", params={"limit": limit, "cursor": cursor})

    def propose(
        self,
        article: Number,
        sentence: Annotated[int, Field(description="Its position in the article", ge=0)],
        why: Annotated[str, Field(description="Why it is key, in a sentence", max_length=1_000)] = "",
    ) -> dict[str, Any]:
        """Proposes a sentence as key: experts see it among the first of its article and judge it. The history tells in
        whose name it was proposed, and why."""
        return self._ask("POST", f"/articles/{article}/proposals", json={"sentence": sentence, "why": why})

    def _sentences(self, article: int) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        cursor = None
        while True:
            page = self._ask("GET", f"/articles/{article}/sentences", params={"cursor": cursor})
            rows += page["rows"]
            if (cursor := page["next"]) is None:
                return rows

    def _ask(self, method: str, path: str, **sent: Any) -> dict[str, Any]:
        """The API's answer. Raises ToolError in its words."""
        try:
            response = self._session.request(method, self._api + path, timeout=SECONDS, **sent)
        except requests.RequestException as error:
            raise ToolError(f"Keyline does not answer at {self._api}: {type(error).__name__}") from error
        try:
            answer: dict[str, Any] = response.json()
        except ValueError:
            raise ToolError(f"no Keyline answers at {self._api}: status {response.status_code}") from None
        if not response.ok:
            fields = "; ".join(f"{each['field']}: {each['problem']}" for each in answer.get("fields") or ())
            raise ToolError(f"{answer.get('error', response.reason)}{f' ({fields})' if fields else ''}")
        return answer


def server(site: str, token: str) -> MCPServer:
    """The server of all tools, at this Keyline with this token."""
    made, tools = MCPServer("keyline", version=VERSION, instructions=ABOUT, log_level="WARNING"), Tools(site, token)
    for tool in (tools.find, tools.article, tools.proposals, tools.why, tools.gold):
        made.add_tool(tool, annotations=READS)
    made.add_tool(tools.propose, annotations=PROPOSES)
    return made


def _serve(options: argparse.Namespace) -> Result:
    if not (token := os.environ.get(TOKEN, "")):
        raise ValueError(f"{TOKEN} is not set: make a token behind your name in Keyline, and put it there")
    server(options.site, token).run("stdio")
    return {}


def add_commands(commands: Commands) -> None:
    """Registers the command `mcp` with the parser."""
    parser = commands.add("mcp", _serve)
    parser.add_argument("--site", default=SITE, metavar="URL", help="where Keyline is served (default %(default)s)")
