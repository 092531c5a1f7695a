"""A sentence of a docstring or a comment has at most 25 words: a newcomer takes it in at the first reading."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

from tests.house.test_house import PRODUCT, tree
from tests.support.each import each
from tests.support.paths import ROOT

pytestmark = pytest.mark.sqlite("files alone")

MOST_WORDS = 25
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
# A blank line, or a line that tells of one argument or begins an item, ends a paragraph.
PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\w+: |- )")


def long_sentences(texts: Iterator[str]) -> list[str]:
    """The sentences, or parts of them between colons, of more than MOST_WORDS words."""
    paragraphs = (paragraph for text in texts for paragraph in PARAGRAPH.split(text))
    parts = (part for paragraph in paragraphs for part in re.split(r"(?<=[.!?:;])\s+", paragraph))
    return [part for part in parts if len(part.split()) > MOST_WORDS]


def docstrings(path: Path) -> Iterator[str]:
    for node in ast.walk(tree(path)):
        if isinstance(node, DOCUMENTED):
            yield ast.get_docstring(node) or ""


def comments(source: str) -> Iterator[str]:
    """Each comment; lines of a comment that follow each other are one. What stands behind code is one by itself."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    found = [token for token in tokens if token.type == tokenize.COMMENT]
    alone = [token for token in found if token.line.lstrip().startswith("#")]
    yield from (token.string for token in found if token not in alone)
    for _, block in groupby(enumerate(alone), lambda one: one[1].start[0] - one[0]):
        yield "\n".join(token.string.lstrip("#: ") for _, token in block)


def test_a_long_sentence_is_found_in_a_comment_of_several_lines() -> None:
    words = " ".join(["word"] * 13)
    assert long_sentences(comments(f"# {words}\n# {words}\nx = 1  # {words}\n")) == [f"{words}\n{words}"]
    assert not long_sentences(comments(f"# {words}.\n# {words}\n\n# {words}\n"))


@each(PRODUCT)
def test_no_sentence_of_a_docstring_or_comment_has_more_than_25_words(path: Path) -> None:
    assert not long_sentences(docstrings(path))
    assert not long_sentences(comments((ROOT / path).read_text()))
