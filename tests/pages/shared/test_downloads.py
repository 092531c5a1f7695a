"""Files that are made on a click: for whoever may have them then, whatever they might when the page was drawn."""

import ast
from pathlib import Path

import pytest

from annotate.project.acting import OPERATOR, Forbidden, acting, current_actor
from annotate.project.rights import Right, Role
from annotate.team import people
from pages.parts.shared.downloads import made_for
from tests.support.paths import PAGES
from tests.support.team import add, browser, cheap_hashes, history


def test_whoever_loses_the_right_gets_no_file_any_more(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEYLINE_AUTH", "local")
    with cheap_hashes():
        cora = add("Cora", Role.CURATOR)
    _, actor = browser("Cora")
    with acting(actor):
        file = made_for(Right.GOLD, lambda: f"for {current_actor().name}")
    assert file() == "for Cora"  # outside of the script, where nobody is known
    with acting(OPERATOR):
        people.set_role(cora, Role.ANNOTATOR)
    with pytest.raises(Forbidden, match="Cora may not see all labels"):
        file()
    assert history("refused") == [("Cora", "Cora may not see all labels, export and freeze gold")]
    nobodys = made_for(Right.GOLD, lambda: "")
    with pytest.raises(Forbidden):
        nobodys()


def test_every_download_is_made_on_the_click_and_asks_a_right() -> None:
    """What is handed over ready lies on the server at once, for whoever has its address."""
    found = 0
    for path in PAGES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "download_button":
                found += 1
                content = next((word.value for word in node.keywords if word.arg == "data"), None) or node.args[1]
                made = ast.unparse(content)
                assert made.startswith("made_for(Right."), (path.name, made)
    assert found >= 9
