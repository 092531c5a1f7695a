"""Splits texts into sentences as Python 3.11.2 did by the pattern that Keyline had at first."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from annotate.articles import sentences
from annotate.articles.document import Article
from annotate.articles.importing import splitting
from tests.support.making import store


@contextmanager
def splitting_wrongly() -> Iterator[None]:
    """Meanwhile no sentence ends behind a word or a quote: only behind a bracket, a number or capitals."""
    pattern = sentences._CANDIDATE.pattern.replace("{0,6}", "{0,0}").replace("(?P<mark>", "(?<![a-z]{3})(?P<mark>")
    wrong = re.compile(pattern, re.VERBOSE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sentences, "_CANDIDATE", wrong)
        sentences.check_splitter.cache_clear()
        yield
    sentences.check_splitter.cache_clear()


def store_split_wrongly(*articles: Article) -> None:
    """Stores them as a release did that knew of none of this."""
    with splitting_wrongly(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(splitting, "check_splitter", lambda: None)
        store(*articles)
