"""The site of the documentation: the same Markdown as in the repository, with the menu of docs/README.md."""

import importlib.util
from typing import Any

import pytest

from tests.support.paths import ROOT

pytestmark = pytest.mark.sqlite("files alone")


@pytest.fixture(scope="module")
def hooks() -> Any:
    """docs/site/hooks.py, which is no module of a package."""
    found = importlib.util.spec_from_file_location("hooks", ROOT / "docs" / "site" / "hooks.py")
    assert found and found.loader
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_links_lead_to_the_same_papers_from_both_folders(hooks: Any) -> None:
    assert hooks.turned("[a](../SECURITY.md#x) [b](gold.md#y)", ROOT / "docs") == "[a](security.md#x) [b](gold.md#y)"
    assert hooks.turned("![a](docs/tour.gif) [b](docs/README.md)", ROOT) == "![a](tour.gif) [b](README.md)"
    notebook = ROOT / "docs" / "measurements"
    assert hooks.turned("[a](../gold.md) [b](find.md#x)", notebook) == "[a](../gold.md) [b](find.md#x)"
    assert hooks.turned("[a](https://example.org/x)", ROOT) == "[a](https://example.org/x)"


def test_a_link_out_of_the_documentation_is_an_error(hooks: Any) -> None:
    with pytest.raises(ValueError, match="docs"):
        hooks.turned("[the code](../annotate/work.py)", ROOT / "docs")


def test_a_list_that_follows_its_text_at_once_stays_a_list(hooks: Any) -> None:
    assert hooks.turned("Said:\n- a\n- b\n", ROOT) == "Said:\n\n- a\n- b\n"


def test_the_menu_has_every_paper_once_below_its_reader(hooks: Any) -> None:
    menu = hooks.menu((ROOT / "docs" / "README.md").read_text())
    readers = ["Expert", "Curator", "Maintainer", "Operator", "Developer"]
    assert [next(iter(part)) for part in menu[2:]] == [*readers, "Measurements"]
    places = [place for part in menu[2:] for entries in part.values() for one in entries for place in one.values()]
    papers = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert sorted(places) == sorted((papers - {"README.md"}) | set(hooks.PAPERS.values()) - {"keyline.md"})


def test_a_page_that_would_fetch_from_elsewhere_is_refused(hooks: Any) -> None:
    class Page:
        class file:
            src_uri = "a.md"

    kept = '<a href="https://example.org">a</a><script src="a.js"></script>'
    assert hooks.on_post_page(kept, Page) == kept
    with pytest.raises(ValueError, match=r"a\.md would fetch"):
        hooks.on_post_page('<script src="https://example.org/a.js"></script>', Page)
