"""Europe PMC against a server of our own: what a search brings, what is here already, and words for every failure."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from annotate.articles.europepmc import RETRIES, EuropePmc
from annotate.finding.outside.service import MOST_PASTED, NoAnswer, Outside, as_query, search_outside
from tests.annotate.articles.test_europepmc import FOUND, Service, service
from tests.support.making import paper, query, store

__all__ = ["service"]  # the stand-in for the service
pytestmark = pytest.mark.usefixtures("home")


def search(service: Service, text: str, most: int = 200) -> Outside:
    def client() -> EuropePmc:
        return EuropePmc(service.url, retries=RETRIES.new(total=1, backoff_factor=0.0), pause=0.0)

    return search_outside(text, most=most, client=client)


def page(results: list[dict[str, Any]], total: int, after: str) -> tuple[int, dict[str, str], bytes]:
    told = {"hitCount": total, "nextCursorMark": after, "resultList": {"result": results}}
    return 200, {"Content-Type": "application/json"}, json.dumps(told).encode()


def asked(service: Service) -> Iterator[dict[str, str]]:
    for path in service.asked:
        yield {name: values[0] for name, values in parse_qs(urlsplit(path).query).items()}


def test_what_is_found_is_told_apart_from_what_is_here(service: Service) -> None:
    store(paper(pmid="33"))
    new = {"pmid": "34", "title": "New <b>one</b>", "abstractText": "We deleted it.", "pubYear": "2021"}
    other = {"doi": "10.1/X", "title": "No identifier to fetch it by"}
    service.says("search", page([FOUND, new, other, new, {"pmid": "35"}], 1234, "*"))
    found = search(service, 'TITLE:"TP53"')
    assert [(d.key, d.title, d.article_id) for d in found.documents] == [
        ("pmid:33", "Loss of TP53 & more", 1),
        ("pmid:34", "New one", None),
        ("doi:10.1/x", "No identifier to fetch it by", None),
    ]
    assert found.total == 1234 and found.here == {"pmid:33": 1} and found.importable == {"pmid:34": "34"}
    assert found.documents[1].text == "We deleted it." and found.documents[1].year == 2021
    assert query("SELECT count(*) FROM article") == [(1,)]  # nothing is imported


def test_pages_are_asked_for_until_there_are_enough(service: Service) -> None:
    first = [{"pmid": str(number), "title": f"T{number}"} for number in range(1, 101)]
    second = [{"pmid": str(number), "title": f"T{number}"} for number in range(101, 151)]
    service.says("search", page(first, 999, "next one"), page(second, 999, "last"))
    assert len(search(service, "x", most=150).documents) == 150
    assert [(each["pageSize"], each["cursorMark"]) for each in asked(service)] == [("100", "*"), ("50", "next one")]


def test_pubmed_tags_and_pasted_identifiers_are_asked_for_in_the_services_words(service: Service) -> None:
    service.says("search", page([], 0, "*"))
    search(service, "TP53[ti]")
    search(service, "PMID: 33\n34, PMC44 https://doi.org/10.1038/NATURE12373.")
    pasted = '((EXT_ID:33 OR EXT_ID:34) AND SRC:MED) OR PMCID:PMC44 OR DOI:"10.1038/nature12373"'
    assert [each["query"] for each in asked(service)] == ['TITLE:"TP53"', pasted]


def test_what_of_a_paste_is_no_identifier_is_named() -> None:
    assert as_query("1 2 3 4 rubbish")[1] == ["RUBBISH is neither a PMID, PMCID nor DOI"]
    assert len(as_query(" ".join(map(str, range(1, 300))))[0].split(" OR ")) == MOST_PASTED
    assert as_query("TP53 2019")[0] == "TP53 2019"


@pytest.mark.parametrize("text", ["  ", "x" * 5000, "x[zz]"])
def test_a_query_that_cannot_be_sent_is_refused_before_anything_is_asked(service: Service, text: str) -> None:
    with pytest.raises(ValueError, match=r"empty|longer|no tag"):
        search(service, text)
    assert service.asked == []


@pytest.mark.parametrize(
    "answer", [(500, {}, b""), (404, {}, b""), (200, {}, b"<html>"), (200, {}, b'{"resultList": {"result": [1]}}')]
)
def test_an_answer_that_is_none_is_said_in_words(service: Service, answer: Any) -> None:
    service.says("search", answer)
    with pytest.raises(NoAnswer, match=r"Europe PMC (gave no answer|cannot be reached)"):
        search(service, "x")


def test_without_a_network_it_is_said_what_still_works() -> None:
    def away() -> EuropePmc:
        return EuropePmc("http://127.0.0.1:9", retries=RETRIES.new(total=0), pause=0.0)

    with pytest.raises(NoAnswer, match=r"cannot be reached .* can be searched without a network"):
        search_outside("x", client=away)
