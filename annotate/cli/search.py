"""Commands that search stored articles, and keep the index of them."""

import argparse
import sys
from dataclasses import asdict
from typing import Any

from annotate.cli.frame.common import Commands, Result, number
from annotate.project.home import look_up, read
from annotate.project.release import PROGRAM
from annotate.project.words import count_of
from annotate.search.entries import field_names
from annotate.search.index_files import DamagedIndex, StoredIndex, bytes_on_disk, stored_index
from annotate.search.queries import And, BadQuery, Term, Years, joined, terms, written
from annotate.search.reading import read_query
from annotate.search.search import Found, Shown, pieces, search, shown, spans
from annotate.search.upkeep import catch_up
from annotate.work import run_or_attend

# On a screen that shows no colours.
OPEN, CLOSE = "[", "]"


def _index(options: argparse.Namespace) -> Result:
    result = run_or_attend("index", {"anew": True} if options.anew else {})
    index = stored_index()
    return result | ({"bytes": bytes_on_disk(index)} if index else {})


def _search(options: argparse.Namespace) -> Result:
    names = look_up(field_names)
    try:
        asked = read_query(options.query, names)
        years = [Years(options.since, options.until)] if options.since or options.until else []
        index = _up_to_date()
        with read() as session:
            node = joined(And, [asked, *years])
            found = search(session, index, node, sentences=options.sentences, limit=options.limit)
            hits = shown(session, index, asked, found.hits)
    except BadQuery as error:
        raise ValueError(error.pointed(options.query)) from error
    wanted = terms(asked)
    result = {
        "query": written(asked),
        "found": found.count,
        "any_word": found.loosened,
        "hits": [_as_dict(hit, wanted) for hit in hits],
    }
    return result | {"text": _as_text(found, hits, wanted, sentences=options.sentences)}


def _up_to_date() -> StoredIndex:
    try:
        behind = catch_up()
    except DamagedIndex as error:
        print(f"{error}; it is built again", file=sys.stderr)
        behind = 1
    if behind:
        run_or_attend("index", {})
    index = stored_index()
    if index is None:
        raise RuntimeError(f"there is no search index: build it with {PROGRAM} index")
    return index


def _as_dict(hit: Shown, wanted: list[Term]) -> dict[str, Any]:
    work = {name: getattr(hit, name) for name in ("key", "title", "journal", "year")}
    sentences = [asdict(each) | {"marked": spans(each.text, wanted)} for each in hit.sentences]
    return work | {"article": hit.article_id, "score": round(hit.score, 4), "sentences": sentences}


def _as_text(found: Found, hits: list[Shown], wanted: list[Term], *, sentences: bool) -> str:
    number = count_of(found.count, "sentence" if sentences else "article")
    lines = [number + (" hold any of the words, none holds all" if found.loosened else "")]
    for hit in hits:
        where = ", ".join(str(part) for part in (hit.journal, hit.year) if part)
        lines.append(f"\n{hit.key}  {_marked(hit.title, wanted)}" + (f" ({where})" if where else ""))
        lines += [f"  {each.position}: {_marked(each.text, wanted)}" for each in hit.sentences]
    return "\n".join(lines)


def _marked(text: str, wanted: list[Term]) -> str:
    return "".join(
        f"{OPEN}{piece}{CLOSE}" if is_marked else piece for piece, is_marked in pieces(text, spans(text, wanted))
    )


def add_commands(commands: Commands) -> None:
    """Registers the commands `search` and `index` with the parser."""
    asking = commands.add("search", _search)
    asking.add_argument("query", help='as in the page Find: "cell line" AND title:TP53 year:2015..2020')
    asking.add_argument("--sentences", action="store_true", help="find sentences, not articles")
    asking.add_argument("--limit", type=number, default=20, metavar="N", help="show at most N (20)")
    asking.add_argument("--since", type=int, metavar="YEAR", help="published in this year or later")
    asking.add_argument("--until", type=int, metavar="YEAR", help="published in this year or before")
    indexing = commands.add("index", _index)
    indexing.add_argument("--anew", action="store_true", help="build it from nothing")
