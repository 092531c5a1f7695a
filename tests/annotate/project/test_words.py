"""Numbers of things: one has no s, and no page or command writes its own plural of one."""

import re

import pytest

from annotate.project.words import count_of
from tests.support.paths import ROOT

# A number before a plural that is always one, on pages that this table of words was applied to.
FIXED = re.compile(r"\{len\([a-z_.]+\):,\} (rows|articles|times|entries)\b")
APPLIED = (
    *("pages/import_articles.py", "pages/agreement.py", "pages/adjudicate.py"),
    *(
        "pages/parts/articles/import_reports.py",
        "pages/parts/articles/import_reports.py",
        "annotate/team/adjudication.py",
    ),
)


@pytest.mark.parametrize(
    ("number", "told"), [(0, "0 articles"), (1, "1 article"), (2, "2 articles"), (2_000, "2,000 articles")]
)
def test_a_number_of_things(number, told):
    assert count_of(number, "article") == told


def test_a_plural_of_its_own():
    assert (count_of(1, "entry", "entries"), count_of(3, "entry", "entries")) == ("1 entry", "3 entries")


@pytest.mark.parametrize("path", APPLIED)
def test_no_plural_is_fixed(path):
    assert not FIXED.findall((ROOT / path).read_text())
