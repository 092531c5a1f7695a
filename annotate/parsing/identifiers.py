"""Identifiers of articles, normalised or dropped: never a half-checked one."""

import re

_PMID = re.compile(r"[1-9][0-9]{0,8}")
_PMCID = re.compile(r"(?:PMC)?([1-9][0-9]{0,8})(?:\.[0-9]{1,3})?", re.IGNORECASE)
_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.[0-9]{4,9}(?:\.[0-9]+)*/\S{1,200})", re.IGNORECASE)
_YEAR = re.compile(r"(?<![0-9])(1[5-9][0-9]{2}|20[0-9]{2})(?![0-9])")


def as_pmid(text: str | None) -> str | None:
    """Returns the digits of a PMID (1 to 9, no leading zero), or None if it is none."""
    found = _PMID.fullmatch((text or "").strip())
    return found[0] if found else None


def as_pmcid(text: str | None) -> str | None:
    """Returns `PMC` + digits, without a version (`PMC12.1` gives `PMC12`), or None if it is none."""
    found = _PMCID.fullmatch((text or "").strip())
    return f"PMC{found[1]}" if found else None


def as_doi(text: str | None) -> str | None:
    """Returns a DOI in lower case without resolver or `doi:` before it, or None if it is none."""
    found = _DOI.fullmatch((text or "").strip())
    return found[1].lower() if found else None


def as_year(text: str | None) -> int | None:
    """Returns the first year from 1500 to 2099 in a text such as `2000 Nov-Dec`, or None."""
    found = _YEAR.search(text or "")
    return int(found[1]) if found else None
