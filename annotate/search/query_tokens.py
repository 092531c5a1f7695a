"""Cuts what people type into a search into words, quotations, fields, tags, parentheses and operators."""

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from annotate.search.queries import BadQuery, Field, KindField, Place

YEAR = "year"
SHORTEST_PREFIX = 2
# Names of fields as people type them before a colon.
FIELDS: dict[str, Field | str] = {
    **{str(each): each for each in Field},
    YEAR: YEAR,
    "all": Field.TEXT,
    "ti": Field.TITLE,
    "ab": Field.ABSTRACT,
    "title_abs": Field.TITLE_ABSTRACT,
    "pub_year": YEAR,
    "genes": Field.GENE,
    "cells": Field.CELL,
    "species": Field.ORGANISM,
    "pmid": Field.KEY,
    "pmcid": Field.KEY,
    "doi": Field.KEY,
    "auth": Field.AUTHOR,
    "lang": Field.LANGUAGE,
}
# The tags that PubMed writes in brackets behind a word.
TAGS: dict[str, Field | str] = {
    **dict.fromkeys(("all", "all fields", "tw", "text word", "text words", "ot"), Field.TEXT),
    **dict.fromkeys(("ti", "title"), Field.TITLE),
    **dict.fromkeys(("ab", "abstract"), Field.ABSTRACT),
    **dict.fromkeys(("tiab", "title/abstract"), Field.TITLE_ABSTRACT),
    **dict.fromkeys(("ta", "jour", "journal"), Field.JOURNAL),
    **dict.fromkeys(("dp", "pdat", "year", "publication date", "date - publication"), YEAR),
    **dict.fromkeys(
        ("mh", "mesh", "mesh terms", "mh:noexp", "mesh:noexp", "majr", "mesh major topic", "sh", "nm"), Field.MESH
    ),
    **dict.fromkeys(("pmid", "uid"), Field.KEY),
    **dict.fromkeys(("au", "author", "1au", "first author", "lastau", "fau"), Field.AUTHOR),
    **dict.fromkeys(("ad", "affiliation"), Field.ADDRESS),
    **dict.fromkeys(("pt", "publication type"), Field.PUBLICATION),
    **dict.fromkeys(("la", "language"), Field.LANGUAGE),
}
# PubMed has these, Keyline stores none of them.
NOT_STORED: dict[Field | str | None, str] = {
    Field.AUTHOR: "authors",
    Field.ADDRESS: "the addresses of authors",
    Field.PUBLICATION: "kinds of publications",
    Field.LANGUAGE: "languages",
}
FILTERS = ("sb", "filter")  # of PubMed's own; others do not have them

_QUOTES = '"“”„'
_TOKEN = re.compile(
    rf"\s+|(?P<paren>[()])|[{_QUOTES}](?P<quoted>[^{_QUOTES}]*)[{_QUOTES}](?P<on>\*?)|(?P<quote>[{_QUOTES}])"
    rf"|\[(?P<tag>[^\[\]{_QUOTES}]{{1,40}})\]|(?P<field>[A-Za-z_]{{2,12}}):|(?P<word>[^\s(){_QUOTES}\[]+|\[)"
)
# "2015/01/01"[dp] : "2020/12/31"[dp], as PubMed writes a range; its last tag stands behind.
_BETWEEN = re.compile(
    r"""("?)(?P<first>\d{4})[\d/]*\1\s*(?:\[[^\[\]]*\]\s*)?:\s*("?)(?P<last>\d{4})[\d/]*\3(?=\s*\[)"""
)
_BRACKETS = re.compile(rf"[{_QUOTES}][^{_QUOTES}]*[{_QUOTES}]|\[(?P<tag>[^\[\]]*)\](?!\w)")
_RANGE = re.compile(r"\[\S+ TO \S+\]")
# What follows a field whose values hold signs of their own: 10.1/a:b, 2015..2020, >=2015.
_VALUE = re.compile(rf"\s*([^\s(){_QUOTES}]+)")


@dataclass(frozen=True, slots=True)
class Token:
    """One piece. `kind`: "(", ")", AND, OR, NOT, field, tag, word, quoted or value; `where` of a tagged word."""

    kind: str
    text: str
    place: Place
    prefix: bool = False
    where: Field | KindField | str | None = None


def tokens_of(typed: str, names: Mapping[str, KindField], *, outside: bool = False) -> list[Token]:
    """The pieces of a search in order; tags are put on the words before them, and stay behind a parenthesis.

    `names` are further names of fields. `outside`: what is not stored may be asked for. Signs alone, as "+", are left
    out. Raises BadQuery.
    """
    found: list[Token] = []
    known: dict[str, Field | KindField | str] = FIELDS | {name.casefold(): each for name, each in names.items()}
    # Two years without quotes and tags between, as long as before: places in what was typed stay as they are.
    plain = _BETWEEN.sub(lambda match: f"{match['first']}:{match['last']}".ljust(len(match[0])), typed)
    for token in _cut(plain, known):
        if token.where in NOT_STORED and not outside:
            shown = f"[{token.text}]" if token.kind == "tag" else f"{token.text}:"
            raise BadQuery(f"{shown} cannot be asked for: {NOT_STORED[token.where]} are not stored", token.place)
        if token.kind != "tag" or (found and found[-1].kind == ")"):
            found.append(token)
        else:
            _put_on(found, token)
    return found


