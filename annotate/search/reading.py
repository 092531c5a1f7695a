"""Reads what people type into a search: words, "phrases", AND OR NOT, parentheses, fields, and PubMed's tags."""

import re
from collections.abc import Mapping
from dataclasses import replace

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
    all_of,
    any_of,
)
from annotate.search.query_tokens import YEAR, Token, tokens_of
from model.names import alike_as_asked

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
        return any_of(parts)

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
        return all_of(parts)

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
    return Term(token.text, _field(where), token.kind == "quoted", token.prefix, token.place)


def _field(where: Field | KindField | str) -> Field | KindField:
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
            return replace(node, field=_field(where))
        case And(parts) | Or(parts):
            return type(node)(tuple(_within(part, where, place) for part in parts))
        case Not(part):
            return Not(_within(part, where, place))
        case _:
            return node
