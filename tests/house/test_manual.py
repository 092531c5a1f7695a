"""The manual is short and plain, and each figure that it quotes stands in the notebook (docs/measurements/)."""

import json
import re
from itertools import groupby
from pathlib import Path

import pytest

from model.active_learning.features import FEATURES
from model.active_learning.head import COLUMNS, PROJECTIONS
from tests.measure.notebook import FOLDER, page, topics
from tests.support.paths import ROOT

pytestmark = pytest.mark.sqlite("files alone")

PAGES = sorted((ROOT / "docs").glob("*.md"))
CODE = re.compile(r"^```.*?^```\n?", re.MULTILINE | re.DOTALL)
QUOTE = re.compile(r"\[([^]]*\d[^]]*)\]\(measurements/([\w-]+)\.md#([\w-]+)\)")
A_LINK = re.compile(r"\]\([^)]*\)")


def prose(path: Path) -> str:
    """The text of a page without blocks of code."""
    return CODE.sub("", path.read_text())


def words(text: str) -> list[str]:
    """Words, not the bars and dashes of tables."""
    return [word for word in text.split() if re.search(r"\w", word)]


def sentences(text: str) -> list[str]:
    """Sentences and cells of tables; a line of the source goes on where the next one begins with a space."""
    lines = re.sub(r"\n(?=[a-z(])", " ", A_LINK.sub("]", text)).splitlines()
    return [part for line in lines for part in re.split(r"(?<=[.!?:;])\s+| \| ", line) if part.strip("|- ")]


def figures() -> dict[tuple[str, str], set[str]]:
    """The values of each record, by (topic, id)."""
    return {
        (path.stem, record["id"]): {figure["value"] for figure in record["figures"]}
        for path in topics()
        for record in json.loads(path.read_text())["records"]
    }


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_figure_that_is_quoted_is_one_of_its_record(path: Path) -> None:
    known = figures()
    wrong = [
        (text, topic, record)
        for text, topic, record in QUOTE.findall(path.read_text())
        if text not in known.get((topic, record), set())
    ]
    assert not wrong


def test_figures_are_quoted() -> None:
    assert sum(len(QUOTE.findall(path.read_text())) for path in PAGES) > 60


def test_the_pages_of_the_notebook_are_what_their_files_say() -> None:
    stale = [
        path.stem for path in topics() if path.with_suffix(".md").read_text() != page(json.loads(path.read_text()))
    ]
    assert not stale, "python -m tests.measure.notebook writes them"
    assert {path.stem for path in FOLDER.glob("*.md")} == {path.stem for path in topics()}


@pytest.mark.parametrize("path", topics(), ids=lambda path: path.stem)
def test_a_record_says_what_was_measured(path: Path) -> None:
    records = json.loads(path.read_text())["records"]
    ids = [record["id"] for record in records]
    assert len(set(ids)) == len(ids)
    for record in records:
        allowed = {"id", "title", "when", "on", "command", "machine", "figures", "note"}
        assert {"id", "title", "when", "figures"} <= record.keys() <= allowed, record["id"]
        assert re.fullmatch(r"20\d\d-\d\d", record["when"])
        assert record["figures"] or record.get("note"), record["id"]
        assert all(figure["name"] and figure["value"] for figure in record["figures"]), record["id"]


def test_two_figures_of_one_name_are_refused() -> None:
    figure = {"name": "hybrid", "value": ".905", "of": "ARP"}
    record = {"id": "a", "title": "A", "figures": [figure, figure]}
    with pytest.raises(ValueError, match="hybrid"):
        page({"title": "T", "about": "", "records": [record]})


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_has_at_most_80_lines(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 80


def test_the_manual_counts_what_the_head_learns_from_as_the_program_does() -> None:
    told = (ROOT / "docs" / "active_learning.md").read_text()
    assert f"It sees {len(FEATURES)} features of a sentence and {PROJECTIONS} projections" in told
    assert f"{len(COLUMNS)} numbers" in told


def test_the_manual_has_at_most_25000_words() -> None:
    assert sum(len(words(prose(path))) for path in PAGES) <= 25_000


def test_two_sentences_in_a_hundred_at_most_have_more_than_40_words() -> None:
    found = [(path.stem, part) for path in PAGES for part in sentences(prose(path))]
    long = [(stem, part) for stem, part in found if len(words(part)) > 40]
    assert len(long) <= 0.02 * len(found), [(stem, len(list(parts))) for stem, parts in groupby(long, lambda x: x[0])]
