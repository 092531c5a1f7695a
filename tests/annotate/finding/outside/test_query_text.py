"""Queries for Europe PMC: printed from facets, translated from PubMed's tags, refused with the tag."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.finding.outside.query_text import from_pubmed, query_of
from annotate.finding.question import Facet, Filters, Question
from annotate.search.queries import BadQuery, KindField


def test_facets_are_all_wanted_each_by_any_of_its_names() -> None:
    facets = {"gene": (Facet("TP53", ("p53", "p53")),), "cell": (Facet("HeLa"), Facet("A549"))}
    assert query_of(Question("growth rate", facets, Filters((2010, 2020), ("Cell", "J Test")))) == (
        '(TITLE_ABS:"TP53" OR TITLE_ABS:"p53") AND (TITLE_ABS:"HeLa") AND (TITLE_ABS:"A549") AND (growth rate)'
        ' AND PUB_YEAR:[2010 TO 2020] AND (JOURNAL:"Cell" OR JOURNAL:"J Test")'
    )


def test_what_is_empty_asks_for_nothing() -> None:
    assert query_of(Question(" ", filters=Filters((2010, None)))) == ""


def test_words_cannot_become_operators() -> None:
    assert query_of(Question('a" OR (NOT b:c) *')) == "(a or not b c)"
    assert query_of(Question("", {"gene": (Facet('x") OR SRC:"MED'),)})) == '(TITLE_ABS:"x or SRC MED")'


@pytest.mark.parametrize(
    ("typed", "europe"),
    [
        ("metformin OR insulin", "(metformin OR insulin)"),
        ('"loss of p53" HeLa', '(HeLa) AND "loss of p53"'),
        ("cancer NOT mouse", "(cancer) AND NOT mouse"),
        ("TP53[ti] year:2015..2020", '(TITLE:"TP53" AND PUB_YEAR:[2015 TO 2020])'),
        ("weight outcome:pain", '(weight) AND TITLE_ABS:"pain"'),
        ("section:methods cells", "(cells)"),
        ("title:(loss gain)", '(TITLE:"loss" AND TITLE:"gain")'),
        ("loss gain[ti]", '(TITLE:"loss gain")'),
    ],
)
def test_all_that_is_typed_is_asked_for(typed: str, europe: str) -> None:
    names = {"outcome": KindField(("label/outcome",), "outcome")}
    assert query_of(Question(typed), names) == europe


@pytest.mark.parametrize(
    ("pubmed", "europe"),
    [
        ("TP53[ti] AND HeLa[tiab]", 'TITLE:"TP53" AND TITLE_ABS:"HeLa"'),
        (
            '(TP53[ti] OR "tumor protein"[ab]) NOT review[pt]',
            '(TITLE:"TP53" OR ABSTRACT:"tumor protein") NOT PUB_TYPE:"review"',
        ),
        ("heart attack [Title/Abstract]", 'TITLE_ABS:"heart attack"'),
        ("2015:2020[dp]", "PUB_YEAR:[2015 TO 2020]"),
        ('"2015/01/01":"2020/12/31"[dp]', "PUB_YEAR:[2015 TO 2020]"),
        ("2015[dp]", "PUB_YEAR:2015"),
        ("cystic fibrosis[mh] AND knock*[ti]", 'MESH:"cystic fibrosis" AND TITLE:knock*'),
        ("TP53[all]", "TP53"),
        (
            '("2015/01/01"[Date - Publication] : "3000"[Date - Publication]) AND p53[ti]',
            'PUB_YEAR:[2015 TO 3000] AND TITLE:"p53"',
        ),
        ("Smith J[au] AND english[la]", 'AUTH:"Smith J" AND LANG:"english"'),
        ("(a1[ti] OR b1 c1[ab]) NOT (x1[tiab] OR y1)", '(TITLE:"a1" OR (ABSTRACT:"b1 c1")) NOT (TITLE_ABS:"x1" OR y1)'),
        ("12[pmid] OR PMC3[uid] OR 10.1/a[pmid]", 'EXT_ID:12 OR PMCID:PMC3 OR DOI:"10.1/a"'),
        ("12*[pmid] OR doi:10.1/a*", 'EXT_ID:12* OR DOI:"10.1/a*"'),
        ("doi:10.1/a:b AND x1[ti]", 'DOI:"10.1/a:b" AND TITLE:"x1"'),
        ("gene:TP53 AND OPEN_ACCESS:y AND x1[ti]", 'TITLE_ABS:"TP53" AND OPEN_ACCESS:y AND TITLE:"x1"'),
        ("[3H]thymidine uptake", "[3H]thymidine uptake"),
        ("TITLE:x AND PUB_YEAR:[2010 TO 2012]", "TITLE:x AND PUB_YEAR:[2010 TO 2012]"),
        ("no tags at all", "no tags at all"),
    ],
)
def test_pubmed_queries_are_translated(pubmed: str, europe: str) -> None:
    assert from_pubmed(pubmed) == europe


@pytest.mark.parametrize(
    ("text", "reason"), [("x[zz]", r"\[zz\] is no tag"), ("soon[dp]", "a year is written"), ("(a1[ti]", "not closed")]
)
def test_a_tag_that_means_nothing_is_named(text: str, reason: str) -> None:
    with pytest.raises(BadQuery, match=reason):
        from_pubmed(text)


@given(st.text(alphabet='ab "()[]:*tidpANDORNT', max_size=40))
@settings(deadline=None)
def test_any_text_is_a_query_or_refused(text: str) -> None:
    try:
        assert isinstance(from_pubmed(text), str)
    except BadQuery as error:
        assert 0 <= error.place[0] <= error.place[1] <= len(text)
