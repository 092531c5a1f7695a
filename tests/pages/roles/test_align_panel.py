"""The panel Align over all articles: the two that the address names stand in its boxes and below them."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.annotate.roles.conftest import read_home, with_model  # noqa: F401 (fixtures)
from tests.support.making import query
from tests.support.paths import PAGES
from tests.support.told import components


@pytest.mark.postgresql
def test_the_articles_of_the_address_stand_side_by_side(read_home: Path) -> None:  # noqa: F811 (the fixture)
    one, other = (number for (number,) in query("SELECT id FROM article ORDER BY id DESC"))
    run = AppTest.from_file(str(PAGES / "articles.py"), default_timeout=60)
    run.session_state["annotator"] = "Cora"
    for name, value in {"panel": "align", "article": one, "other": other}.items():
        run.query_params[name] = str(value)
    run.run()
    assert not run.exception
    assert (run.selectbox(key="one").value, run.selectbox(key="other").value) == (one, other)
    (sides,) = (data["sides"] for data in components(run) if "sides" in data)
    assert len(sides) == 2 and all(len(side) > 1 for side in sides)
    assert {line["link"] for line in sides[0]} <= {-1, *(line["number"] for line in sides[1])}
