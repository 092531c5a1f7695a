"""The words of a page that a test has run, without the marks that keep Streamlit from reading them as Markdown."""

from collections.abc import Iterable
from typing import Any

from streamlit.testing.v1 import AppTest


def captions(run: AppTest) -> str:
    """Those in small letters, one a line."""
    return _lines(run.caption)


def words(run: AppTest) -> str:
    """Those of texts, then those in small letters."""
    return _lines((*run.markdown, *run.caption))


def _lines(elements: Iterable[Any]) -> str:
    return "\n".join(element.value for element in elements).replace("\\", "")