def unknown_tag(typed: str) -> tuple[str, Place] | None:
    """What stands in brackets behind a word and is no tag, and where; a range of Europe PMC is none either."""
    for match in _BRACKETS.finditer(typed):
        inside = match["tag"]
        if inside is not None and inside.strip().casefold() not in TAGS and not _RANGE.fullmatch(match[0]):
            return inside, match.span()
    return None


def is_tagged(typed: str) -> bool:
    """Whether any part of it bears a tag of PubMed."""
    found = (match["tag"] for match in _BRACKETS.finditer(typed))
    return any(tag is not None and tag.strip().casefold() in TAGS for tag in found)


def _put_on(found: list[Token], tag: Token) -> None:
    """Puts a tag on the words before it: on the last one where it is a quotation or the tag a year."""
    if not found or found[-1].kind not in ("word", "quoted") or found[-1].where is not None:
        raise BadQuery(f"no word stands before [{tag.text}]", tag.place)
    at = len(found) - 1
    found[at] = replace(found[at], where=tag.where)
    if found[at].kind == "quoted" or tag.where == YEAR:
        return
    while at and found[at - 1].kind == "word" and found[at - 1].where is None:
        if at > 1 and found[at - 2].kind == "field":
            return
        at -= 1
        found[at] = replace(found[at], where=tag.where)


def _cut(typed: str, fields: Mapping[str, Field | KindField | str]) -> Iterator[Token]:
    at = 0
    while at < len(typed):
        match = _TOKEN.match(typed, at)
        if match is None:  # pragma: no cover (any character begins a piece)
            raise BadQuery("this cannot be read", (at, at + 1))
        groups, start, at = match.groupdict(), at, match.end()
        if groups["paren"]:
            yield Token(groups["paren"], groups["paren"], (start, at))
        elif groups["quote"]:
            raise BadQuery("the quotation that begins here has no end", (start, at))
        elif groups["quoted"] is not None:
            yield from _word("quoted", groups["quoted"] + groups["on"], (start, at))
        elif groups["tag"] and (tag := _tag(groups["tag"], (start, at))):
            yield tag
        elif groups["field"] and (field := _field(groups["field"], fields, (start, at))):
            yield field
            if field.where in (YEAR, Field.KEY) and (value := _VALUE.match(typed, at)):
                at = value.end()
                before = "" if field.text in (YEAR, "pub_year", "key") else f"{field.text}:"
                yield Token("value", before + value[1], value.span(1))
        elif not match[0].isspace():
            at = _end_of_word(typed, start)
            yield from _word("word", typed[start:at], (start, at))


def _end_of_word(typed: str, start: int) -> int:
    """Where a word ends: at a space, a parenthesis, a quotation or a tag; other brackets and colons are part of it."""
    at = start
    while at < len(typed) and not typed[at].isspace() and typed[at] not in "()" + _QUOTES:
        match = _TOKEN.match(typed, at)
        if at > start and match and match["tag"] and match["tag"].strip().casefold() in {*TAGS, *FILTERS}:
            break
        at += 1
    return at


def _word(kind: str, text: str, place: Place) -> Iterator[Token]:
    if kind == "word" and text in ("AND", "OR", "NOT"):
        yield Token(text, text, place)
        return
    bare = text.rstrip("*").strip()
    letters = sum(map(str.isalnum, bare))
    prefix = text.rstrip().endswith("*")
    if prefix and 0 < letters < SHORTEST_PREFIX:
        raise BadQuery(f"at least {SHORTEST_PREFIX} letters must stand before *", place)
    if letters:
        yield Token(kind, bare, place, prefix)


def _tag(name: str, place: Place) -> Token | None:
    known = name.strip().casefold()
    if known in FILTERS:
        raise BadQuery(f"[{name}] cannot be asked for: filters of PubMed are not stored", place)
    return Token("tag", name, place, where=TAGS[known]) if known in TAGS else None


def _field(name: str, fields: Mapping[str, Field | KindField | str], place: Place) -> Token | None:
    known = name.casefold()
    if known in fields:
        return Token("field", known, place, where=fields[known])
    if name.islower() and (meant := difflib.get_close_matches(known, fields, 1, 0.75)):
        raise BadQuery(f"there is no field {name}, did you mean {meant[0]}?", place)
    return None
