"""The language of searches: what is typed becomes a tree, or an error that says where."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from annotate.search.queries import (
    And,
    BadQuery,
    Everything,
    Field,
    KindField,
    Not,
    Or,
    Term,
    Years,
    loosened,
    terms,
    written,
)
from annotate.search.reading import DEEPEST, LONGEST, MOST_WORDS, read_query

A, B, C = Term("a1"), Term("b1"), Term("c1")


@pytest.mark.parametrize(
    ("typed", "tree"),
    [
        ("", Everything()),
        (" + ", Everything()),
        ("a1", A),
        ("a1 b1", And((A, B))),
        ("a1 AND b1 c1", And((A, B, C))),
        ("a1 OR b1 c1", Or((A, And((B, C))))),
        ("(a1 OR b1) c1", And((Or((A, B)), C))),
        ("a1 NOT b1", And((A, Not(B)))),
        ("a1 AND NOT (b1 OR c1)", And((A, Not(Or((B, C)))))),
        ("a1 and or not", And((A, Term("and"), Term("or"), Term("not")))),
        ('"a1 b1"', Term("a1 b1", phrase=True)),
        ("“a1 b1”", Term("a1 b1", phrase=True)),
        ("mutat*", Term("mutat", prefix=True)),
        ('"gene knock*"', Term("gene knock", phrase=True, prefix=True)),
        ("title:a1 b1", And((Term("a1", Field.TITLE), B))),
        ("title:(a1 OR abstract:b1)", Or((Term("a1", Field.TITLE), Term("b1", Field.ABSTRACT)))),
        ('journal:"PLoS One"', Term("PLoS One", Field.JOURNAL, phrase=True)),
        ("year:2015..2020", Years(2015, 2020)),
        ("year:2015", Years(2015, 2015)),
        ("year:2015-", Years(2015, None)),
        ("year:..2020", Years(None, 2020)),
        ("year:>2015", Years(2016, None)),
        ("year:<=2015", Years(None, 2015)),
        ("a1[ti]", Term("a1", Field.TITLE)),
        (
            "a1 b1[Title/Abstract] OR c1",
            Or((And((Term("a1", Field.TITLE_ABSTRACT), Term("b1", Field.TITLE_ABSTRACT))), C)),
        ),
        ("(a1 OR b1)[tiab]", Or((Term("a1", Field.TITLE_ABSTRACT), Term("b1", Field.TITLE_ABSTRACT)))),
        ("2015/01/01:2020[dp]", Years(2015, 2020)),
        ('"2015/01/01"[dp] : "2020/12/31"[Date - Publication] a1', And((Years(2015, 2020), A))),
        ('"a1 2015:2016"[ti]', Term("a1 2015:2016", Field.TITLE, phrase=True)),
        ('"Lung Neoplasms"[MeSH Terms]', Term("Lung Neoplasms", Field.MESH, phrase=True)),
        ("pmid:123", Term("pmid:123", Field.KEY)),
        ("key:doi:10.1/a:b", Term("doi:10.1/a:b", Field.KEY)),
        ("gene:TP53", Term("TP53", Field.GENE)),
        ("FOXA1-/- IL-6", And((Term("FOXA1-/-"), Term("IL-6")))),
        ("[Ca2+]i c.215C>G:x", And((Term("[Ca2+]i"), Term("c.215C>G:x")))),
        ("GSE:1234", Term("GSE:1234")),
        ("p53 (+) cells", And((Term("p53"), Term("cells")))),
    ],
)
def test_what_is_typed_is_read_as_meant(typed, tree):
    assert read_query(typed) == tree


@pytest.mark.parametrize(
    ("typed", "reason", "place"),
    [
        ('a1 "b1', "has no end", (3, 4)),
        ("a1 AND", "missing after AND", (3, 6)),
        ("OR a1", "missing before OR", (0, 2)),
        ("(a1", "not closed", (0, 1)),
        ("a1)", "closes none", (2, 3)),
        ("titel:a1", "did you mean title", (0, 6)),
        ("Smith[au]", "authors are not stored", (5, 9)),
        ("author:Smith", "authors are not stored", (0, 7)),
        ("2015 : 2016[sb]", "filters of PubMed", (11, 15)),
        ("year:soon", "a year is written", (5, 9)),
        ("year:2020..2015", "2020 is after 2015", (5, 15)),
        ("title:", "nothing stands after title", (0, 6)),
        ("[ti]", "no word stands before", (0, 4)),
        ("a*", "2 letters", (0, 2)),
        ("year:(a1)", "without parentheses", (0, 5)),
    ],
)
def test_an_error_says_why_and_where(typed, reason, place):
    with pytest.raises(BadQuery, match=reason) as caught:
        read_query(typed)
    assert caught.value.place == place
    assert caught.value.pointed(typed).splitlines()[2] == " " * place[0] + "^" * (place[1] - place[0])


@pytest.mark.parametrize(
    "typed", ["a" * (LONGEST + 1), "a1 " * (MOST_WORDS + 1), "(" * (DEEPEST + 1) + "a1", "NOT " * 500 + "a1"]
)
def test_what_is_too_much_is_refused(typed):
    with pytest.raises(BadQuery):
        read_query(typed)


DRUG = KindField(("label/intervention",), "intervention")


def test_names_of_the_topic_are_fields():
    assert read_query("Intervention:placebo", {"intervention": DRUG}) == Term("placebo", DRUG)
    assert read_query("intervention:(a OR title:b)", {"intervention": DRUG}) == Or(
        (Term("a", DRUG), Term("b", Field.TITLE))
    )


@pytest.mark.parametrize(
    ("typed", "again"),
    [
        ('Intervention:"usual care"', 'intervention:"usual care"'),
        ("title:(ifn gamma) a1", "title:(ifn gamma) AND a1"),
        ("NOT (ifn gamma)", "NOT (ifn gamma)"),
        ("intervention:(ifn gamma)", "intervention:(ifn gamma)"),
    ],
)
def test_a_question_is_written_as_it_can_be_typed(typed, again):
    node = read_query(typed, {"intervention": DRUG})
    assert written(node) == again
    assert read_query(again, {"intervention": DRUG}) == node


def test_what_is_not_stored_can_be_asked_for_outside():
    assert read_query("Smith[au] pub_type:review", outside=True) == And(
        (Term("Smith", Field.AUTHOR), Term("review", Field.PUBLICATION))
    )


def test_words_behind_not_are_none_of_the_words_sought():
    assert terms(read_query("a1 (b1 OR NOT c1) NOT gene:x1")) == [A, B]


def test_a_loosened_question_wants_any_word_and_still_all_of_the_rest():
    assert loosened(read_query("a1 b1 year:2015 gene:TP53")) == And(
        (Or((A, B)), Years(2015, 2015), Term("TP53", Field.GENE))
    )
    assert loosened(A) == A


PIECES = st.sampled_from(
    [
        "a1",
        "b-1",
        "AND",
        "OR",
        "NOT",
        "(",
        ")",
        '"',
        '"x y"',
        "title:",
        "year:2015",
        "[ti]",
        "[dp]",
        "*",
        "c*",
        "key:",
        ":",
    ]
)


@given(st.lists(PIECES | st.text(max_size=6), max_size=14).map(" ".join) | st.text(max_size=60))
@example('" cell * "')
@example('"cell * *"*')
@settings(deadline=None)
def test_any_text_is_read_or_refused_and_reads_the_same_when_written_again(typed):
    try:
        tree = read_query(typed)
    except BadQuery as error:
        assert 0 <= error.place[0] <= error.place[1] <= len(typed)
        assert str(error) in error.pointed(typed)
        return
    assert read_query(written(tree)) == tree
