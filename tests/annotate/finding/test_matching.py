"""Names of facets in texts."""

import pytest

from annotate.finding.question import Facet, Matcher, Question


def matcher(*names):
    return Matcher(Question(facets={"gene": (Facet(names[0], names[1:]),)}))


@pytest.mark.parametrize("text", ["IL-6 rose", "of IL6.", "il 6", "IL‑6s"])
def test_dashes_blanks_case_and_plural_do_not_matter(text):
    assert matcher("IL-6").names_in(text) == {"gene": ("IL-6",)}


@pytest.mark.parametrize("text", ["IL-60", "VIL-6", "6 IL", ""])
def test_only_whole_names_count(text):
    assert matcher("IL-6").names_in(text) == {}


def test_places_are_in_order_and_do_not_overlap():
    text = "TP53 and TP53 binding protein"
    found = matcher("TP53", "TP53 binding protein").places(text)
    assert [(text[each.start : each.end], each.name) for each in found] == [
        ("TP53", "TP53"),
        ("TP53 binding protein", "TP53 binding protein"),
    ]


@pytest.mark.parametrize("name", ["(", "a(b", "[x]*", "\\", " "])
def test_any_name_can_be_looked_for(name):
    assert isinstance(matcher(name).names_in(f"what {name} is"), dict)
