"""The words of a page that a test has run, without the marks that keep Streamlit from reading them as Markdown."""

import json
from collections.abc import Iterable
from typing import Any

from bs4 import BeautifulSoup
from streamlit.testing.v1 import AppTest


def captions(run: AppTest) -> str:
    """Those in small letters, one a line."""
    return _lines(run.caption)


def words(run: AppTest) -> str:
    """Those of texts, then those in small letters."""
    return _lines((*run.markdown, *run.caption))


def html(run: AppTest) -> str:
    """What the page draws by templates: its tables of words among it."""
    return "\n".join(part.proto.body for part in run.get("html"))


def table_named(run: AppTest, label: str) -> list[list[str]]:
    """The cells of a table of words by the name under which it is read aloud, the row of its heads first."""
    found = BeautifulSoup(html(run), "html.parser").find(attrs={"aria-label": label})
    return [[cell.get_text() for cell in row.find_all(("th", "td"))] for row in found.find_all("tr")]


def columns_of(run: AppTest, label: str) -> dict[str, list[str]]:
    """The cells of such a table by the heads of its columns."""
    head, *rows = table_named(run, label)
    return {name: [row[place] for row in rows] for place, name in enumerate(head)}


def components(run: AppTest) -> list[Any]:
    """The data of the components that the page mounts."""
    return [json.loads(part.proto.json) for part in run.get("bidi_component") if part.proto.json]


def files(run: AppTest) -> list[str]:
    """The labels of the files that the page offers."""
    return [file["label"] for data in components(run) for file in data.get("files", [])]


def _lines(elements: Iterable[Any]) -> str:
    return "\n".join(element.value for element in elements).replace("\\", "")
