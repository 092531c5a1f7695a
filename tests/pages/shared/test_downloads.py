"""Files that are made on a click: pages offer them by one way alone."""

import ast

from tests.support.paths import PAGES


def test_every_file_is_offered_by_the_one_way_that_asks_a_right_on_the_click() -> None:
    """What is handed over ready lies on the server at once, for whoever has its address; a made one of Streamlit's is
    swept away by whichever page's script ends before the browser has fetched it."""
    offered = 0
    for path in PAGES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                assert getattr(node.func, "attr", "") != "download_button", path.name
                offered += getattr(node.func, "id", "") == "offer"
    assert offered >= 9
