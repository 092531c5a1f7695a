"""Identifiers as people and files write them, and what is none."""

import pytest

from annotate.articles.parsing.identifiers import (
    as_doi,
    as_pmcid,
    as_pmid,
    as_year,
    normal_identifiers,
    parse_identifiers,
)
from tests.support.written_identifiers import AS_PEOPLE_WRITE_THEM, STORED


@pytest.mark.parametrize(("column", "written"), AS_PEOPLE_WRITE_THEM)
def test_every_way_to_write_an_identifier_gives_the_stored_form(column, written):
    assert {"pmid": as_pmid, "pmcid": as_pmcid, "doi": as_doi}[column](written) == STORED[column]
    assert normal_identifiers({column: written})[column] == STORED[column]


@pytest.mark.parametrize("text", ["", None, "0", "012", "1234567890", "12.5", "PMC12", "x1", "١٢", "12 13", "doi:12"])
def test_what_is_no_pmid_is_refused(text):
    assert as_pmid(text) is None


@pytest.mark.parametrize("text", ["", None, "PMC0", "PMC012", "PMCx", "PMC1/../..", "PMC12.1234", "pmid:12"])
def test_what_is_no_pmcid_is_refused(text):
    assert as_pmcid(text) is None


@pytest.mark.parametrize("text", ["", None, "10.1371", "10.1/x", "11.1371/x", "10.1371/a b", "https://x.org/10.1371/a"])
def test_what_is_no_doi_is_refused(text):
    assert as_doi(text) is None


@pytest.mark.parametrize(
    ("text", "year"),
    [("2000 Nov-Dec", 2000), ("12000", None), ("1499", None), ("2100", None), ("", None), (None, None)],
)
def test_a_year_is_found_in_a_text(text, year):
    assert as_year(text) == year


def test_identifiers_are_brought_into_their_stored_form():
    row = {"pmid": " 33.0 ", "pmcid": "pmc12", "doi": "https://doi.org/10.1/AB"}
    assert normal_identifiers(row) == {"pmid": "33", "pmcid": "PMC12", "doi": "10.1/ab"}
    assert normal_identifiers({"pmcid": "12"}) == {"pmid": "", "pmcid": "PMC12", "doi": ""}


def test_what_is_no_identifier_stays_as_it_is_written_for_the_message():
    row = {"pmid": "see below", "pmcid": "none", "doi": "https://doi.org/Unknown"}
    assert normal_identifiers(row) == {"pmid": "see below", "pmcid": "NONE", "doi": "unknown"}


def test_identifiers_are_read_from_free_text_each_once():
    good, bad = parse_identifiers("PMID:33, 44; pmc55\n33 PMC0 x12, PMC1/../.. ١٢")
    assert good == ["33", "44", "PMC55"]
    assert bad == ["PMC0", "X12", "PMC1/../", "١٢"]
    assert parse_identifiers("  ") == ([], [])
    assert parse_identifiers("doi:10.1000/ABC, https://doi.org/10.1/X 10.1/") == (
        ["10.1000/abc"],
        ["HTTPS://DOI.ORG/10.1/X", "10.1/"],
    )
    assert parse_identifiers("PMID: 33 PMCID: PMC55.2 pmcid:PMC56 44.0") == (["33", "PMC55", "PMC56", "44"], [])


def test_the_signs_of_a_sentence_around_an_identifier_are_no_part_of_it():
    text = (
        "See 10.1016/j.cell.2021.03.025. (PMCID: PMC8376083.) and (PMID: 33836163); https://doi.org/10.1016/0092(85)9."
    )
    assert parse_identifiers(text) == (
        ["10.1016/j.cell.2021.03.025", "PMC8376083", "33836163", "10.1016/0092(85)9"],
        ["SEE", "AND"],
    )
    assert parse_identifiers("33;44; 10.1002/(SICI)1097-0134(19980101)30:1<2::AID-PROT1>3.0.CO;2-A,55") == (
        ["33", "44", "10.1002/(sici)1097-0134(19980101)30:1<2::aid-prot1>3.0.co;2-a", "55"],
        [],
    )


@pytest.mark.parametrize("around", ["[{}].", '"{}".', "<{}>.", "(see [{}])", "“{}”.", "({}).", "'{}'"])
def test_brackets_and_quotes_around_an_identifier_are_no_part_of_it(around):
    for written, stored in (
        ("12345678", "12345678"),
        ("PMID:12345678", "12345678"),
        ("https://doi.org/10.1000/x1", "10.1000/x1"),
        ("10.1016/0092(85)", "10.1016/0092(85)"),
        ("10.1002/(SICI)1:1<2::AID-PROT1>", "10.1002/(sici)1:1<2::aid-prot1>"),
    ):
        assert parse_identifiers(around.format(written))[0] == [stored]


def test_quotes_behind_the_name_of_a_kind_are_no_part_of_an_identifier():
    assert parse_identifiers('PMID:"33", [PMCID:(PMC44)].') == (["33", "PMC44"], [])
    assert parse_identifiers("33 a" + ")" * 1_000_000)[0] == ["33"]  # at once
