"""Parts of articles."""

import pytest

from annotate.articles.document import PARTS, part_of


@pytest.mark.parametrize(
    ("kind", "titles", "part"),
    [
        ("abstract", ["Methods"], "abstract"),
        ("body", ["1. Introduction"], "introduction"),
        ("body", ["BACKGROUND"], "introduction"),
        ("body", ["Materials and Methods", "Results of the pilot"], "methods"),
        ("body", ["STAR★Methods"], "methods"),
        ("body", ["Experimental procedures"], "methods"),
        ("body", ["Results and Discussion"], "results"),
        ("body", ["Concluding remarks"], "discussion"),
        ("body", ["", "Main text", "Discussion"], "discussion"),
        ("body", ["Figures and tables"], "other"),
        ("body", [], "other"),
        ("back", ["Supplementary results"], "other"),
        ("sub-article", ["Methods"], "other"),
    ],
)
def test_a_section_belongs_to_the_part_that_its_outermost_telling_title_names(kind, titles, part):
    assert part_of(kind, titles) == part
    assert part in PARTS
