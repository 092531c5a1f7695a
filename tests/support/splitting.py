"""Splits texts into sentences as Python 3.11.2 did by the pattern that Keyline had at first."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from annotate.articles import sentences


@contextmanager
def splitting_wrongly() -> Iterator[None]:
    """Meanwhile no sentence ends at a bare mark: only behind a citation, a bracket or a quote."""
    wrong = re.compile(sentences._CANDIDATE.pattern.replace("{0,6}", "{1,6}"), re.VERBOSE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sentences, "_CANDIDATE", wrong)
        sentences.check_splitter.cache_clear()
        yield
    sentences.check_splitter.cache_clear()
