"""Reads what people type into a search: words, "phrases", AND OR NOT, parentheses, fields, and PubMed's tags."""

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from annotate.search.queries import (
    And,
    BadQuery,
    Everything,
    Field,
    KindField,
    Node,
    Not,
    Or,
    Place,
    Term,
    Years,
    joined,
)
from model.names import alike_as_asked

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
_END = re.compile(r"[\s*]+$")  # of a word or quotation: stars, also with space between
_RANGE = re.compile(r"\[\S+ TO \S+\]")
# What follows a field whose values hold signs of their own: 10.1/a:b, 2015..2020, >=2015.
_VALUE = re.compile(rf"\s*([^\s(){_QUOTES}]+)")
_KEY = re.compile(rf"\s*([^\s(){_QUOTES}][^\s{_QUOTES}]*)")  # of DOIs, which may hold parentheses


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

    `names` are further names of fields. `outside`: what is not stored may be asked for. Words of signs, as "+", are
    left out. Raises BadQuery."""
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
            pattern = _VALUE if field.where == YEAR else _KEY if field.where is Field.KEY else None
            if pattern and (value := pattern.match(typed, at)):
                text = _without_closing(value[1])
                at = value.start(1) + len(text)
                place = (value.start(1), at)
                before = "" if field.text in (YEAR, "pub_year", "key") else f"{field.text}:"
                bare, prefix = (text, False) if field.where == YEAR else _without_star(text, place)
                yield Token("value", before + bare, place, prefix)
        elif not match[0].isspace():
            at = _end_of_word(typed, start)
            yield from _word("word", typed[start:at], (start, at))


def _without_closing(value: str) -> str:
    """A value without the parentheses at its end that close none of its own."""
    while value.endswith(")") and value.count(")") > value.count("("):
        value = value[:-1]
    return value


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
    elif any(map(str.isalnum, text)):
        bare, prefix = _without_star(text, place)
        yield Token(kind, bare, place, prefix)


def _without_star(text: str, place: Place) -> tuple[str, bool]:
    """A text without stars at its end, and whether it had one. Raises BadQuery where too little stands before it."""
    bare, prefix = _END.sub("", text).strip(), text.rstrip().endswith("*")
    if prefix and sum(map(str.isalnum, bare)) < SHORTEST_PREFIX:
        raise BadQuery(f"at least {SHORTEST_PREFIX} letters must stand before *", place)
    return bare, prefix


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


LONGEST = 4_000  # characters
MOST_WORDS = 300
DEEPEST = 40  # parentheses and NOTs within each other

_DAY = r"(?P<{}>\d{{4}})(?:/\d{{1,2}}){{0,2}}"
_YEARS = re.compile(rf"(?:{_DAY.format('first')})?(?P<to>\.\.|-|:)?(?:{_DAY.format('last')})?")
_BOUND = re.compile(r"(?P<sign>[<>]=?)(?P<year>\d{4})")
_OPERANDS = frozenset({"(", "field", "word", "quoted", "NOT"})


def read_query(typed: str, names: Mapping[str, KindField] | None = None, *, outside: bool = False) -> Node:
    """The tree of the typed question; Everything for an empty one. `names` are further names of fields, the topic's.
    `outside`: the question is for another service, so that fields that are not stored may be asked for.

    Words side by side are all wanted. NOT binds before AND, AND before OR. Raises BadQuery, and nothing else.
    """
    if len(typed) > LONGEST:
        raise BadQuery(f"a search has at most {LONGEST:,} characters, this one has {len(typed):,}")
    tokens = tokens_of(typed, names or {}, outside=outside)
    if sum(token.kind in ("word", "quoted") for token in tokens) > MOST_WORDS:
        raise BadQuery(f"a search has at most {MOST_WORDS} words and phrases")
    return _Reader(tokens, len(typed)).whole()


class _Reader:
    """Reads the pieces of one search from left to right."""

    def __init__(self, tokens: list[Token], length: int) -> None:
        self.tokens = tokens
        self.at = 0
        self.end = Token("", "", (max(0, length - 1), length))
        self.depth = 0

    def whole(self) -> Node:
        if not self.tokens:
            return Everything()
        node = self._either()
        if self._now.kind == ")":
            raise BadQuery("this parenthesis closes none", self._now.place)
        return node

    @property
    def _now(self) -> Token:
        return self.tokens[self.at] if self.at < len(self.tokens) else self.end

    def _take(self) -> Token:
        token = self._now
        self.at += 1
        return token

    def _either(self) -> Node:
        parts = [self._both()]
        while self._now.kind == "OR":
            self._take()
            parts.append(self._both())
        return joined(Or, parts)

    def _both(self) -> Node:
        parts = [self._negated()]
        while self._now.kind == "AND" or self._now.kind in _OPERANDS:
            if self._now.kind == "AND":
                self._take()
                parts.append(self._negated())
                continue
            part = self._negated()
            if name := _one_name(parts[-1], part):
                parts[-1] = name
            else:
                parts.append(part)
        return joined(And, parts)

    def _negated(self) -> Node:
        if self._now.kind != "NOT":
            return self._operand()
        self._deeper(self._take().place)
        part = self._negated()
        self.depth -= 1
        return part if isinstance(part, Everything) else Not(part)

    def _deeper(self, place: Place) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise BadQuery(f"more than {DEEPEST} parentheses stand within each other", place)

    def _operand(self) -> Node:
        token = self._take()
        if token.kind == "(":
            return self._group(token)
        if token.kind == "field":
            return self._in_field(token)
        if token.kind in ("word", "quoted"):
            return _term(token, token.where or Field.TEXT)
        before = self.tokens[self.at - 2] if 1 < self.at <= len(self.tokens) + 1 else None
        if before is not None and before.kind in ("AND", "OR", "NOT"):
            raise BadQuery(f"a word is missing after {before.text}", before.place)
        if token.kind in ("AND", "OR"):
            raise BadQuery(f"a word is missing before {token.text}", token.place)
        raise BadQuery("a word is missing here", token.place)

    def _group(self, opened: Token) -> Node:
        self._deeper(opened.place)
        node = Everything() if self._now.kind == ")" else self._either()
        if self._now.kind != ")":
            raise BadQuery("this parenthesis is not closed", opened.place)
        self._take()
        self.depth -= 1
        if self._now.kind == "tag":
            tag = self._take()
            return _within(node, tag.where or Field.TEXT, tag.place)
        return node

    def _in_field(self, field: Token) -> Node:
        where = field.where or Field.TEXT
        value = self._take()
        if value.kind == "(":
            return _within(self._group(value), where, field.place)
        if value.kind in ("word", "quoted", "value"):
            return _term(value, value.where or where)
        raise BadQuery(f"nothing stands after {field.text}:", field.place)


def _term(token: Token, where: Field | KindField | str) -> Node:
    if where == YEAR:
        return _years(token)
    return Term(token.text, _as_field(where), token.kind == "quoted", token.prefix, token.place)


def _as_field(where: Field | KindField | str) -> Field | KindField:
    return where if isinstance(where, KindField) else Field(where)


def _one_name(first: Node, second: Node) -> Term | None:
    """Two words that write one name, as one term: IFN gamma, TGF beta 1, caspase III; None for any others."""
    if not (isinstance(first, Term) and isinstance(second, Term)) or first.field is not second.field:
        return None
    if first.phrase or second.phrase or first.prefix or second.prefix or first.is_name:
        return None
    together = f"{first.text} {second.text}"
    if alike_as_asked(together) == f"{alike_as_asked(first.text)} {alike_as_asked(second.text)}":
        return None
    return replace(first, text=together, place=(first.place[0], second.place[1]))


def _years(token: Token) -> Years:
    if bound := _BOUND.fullmatch(token.text):
        year = int(bound["year"])
        if bound["sign"].startswith(">"):
            return Years(year + (bound["sign"] == ">"), None, token.place)
        return Years(None, year - (bound["sign"] == "<"), token.place)
    found = _YEARS.fullmatch(token.text)
    if not found or not (found["first"] or found["last"]) or (found["first"] and found["last"] and not found["to"]):
        raise BadQuery("a year is written 2015, 2015..2020, 2015.. or ..2020", token.place)
    first, last = (int(year) if year else None for year in found.group("first", "last"))
    if not found["to"]:
        last = first
    if first is not None and last is not None and first > last:
        raise BadQuery(f"{first} is after {last}", token.place)
    return Years(first, last, token.place)


def _within(node: Node, where: Field | KindField | str, place: Place) -> Node:
    """The node with its words looked for in a field, but for those that say another."""
    match node:
        case Term(_, Field.TEXT):
            if where == YEAR:
                raise BadQuery("years are written without parentheses: year:2015..2020", place)
            return replace(node, field=_as_field(where))
        case And(parts) | Or(parts):
            return type(node)(tuple(_within(part, where, place) for part in parts))
        case Not(part):
            return Not(_within(part, where, place))
        case _:
            return node
