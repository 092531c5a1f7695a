"""The guideline of a topic as the pages show it: a little Markdown, as blocks of runs of text."""

import re
from typing import Any

_HEADING = re.compile(r"#{1,6}\s+(.*)")
_ITEM = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s+(.*)")
_INLINE = re.compile(r"\*\*(?P<b>[^*\n]+)\*\*|\*(?P<i>[^*\n]+)\*|`(?P<kbd>[^`\n]+)`")
Run = list[str]  # the text and its tag: "", b, i or kbd


def blocks_of(markdown: str) -> list[dict[str, Any]]:
    """The blocks of a text: {"tag": "h4" | "p" | "li", "runs": [[text, tag], ...]}, JSON-able, without any HTML.

    Headings, paragraphs, lists of one level, **bold**, *italic* and `keys` are known; all else is text.
    """
    blocks: list[tuple[str, list[str]]] = []
    fresh = True
    for line in markdown.splitlines():
        text = line.strip()
        heading, item = _HEADING.fullmatch(text), _ITEM.fullmatch(text)
        if found := heading or item:
            blocks.append(("h4" if heading else "li", [found[1]]))
        elif text and not fresh and blocks and blocks[-1][0] != "h4":
            blocks[-1][1].append(text)
        elif text:
            blocks.append(("p", [text]))
        fresh = not text
    return [{"tag": tag, "runs": _runs(" ".join(lines))} for tag, lines in blocks]


def _runs(text: str) -> list[Run]:
    runs: list[Run] = []
    end = 0
    for match in _INLINE.finditer(text):
        runs.append([text[end : match.start()], ""])
        runs += [[found, tag] for tag, found in match.groupdict().items() if found]
        end = match.end()
    runs.append([text[end:], ""])
    return [run for run in runs if run[0]]
