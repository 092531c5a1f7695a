"""A question in the words of Europe PMC's search, and a query for PubMed translated into them.

Source of the fields: https://europepmc.org/searchsyntax; of PubMed's tags: https://pubmed.ncbi.nlm.nih.gov/help/#search-tags.
"""

import re
from collections.abc import Iterator

from annotate.finding.question import Facet, Filters, Question

MAX_CHARACTERS = 4_000  # of an address that servers take, with what is escaped
# PubMed's tags, in small letters, by the field that stands for each; "" for those that are of every field.
_FIELDS = {
    **dict.fromkeys(("ti", "title"), "TITLE"),
    **dict.fromkeys(("ab", "abstract"), "ABSTRACT"),
    **dict.fromkeys(("tiab", "title/abstract"), "TITLE_ABS"),
    **dict.fromkeys(("mh", "mesh", "mesh terms", "majr", "mesh major topic", "mesh:noexp", "mh:noexp"), "MESH"),
    **dict.fromkeys(("ot", "other term"), "KW"),
    **dict.fromkeys(("ta", "journal", "jour"), "JOURNAL"),
    **dict.fromkeys(("au", "author"), "AUTH"),
    **dict.fromkeys(("pt", "publication type"), "PUB_TYPE"),
    **dict.fromkeys(("la", "language"), "LANG"),
    **dict.fromkeys(("pmid", "uid"), "EXT_ID"),
    **dict.fromkeys(("dp", "pdat", "date - publication"), "PUB_YEAR"),
    **dict.fromkeys(("tw", "text word", "all", "all fields"), ""),
}
# What is quoted, a tag, a bracket, an operator, or the words up to the next of these.
_PIECES = re.compile(
    r"""\s*("[^"]*"?\s*(?:\[[^\]]*\])?|\[[^\]]*\]|\(|\)|\b(?:AND|OR|NOT)\b"""
    r"""|(?:(?!\b(?:AND|OR|NOT)\b)[^()"\[])+)"""
)
_QUOTED_YEARS = re.compile(r'"(\d{4})[\d/]*"\s*:\s*"(\d{4})[\d/]*"')
_TAGGED = re.compile(r"^(.*?)\s*\[([^\]]*)\]$", re.DOTALL)
_YEARS = re.compile(r'^"?(\d{4})[\d/]*"?\s*(?::\s*"?(\d{4})[\d/]*"?)?$')
LAST_YEAR = 3000  # PubMed's own word for "until now"


class UnknownTag(ValueError):
    """A tag in brackets that nothing stands for; the message names it."""


def query_of(question: Question) -> str:
    """The question as Europe PMC reads it: every facet by any of its names in title or abstract, and the free words.

    Empty where nothing is asked for.
    """
    parts = [_any_of(facet) for facets in question.facets.values() for facet in facets]
    if words := _bare(question.text):
        parts.append(f"({words})")
    if not parts:
        return ""
    return " AND ".join([*parts, *_filtered(question.filters)])


def _any_of(facet: Facet) -> str:
    named = dict.fromkeys(f'TITLE_ABS:"{tidy}"' for name in facet.names if (tidy := _bare(name)))
    return f"({' OR '.join(named)})"


def _bare(text: str) -> str:
    """Words without the signs that the language gives a meaning to, nor words that would be operators."""
    tidy = re.sub(r'["()\[\]{}:\\^~*?]', " ", text)
    return " ".join(word.lower() if word in ("AND", "OR", "NOT") else word for word in tidy.split())


def _filtered(filters: Filters) -> Iterator[str]:
    first, last = filters.years
    if first is not None or last is not None:
        yield f"PUB_YEAR:[{first or 1500} TO {last or LAST_YEAR}]"
    if filters.journals:
        named = [f'JOURNAL:"{_bare(journal)}"' for journal in filters.journals]
        yield f"({' OR '.join(named)})"


def from_pubmed(text: str) -> str:
    """A query with PubMed's tags in Europe PMC's words; one without any tag stays as it is. Raises UnknownTag."""
    if "[" not in text or "TO" in text.split("[", 1)[1].split("]", 1)[0].split():  # a range, which is Europe PMC's own
        return text.strip()
    pieces = [piece.strip() for piece in _PIECES.findall(_QUOTED_YEARS.sub(r"\1:\2", text)) if piece.strip()]
    joined: list[str] = []
    for piece in pieces:  # a tag that stands behind its words alone
        if piece.startswith("[") and joined:
            joined[-1] += piece
        else:
            joined.append(piece)
    return " ".join(_translated(piece) for piece in joined).replace("( ", "(").replace(" )", ")")


def _translated(piece: str) -> str:
    found = _TAGGED.match(piece)
    if found is None:
        return piece
    words, tag = found[1].strip(), " ".join(found[2].lower().split())
    if tag not in _FIELDS:
        raise UnknownTag(f"[{found[2]}] is no tag that is understood; there are {', '.join(f'[{t}]' for t in _SHORT)}")
    field = _FIELDS[tag]
    if field == "PUB_YEAR":
        return _years(words)
    return _of_field(field, words)


_SHORT = ("ti", "ab", "tiab", "mh", "ta", "au", "dp", "pt", "la", "pmid", "tw")


def _years(words: str) -> str:
    found = _YEARS.match(words)
    if found is None:
        raise UnknownTag(f"{words!r} before [dp] is no year, nor years such as 2015:2020")
    return f"PUB_YEAR:[{found[1]} TO {found[2]}]" if found[2] else f"PUB_YEAR:{found[1]}"


def _of_field(field: str, words: str) -> str:
    bare = words.strip('" ')
    quoted = bare if bare.endswith("*") and " " not in bare else f'"{bare}"'
    return f"{field}:{quoted}" if field else quoted
