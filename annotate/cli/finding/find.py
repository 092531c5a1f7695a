"""The command that asks the library a question."""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from annotate.cli.frame.common import DONE, FAILED, Commands, Result, number
from annotate.curation.tags import known_tag
from annotate.finding.find import Found, ranked, results
from annotate.finding.judged.judged_files import run_file
from annotate.finding.matching import understood
from annotate.finding.question import Facet, Filters, Question
from annotate.finding.search_vectors import store_vectors
from annotate.finding.stages import STAGES, stages_in_use
from annotate.finding.stored_sentences import StoredLibrary, key_sentences
from annotate.jobs.attending import showing
from annotate.project.home import read
from annotate.project.whole_files import write_whole
from annotate.project.words import count_of
from annotate.proposing.encoder_versions import proposing_version
from annotate.search.queries import BadQuery

# What shipped topics and the trials ask for; any other facet by --facet NAME=VALUE.
FACETS = ("gene", "cell", "edit", "disease", "organism", "intervention", "comparator", "outcome")
WITHIN = "|"  # between a facet and its synonyms


def question_of(options: argparse.Namespace) -> Question:
    """The question of a command's options. Raises ValueError for an empty one, one that cannot be understood, a
    nameless facet, an unknown tag."""
    given: dict[str, list[str]] = {name: getattr(options, name) or [] for name in FACETS}
    for text in options.facet or []:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise ValueError(f"--facet {text!r} is not NAME=VALUE")
        given.setdefault(name.strip(), []).append(value)
    facets = {name: tuple(map(facet_of, values)) for name, values in given.items() if values}
    tags = (options.tagged or (), options.not_tagged or ())
    with read() as session:
        with_tags, without = (tuple(known_tag(session, tag) for tag in each) for each in tags)
        filters = Filters((options.year_from, options.year_to), tuple(options.journal or ()), with_tags, without)
        try:
            question = understood(session, Question(options.text, facets, filters))
        except BadQuery as error:
            raise ValueError(error.pointed(options.text)) from error
    if not question.expanded:
        raise ValueError("type words, or a name such as --gene TP53")
    return question


def facet_of(text: str) -> Facet:
    """`TP53|p53` as a facet with a synonym."""
    asked, *others = [each.strip() for each in text.split(WITHIN)]
    if not asked:
        raise ValueError(f"{text!r} names nothing")
    return Facet(asked, tuple(each for each in others if each))


def stages_of(options: argparse.Namespace) -> list[str]:
    """The stages of --stages; the stages in use where it is not given."""
    if options.stages is None:
        return stages_in_use()
    return [name.strip() for name in options.stages.split(",") if name.strip()]


def _ask(options: argparse.Namespace) -> Result:
    question = question_of(options)
    library = StoredLibrary()
    order = ranked(question, library, stages_of(options))
    found = results(question, library, order, order.keys[: options.limit])
    if options.run_file:
        write_whole(options.run_file, run_file({"1": order.scores}).encode())
    sentences = key_sentences([each.article_id for each in found if each.article_id is not None])
    rows = [_as_dict(each, sentences) for each in found]
    result = {
        "question": question.expanded,
        "found": len(order.scores),
        "seconds": sum(order.seconds.values()),
        "left_out": dict(order.left_out),
        "results": rows,
    }
    return (DONE if rows or not order.left_out else FAILED), result | {"text": _shown(result, rows)}


def _as_dict(found: Found, sentences: dict[int, str]) -> dict[str, Any]:
    return {
        **{name: getattr(found, name) for name in ("key", "article_id", "score")},
        **{name: getattr(found.document, name) for name in ("title", "year", "journal")},
        "sentence": sentences.get(found.article_id or 0, ""),
        "matched": {facet: list(names) for facet, names in found.matched.items()},
        "ranks": dict(found.ranks),
    }


def _shown(result: dict[str, Any], rows: Sequence[dict[str, Any]]) -> str:
    lines = [f"{count_of(result['found'], 'article')} for: {result['question']}"]
    lines += [f"without {STAGES[name].title}: {reason}" for name, reason in result["left_out"].items()]
    for place, each in enumerate(rows, start=1):
        about = ", ".join(filter(None, (each["journal"], str(each["year"] or ""), each["key"])))
        why = [f"{STAGES[name].title} {rank}" for name, rank in each["ranks"].items()]
        why += [f"{facet}: {', '.join(names)}" for facet, names in each["matched"].items()]
        lines += ["", f"{place}. {each['title']}", f"   {about}"]
        lines += [f"   {each['sentence']}"] if each["sentence"] else []
        lines.append(f"   why: {'; '.join(why)}")
    return "\n".join(lines)


def _vectors(_options: argparse.Namespace) -> Result:
    version = proposing_version()
    with showing() as report:
        done = store_vectors(version, partial(report, "comparing articles by meaning"))
    return {"version": version.name, "articles_encoded": done}


def add_question(parser: argparse.ArgumentParser) -> None:
    """The options of a question."""
    parser.add_argument("text", nargs="?", default="", help="free text")
    for name in FACETS:
        parser.add_argument(f"--{name}", action="append", metavar="NAME", help=f"{name}; synonyms behind {WITHIN}")
    parser.add_argument("--facet", action="append", metavar="FACET=NAME", help="a name of any other kind of the topic")
    parser.add_argument("--year-from", type=int, metavar="YEAR")
    parser.add_argument("--year-to", type=int, metavar="YEAR")
    parser.add_argument("--journal", action="append", metavar="NAME", help="only from this journal")
    parser.add_argument("--tagged", action="append", metavar="TAG", help="only articles with this tag")
    parser.add_argument("--not-tagged", action="append", metavar="TAG", help="no articles with this tag")
    parser.add_argument("--stages", help=f"separated by commas, of {', '.join(STAGES)}")


def add_commands(commands: Commands) -> None:
    """Registers the commands that ask the library with the parser."""
    group = commands.group("find")
    asking = commands.add("ask", _ask, "Search the articles (the default action).", group)
    add_question(asking)
    asking.add_argument("--limit", type=number, default=50)
    asking.add_argument("--run", dest="run_file", type=Path, metavar="FILE", help="write all found as a run of TREC")
    commands.add("vectors", _vectors, "Compute what articles are compared by, of those that lack it.", group)
