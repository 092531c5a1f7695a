"""Commands of saved searches: what each finds that is new, files of results and judgements; and Europe PMC."""

import argparse
from pathlib import Path
from typing import Any

from annotate.cli.frame.common import Commands, Result, number
from annotate.finding.asking.answers import all_ranked, answered
from annotate.finding.asking.exports import FILES, MOST, file_of, import_qrels
from annotate.finding.asking.saved import Asked, Kept, mark_seen, new_since, ready_until, saved_searches
from annotate.finding.outside.service import search_outside
from annotate.finding.question import Question
from annotate.project.home import look_up
from annotate.project.whole_files import write_whole

STAGES: tuple[str, ...] = ()  # for documents from outside: the default stages


def _saved(options: argparse.Namespace) -> Result:
    searches = look_up(saved_searches, options.who)
    until = ready_until()
    rows = [_as_dict(kept, options.who) for kept in searches]
    if options.seen:
        for kept in searches:
            if kept.by == options.who:
                mark_seen(options.who, kept.id, until)
    lines = [f"{each['id']}. {each['name']}: {len(each['new'])} new since {each['seen_at'][:10]}" for each in rows]
    return {"searches": rows, "text": "\n".join(lines) or f"{options.who} has no saved search"}


def _as_dict(kept: Kept, who: str) -> dict[str, Any]:
    found = answered(kept.asked).first
    new = new_since(kept, [each.article_id for each in found]) if kept.by == who else []
    titles = {each.article_id: (each.key, each.document.title) for each in found}
    return {
        "id": kept.id,
        "name": kept.name,
        "by": kept.by,
        "shared": kept.shared,
        "seen_at": kept.seen_at,
        "new": [dict(zip(("key", "title"), titles[number], strict=True)) for number in new],
    }


def _export(options: argparse.Namespace) -> Result:
    if options.out.exists() and not options.overwrite:
        raise ValueError(f"{options.out} is there already; --overwrite writes over it")
    text = file_of(options.format, options.question, options.who, options.limit)
    write_whole(options.out, text.encode())
    return {"question": options.question, "file": str(options.out), "lines": text.count("\n")}


def _judgements(options: argparse.Namespace) -> Result:
    new, not_here = import_qrels(options.file, options.who, options.question, options.topic)
    return {"question": options.question, "judgements": new, "articles_not_here": not_here}


def _outside(options: argparse.Namespace) -> Result:
    outside = search_outside(options.query, most=options.limit)
    found = all_ranked(Asked(Question(options.query), STAGES), outside.documents)
    rows = [
        {"key": each.key, "title": each.document.title, "year": each.document.year, "here": each.key in outside.here}
        for each in found
    ]
    lines = [f"{outside.total:,} found, {len(rows)} ranked here", *outside.problems]
    lines += [f"{'*' if each['here'] else ' '} {each['key']}  {each['title']}" for each in rows]
    result = {"total": outside.total, "problems": list(outside.problems), "results": rows}
    return result | {"text": "\n".join([*lines, "* is here already"])}


def add_commands(commands: Commands) -> None:
    """Registers the commands of saved questions and of judgements with the parser."""
    group = commands.group("find")
    whose = "the person whose searches and judgements these are"
    saved = commands.add("saved", _saved, "List saved searches with the new articles of each.", group)
    saved.add_argument("--seen", action="store_true", help="then mark all as seen")
    export = commands.add("export", _export, "Write what a search finds to a file.", group)
    export.add_argument("question", type=number, help="its number, as in `find saved` or the page's address")
    export.add_argument("--format", choices=sorted(FILES), default="csv")
    export.add_argument("--out", type=Path, required=True, metavar="FILE")
    export.add_argument("--limit", type=number, default=MOST, help=f"by default {MOST:,}")
    export.add_argument("--overwrite", action="store_true", help="write over a file that is there")
    judge = commands.add("judgements", _judgements, "Take in the judgements of a TREC qrels file.", group)
    judge.add_argument("file", type=Path)
    judge.add_argument("--question", type=number, required=True)
    judge.add_argument("--topic", help="the topic of the file, where it has several")
    for parser in (saved, export, judge):
        parser.add_argument("--who", required=True, metavar="NAME", help=whose)
    outside = commands.add("outside", _outside, "Search Europe PMC, and rank what it finds; imports nothing.", group)
    outside.add_argument("query", help="in its language, with PubMed's tags, or PMIDs")
    outside.add_argument("--limit", type=number, default=50)
