"""A question in the words of Europe PMC's search: facets, and searches with PubMed's tags printed from their tree.

Source of the fields: https://europepmc.org/searchsyntax; PubMed's tags are read where all searches are
(`annotate/search/reading.py`).
"""

import re
from collections.abc import Iterator, Mapping

from annotate.finding.question import Filters, Question
from annotate.search.queries import (
    And,
    BadQuery,
    Everything,
    Field,
    KindField,
    Node,
    Not,
    Or,
    Term,
    Years,
    joined,
    parted,
)
from annotate.search.reading import is_tagged, read_query, unknown_tag

MAX_CHARACTERS = 4_000  # of an address that servers take, escapes included
# What the service calls each field; names of our own kinds, as of the topic's, are looked for in title and abstract.
_FIELDS: dict[Field, str] = {
    Field.TEXT: "",
    Field.TITLE: "TITLE",
    Field.ABSTRACT: "ABSTRACT",
    Field.TITLE_ABSTRACT: "TITLE_ABS",
    Field.MESH: "MESH",
    Field.JOURNAL: "JOURNAL",
    Field.AUTHOR: "AUTH",
    Field.ADDRESS: "AFF",
    Field.PUBLICATION: "PUB_TYPE",
    Field.LANGUAGE: "LANG",
    **dict.fromkeys((Field.GENE, Field.CELL, Field.EDIT, Field.ORGANISM), "TITLE_ABS"),
}
_SHORT = ("ti", "ab", "tiab", "mh", "ta", "au", "ad", "dp", "pt", "la", "pmid", "tw")
FIRST_YEAR, LAST_YEAR = 1500, 3000  # the last is PubMed's own word for "until now"


def query_of(question: Question, names: Mapping[str, KindField] | None = None) -> str:
    """The question as Europe PMC reads it: every facet by any of its names in title or abstract, and the typed text.

    `names` are the topic's names of fields. Of a text that asks for what the service does not have, only the words are
    left. Empty where nothing is asked for.
    """
    parts = []
    for facet in (each for facets in question.facets.values() for each in facets):
        named = dict.fromkeys(f'TITLE_ABS:"{tidy}"' for name in facet.names if (tidy := _bare(name)))
        parts.append(f"({' OR '.join(named)})")
    parts += _typed(question, names)
    if not parts:
        return ""
    return " AND ".join([*parts, *_filtered(question.filters)])


def _typed(question: Question, names: Mapping[str, KindField] | None) -> Iterator[str]:
    """The plain words of the text, then all else that it asks for."""
    try:
        plain, rest = parted(read_query(question.text, names))
        words = " ".join(term.text for term in plain)
        others = _inside(joined(And, rest), question.text if is_tagged(question.text) else "")
    except BadQuery:
        words, others = question.words, ""
    if words := _bare(words):
        yield f"({words})"
    if others:
        yield others


def _bare(text: str) -> str:
    """Words without the signs that the language gives a meaning to, nor words that would be operators."""
    tidy = re.sub(r'["()\[\]{}:\\^~*?]', " ", text)
    return " ".join(word.lower() if word in ("AND", "OR", "NOT") else word for word in tidy.split())


def _filtered(filters: Filters) -> Iterator[str]:
    first, last = filters.years
    if first is not None or last is not None:
        yield f"PUB_YEAR:[{first or FIRST_YEAR} TO {last or LAST_YEAR}]"
    if filters.journals:
        named = [f'JOURNAL:"{_bare(journal)}"' for journal in filters.journals]
        yield f"({' OR '.join(named)})"


def from_pubmed(text: str) -> str:
    """A query with PubMed's tags in Europe PMC's words; one without any tag stays as it is. Raises BadQuery."""
    if found := unknown_tag(text):
        tags = ", ".join(f"[{tag}]" for tag in _SHORT)
        raise BadQuery(f"[{found[0]}] is no tag that is understood; there are {tags}", found[1])
    if not is_tagged(text):
        return text.strip()
    return _printed(read_query(text, outside=True), text)


def _printed(node: Node, typed: str) -> str:
    """The tree in Europe PMC's words. `typed`: the text with PubMed's tags, empty where there are none."""
    match node:
        case Term():
            return _term(node, [node.text])
        case Years(first, last):
            same = first if first == last else None
            return f"PUB_YEAR:{same}" if same else f"PUB_YEAR:[{first or FIRST_YEAR} TO {last or LAST_YEAR}]"
        case And(parts):
            return " ".join(_joined(parts, typed))
        case Or(parts):
            return " OR ".join(_inside(part, typed) for part in parts)
        case Not(part):
            return f"NOT {_inside(part, typed)}"
        case Everything():
            return ""


def _joined(parts: tuple[Node, ...], typed: str) -> Iterator[str]:
    """The wanted parts, then the unwanted; words typed side by side in one field are a phrase, as PubMed has it."""
    wanted = [part for part in parts if not isinstance(part, Not)]
    at = 0
    while at < len(wanted):
        run = [wanted[at]]
        while at + len(run) < len(wanted) and _go_on(run[-1], wanted[at + len(run)], typed):
            run.append(wanted[at + len(run)])
        yield from ("AND",) if at else ()
        words = [term.text for term in run if isinstance(term, Term)]
        yield _term(run[-1], words) if isinstance(run[-1], Term) else _inside(run[-1], typed)
        at += len(run)
    yield from (_printed(part, typed) for part in parts if isinstance(part, Not))


def _go_on(first: Node, second: Node, typed: str) -> bool:
    if not (isinstance(first, Term) and isinstance(second, Term)) or first.field is Field.TEXT:
        return False
    between = typed[first.place[1] : second.place[0]]
    return first.field is second.field and not first.phrase and not second.phrase and between.isspace()


def _inside(node: Node, typed: str) -> str:
    return f"({_printed(node, typed)})" if isinstance(node, And | Or) else _printed(node, typed)


def _term(term: Term, words: list[str]) -> str:
    """Words of a field; `term` is the last of them."""
    star = "*" * term.prefix
    if term.field is Field.KEY:
        is_doi = term.text.casefold().startswith("doi:")
        name, _, value = term.text.partition(":") if is_doi else term.text.rpartition(":")
        if value.upper().startswith("PMC"):
            return f"PMCID:{value.upper()}{star}"
        return f"EXT_ID:{value}{star}" if value.isdecimal() else f'DOI:"{value if name else term.text}{star}"'
    field = "TITLE_ABS" if isinstance(term.field, KindField) else _FIELDS.get(term.field)
    if field is None:
        raise BadQuery(f"{term.field}: cannot be asked of Europe PMC", term.place)
    text = " ".join(words) + star
    bare = " " not in text and not term.phrase and (term.prefix or not field)
    quoted = text if bare else f'"{text}"'
    return f"{field}:{quoted}" if field else quoted
