"""The page Find, opened without a browser."""

from typing import Any

from streamlit.testing.v1 import AppTest

from tests.support.finding import index
from tests.support.paths import PAGES
from tests.support.told import components


def opened(reviewer: str = "Anna", **query_params: Any) -> AppTest:
    index()
    page = AppTest.from_file(str(PAGES / "find.py"), default_timeout=60)
    page.session_state.annotator = reviewer
    for name, value in query_params.items():
        page.query_params[name] = str(value)
    page.run()
    assert not page.exception
    return page


def listed(page: AppTest) -> dict[str, Any]:
    """The data of the list on the page."""
    (data,) = [each for each in components(page) if "rows" in each]
    return data


def keys(page: AppTest) -> list[str]:
    return [row["key"] for row in listed(page)["rows"]]


def view(page: AppTest, name: str) -> AppTest:
    page.session_state.find_view = name
    page.run()
    assert not page.exception
    return page
