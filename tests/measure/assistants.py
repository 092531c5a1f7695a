"""Prints how long each tool of `keyline mcp` takes, and in how many calls one errand is done.

KEYLINE_HOME=FOLDER python -m tests.measure.assistants [--repeats 20]

FOLDER holds the sample (`python -m annotate sample`). The API is served by a process like the app's, without pages; the
server of the tools is a process of its own, as assistants start it. The errand: find the article on the edited gene
FOXA1, and list its key sentences. First is the first call of a tool since the start of both, then come medians.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import time
from typing import Any

from mcp import Client, StdioServerParameters, stdio_client

from tests.support.api import served, token_of
from tests.support.paths import ROOT

GENE = "FOXA1"


async def measure(client: Client, repeats: int) -> None:
    """Prints a row a tool, and the errand."""
    seconds: dict[str, list[float]] = {}

    async def call(tool: str, **given: Any) -> Any:
        began = time.perf_counter()
        answer = await client.call_tool(tool, given)
        seconds.setdefault(tool, []).append(time.perf_counter() - began)
        assert not answer.is_error, answer.content
        return answer.structured_content

    began = time.perf_counter()
    found = await call("find", words=GENE, limit=5)
    article = found["rows"][0]["article"]
    proposed = await call("proposals", article=article)
    errand, calls = time.perf_counter() - began, sum(map(len, seconds.values()))
    for _ in range(repeats):
        await call("find", words=GENE, limit=5)
        for tool in ("article", "proposals", "why"):
            await call(tool, article=article)
        await call("gold", limit=100)
        await call("propose", article=article, sentence=0, why="measured")
    print("| tool | first | median |\n|---|---|---|")
    for tool, taken in seconds.items():
        print(f"| {tool} | {taken[0]:.3f} s | {statistics.median(taken[1:]):.3f} s |")
    print(f"errand: {calls} calls, {errand:.2f} s; load {os.getloadavg()[0]:.0f}")
    print(json.dumps(found["rows"][0] | {"proposals": [row["text"] for row in proposed["rows"]]}, indent=1)[:3000])


async def session(site: str, repeats: int) -> None:
    """Starts the server of the tools, and measures."""
    environment = dict(os.environ) | {"KEYLINE_TOKEN": token_of("Ada", f"measured {time.time():.0f}")}
    command = ["-m", "annotate", "mcp", "--site", site]
    program = StdioServerParameters(command=sys.executable, args=command, env=environment, cwd=ROOT)
    began = time.perf_counter()
    async with Client(stdio_client(program)) as client:
        tools = (await client.list_tools()).tools
        print(f"{len(tools)} tools, {time.perf_counter() - began:.1f} s after the start")
        await measure(client, repeats)


def main() -> None:
    """Serves the API and measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=20)
    given = parser.parse_args()
    with served() as site:
        asyncio.run(session(site, given.repeats))


if __name__ == "__main__":
    main()
