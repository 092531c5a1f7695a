"""Identifiers of articles as people and files write them, brought into the one form that is stored."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, TypedDict

_PMID = re.compile(r"(?:PMID:?\s*)?([1-9][0-9]{0,8})(?:\.0)?", re.IGNORECASE)
_PMCID = re.compile(r"(?:PMCID:?\s*)?(?:PMC)?([1-9][0-9]{0,8})(?:\.[0-9]{1,3})?", re.IGNORECASE)
_DOI = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]+)*/\S{1,200}")
_BEFORE_DOI = re.compile(r"(?:doi:\s*)?(?:(?:https?://)?(?:(?:dx|www)\.)?doi\.org/)?", re.IGNORECASE)
# A semicolon may stand in a DOI, before its last two signs: 10.1002/(SICI)1097-0134(1998)30:1<2::AID-PROT1>3.0.CO;2-A
_BETWEEN_WORDS = re.compile(r"[\s,]|;(?!\d-\w)")
# The signs of a sentence around an identifier. A DOI may hold brackets of its own.
_BEFORE, _BEHIND = "([<\"'“‘", frozenset(".\"'”’")
_LONGEST = 300  # characters of an identifier with its address and the signs around it
_BRACKETS = {")": "(", "]": "[", ">": "<"}
_YEAR = re.compile(r"(?<![0-9])(1[5-9][0-9]{2}|20[0-9]{2})(?![0-9])")


def as_pmid(text: str | None) -> str | None:
    """Returns the digits of a PMID (1 to 9, no leading zero), or None if it is none.

    `PMID:` before it and `.0` after it (a number that a spreadsheet saved) are left out.
    """
    found = _PMID.fullmatch((text or "").strip())
    return found[1] if found else None


def as_pmcid(text: str | None) -> str | None:
    """Returns `PMC` + digits, without a version (`PMC12.1` gives `PMC12`), or None if it is none."""
    found = _PMCID.fullmatch((text or "").strip())
    return f"PMC{found[1]}" if found else None


def as_doi(text: str | None) -> str | None:
    """Returns a DOI in lower case without `doi:` or the address of a resolver before it, or None if it is none."""
    bare = _bare_doi(text or "")
    return bare if _DOI.fullmatch(bare) else None


def normal_identifiers(row: dict[str, str]) -> dict[str, str]:
    """The pmid, pmcid and doi of a table's row in the form in which articles are stored; empty where absent.

    A text that is no identifier is kept, so that the message "no such article" can show it.
    """
    pmid, pmcid, doi = (row.get(name, "").strip() for name in ("pmid", "pmcid", "doi"))
    return {
        "pmid": as_pmid(pmid) or pmid,
        "pmcid": as_pmcid(pmcid) or pmcid.upper(),
        "doi": as_doi(doi) or _bare_doi(doi),
    }


def parse_identifiers(text: str) -> tuple[list[str], list[str]]:
    """PMIDs, PMCIDs and DOIs from free text (spaces, commas, lines), each once; and the words that are none."""
    good: dict[str, None] = {}
    bad: dict[str, None] = {}
    for word, known in _words(text):
        if known:
            good[known] = None
        else:
            bad[word] = None
    return list(good), list(bad)


def only_identifiers(text: str) -> bool:
    """Whether a text is a list of PMIDs, PMCIDs and DOIs, with no other word."""
    known = (known for _, known in _words(text))
    return bool(next(known, None)) and all(known)


def _words(text: str) -> Iterator[tuple[str, str | None]]:
    """Each word in capitals, without the name of its kind and signs around it, and the identifier that it is."""
    for word in _BETWEEN_WORDS.split(text):
        if bare := _without_signs(word.upper()):
            yield bare, as_pmid(bare) or (as_pmcid(bare) if bare.startswith("PMC") else None) or as_doi(bare)


def _without_signs(word: str) -> str:
    before = None if len(word) <= _LONGEST else word
    while word != before:
        before = word
        word = word.lstrip(_BEFORE).removeprefix("PMID:").removeprefix("PMCID:")
        last = word[-1:]
        if last in _BEHIND or (last in _BRACKETS and word.count(last) > word.count(_BRACKETS[last])):
            word = word[:-1]
    return word


class Identifiers(TypedDict):
    """The identifiers of an article, normalised; None where there is none."""

    pmid: str | None
    pmcid: str | None
    doi: str | None


# What files call the kinds of identifiers, and what reads each.
_KINDS: dict[str, tuple[Literal["pmid", "pmcid", "doi"], Callable[[str | None], str | None]]] = {
    "pmid": ("pmid", as_pmid),
    "pubmed": ("pmid", as_pmid),
    "pmcid": ("pmcid", as_pmcid),
    "pmc": ("pmcid", as_pmcid),
    "doi": ("doi", as_doi),
}


def identifiers_of(named: Iterable[tuple[str, str | None]]) -> Identifiers:
    """The first valid identifier of each kind among (kind, text) pairs."""
    found: Identifiers = {"pmid": None, "pmcid": None, "doi": None}
    for kind, text in named:
        if kind in _KINDS:
            name, read = _KINDS[kind]
            found[name] = found[name] or read(text)
    return found


def as_year(text: str | None) -> int | None:
    """Returns the first year from 1500 to 2099 in a text such as `2000 Nov-Dec`, or None."""
    found = _YEAR.search(text or "")
    return int(found[1]) if found else None


def _bare_doi(text: str) -> str:
    return _BEFORE_DOI.sub("", text.strip(), count=1).lower()
