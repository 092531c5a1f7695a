"""Commands that bring articles in, and what they are about."""

import argparse
import getpass
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import db.articles
import db.curation
from annotate.articles.document_labels import import_labels
from annotate.articles.import_report import counted
from annotate.articles.parsing.identifiers import normal_identifiers, parse_identifiers
from annotate.cli.frame.common import FAILED, Commands, Result, add_engine, code_of, engine_asked, number
from annotate.curation.outcome import Outcome
from annotate.curation.tags import known_tag
from annotate.jobs.lifecycle import AlreadyRunning
from annotate.jobs.many_articles import ACTIONS, AT_ONCE, asked, at_once, outcome_of
from annotate.jobs.monitor import Cancelled
from annotate.operations.watched_folder import FolderWatch
from annotate.project.files.characters import check_characters, text_of
from annotate.project.home import read
from annotate.project.release import PROGRAM
from annotate.project.stored_settings import change_settings, settings_now
from annotate.review.queue_settings import QueueSettings
from annotate.work import run_job


def _import(options: argparse.Namespace) -> Result:
    pmids = text_of(options.pmids).split() if options.pmids else None
    engine = engine_asked(options)
    filters: dict[str, Any] = {"match": options.match, "pmids": pmids, "propose": options.propose, **engine}
    filters["fetch"] = not options.no_fetch
    if options.watch:
        if options.paths or options.europepmc:
            raise ValueError("--watch takes one folder, and nothing else to import")
        _watch(options.watch, options.every, filters)
    payload: dict[str, Any] = filters | {"paths": [str(path.resolve()) for path in options.paths]}
    if options.europepmc:
        payload["identifiers"], bad = parse_identifiers(_text_or_file(options.europepmc))
        if bad:
            raise ValueError(f"neither PMID, PMCID nor DOI: {', '.join(bad[:20])}")
    try:
        check_characters(payload["paths"])
    except ValueError as error:
        raise ValueError(f"a name is not UTF-8: rename the file, or import its folder ({error})") from error
    if not payload["paths"] and not payload.get("identifiers"):
        raise ValueError("name at least one file or folder, or --europepmc identifiers")
    result = run_job("import", payload)
    counts = result["counts"]
    good = sum(counts.values()) - counts["failed"]
    if options.recognise:
        result |= run_job("entities", engine)
    elif good:
        result["next"] = f"{PROGRAM} entities recognise"
    if not good and not counts["failed"] and not result["left_out_by_the_filter"]:
        raise ValueError(f"no article in {', '.join(payload['paths'])}: no file there has an ending that is read")
    return (code_of(good, counts["failed"]) if good or counts["failed"] else FAILED), result


def _watch(folder: Path, seconds: float, filters: dict[str, Any]) -> NoReturn:
    """Imports new files of a folder, and goes on until it is interrupted."""
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder")
    watch = FolderWatch(folder)
    print(f"watching {watch.folder}; Ctrl-C ends it", file=sys.stderr)
    while True:
        with suppress(AlreadyRunning, Cancelled, FileNotFoundError):  # the next look asks again
            if payload := watch.look():
                result = run_job("import", payload | filters)
                print(
                    counted(result["counts"]),
                    *(": ".join(failure) for failure in result["failures"]),
                    sep="\n  ",
                    flush=True,
                )
        time.sleep(seconds)


def _text_or_file(text: str) -> str:
    with suppress(OSError):  # a list of identifiers may be too long for a file's name
        if Path(text).is_file():
            return text_of(Path(text))
    return text


def _labels_import(options: argparse.Namespace) -> Result:
    report = import_labels(options.csv)
    return code_of(report.articles, len(report.failures)), report.as_dict()


def _named(texts: list[str]) -> tuple[list[int], list[str]]:
    """(ids of the stored articles that are named by PMID, PMCID, DOI or key, or in files of such; what names none)."""
    names = [name for text in texts for name in _text_or_file(text).split()]
    found: dict[str, int | None] = {}
    with read() as session:
        for name in names:
            known = [{"key": name}, *(normal_identifiers({column: name}) for column in ("pmid", "pmcid", "doi"))]
            ids = (db.articles.find_by_name(session, **one) for one in known)
            found[name] = next((number for number in ids if number), None)
    return [number for number in found.values() if number], [name for name, number in found.items() if not number]


def _result_of(outcome: Outcome, unknown: list[str]) -> Result:
    result = {"articles": len(outcome.done), "left_out": dict(outcome.left_out), "not_stored": unknown}
    return code_of(len(outcome.done), sum(outcome.left_out.values()) + len(unknown)), result


def _done(action: str, what: str, ids: list[int], **given: object) -> Outcome:
    """Does the action on these articles at once, or as a job with a progress bar; the job goes on if this process
    dies."""
    if len(ids) <= AT_ONCE:
        return at_once(action, ids, given)
    payload = asked(action, what, ids, given)
    return outcome_of(payload, run_job(ACTIONS[action].kind, payload))


def _tag(options: argparse.Namespace) -> Result:
    ids, unknown = _named(options.articles)
    action, what = ("take_off", "Took tags off") if options.off else ("put_on", "Put tags on")
    return _result_of(_done(action, what, ids, tags=options.tag.split(";")), unknown)


def _remove(options: argparse.Namespace) -> Result:
    ids, unknown = _named(options.articles)
    if options.back:
        return _result_of(_done("take_back", "Restored", ids), unknown)
    return _result_of(_done("remove", "Removed", ids, reason=options.reason), unknown)


def _list(options: argparse.Namespace) -> Result:
    with read() as session:
        tag = known_tag(session, options.tagged)
        wanted = db.curation.Wanted(options.search, tag=tag, removed=options.removed)
        rows = db.curation.page_of_articles(session, wanted, limit=options.limit)
        tags = db.curation.tags_of(session, [row.id for row in rows])
        count = db.curation.count_listed(session, wanted)
    listed = [[row.key, row.title, "; ".join(tags.get(row.id, []))] for row in rows]
    return {"count": count, "articles": listed}


def _queue(options: argparse.Namespace) -> Result:
    with read() as session:
        before = settings_now(session, QueueSettings)
        given = {"with_tag": options.tagged, "without_tag": options.not_tagged}
        chosen: dict[str, Any] = {name: known_tag(session, tag) for name, tag in given.items() if tag is not None}
    wanted = replace(before, **chosen)
    change_settings(getpass.getuser(), wanted)
    return {"tagged": wanted.with_tag or None, "not_tagged": wanted.without_tag or None}


def _add_commands_of_many(commands: Commands) -> None:
    group = commands.group("articles")
    listing = commands.add("list", _list, "List articles, the newest first.", group)
    listing.add_argument("--search", default="", metavar="WORDS", help="words of the title, or an identifier")
    listing.add_argument("--tagged", default="", metavar="TAG", help="only those with this tag")
    listing.add_argument("--removed", action="store_true", help="those that were removed")
    listing.add_argument("--limit", type=number, default=50)
    tagging = commands.add("tag", _tag, "Add tags to articles, or remove them.", group)
    tagging.add_argument("tag", metavar="TAGS", help="words separated by semicolons")
    tagging.add_argument("--off", action="store_true", help="remove them")
    removing = commands.add("remove", _remove, "Remove articles from the project, or restore them.", group)
    removing.add_argument("--reason", default="", metavar="WHY")
    removing.add_argument("--back", action="store_true", help="restore them, with all verdicts and comments")
    queue = commands.add("queue", _queue, "Show or set the tags of articles that the queue takes.", group)
    queue.add_argument("--tagged", metavar="TAG", help='only articles that have it; "" for any')
    queue.add_argument("--not-tagged", metavar="TAG", help='no articles that have it; "" for any')
    for parser in (tagging, removing):
        parser.add_argument("articles", nargs="+", metavar="ID", help="PMID, PMCID, DOI or key, or a file of them")


def add_commands(commands: Commands) -> None:
    """Registers the commands of articles and of document labels with the parser."""
    importing = commands.add("import", _import)
    importing.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    importing.add_argument("--match", metavar="REGEX", help="only articles whose title or abstract match")
    importing.add_argument("--pmids", type=Path, metavar="FILE", help="only these PMIDs, separated by white space")
    importing.add_argument("--europepmc", metavar="IDS", help="PMIDs, PMCIDs and DOIs to fetch, or a file of them")
    importing.add_argument("--watch", type=Path, metavar="FOLDER", help="import what is put there, until interrupted")
    importing.add_argument("--every", type=number, default=10, metavar="SECONDS", help="between two looks at it")
    importing.add_argument("--propose", action="store_true", help="propose for the new articles at once")
    no_fetch = "store what RIS, BibTeX and nbib files hold, and fetch nothing that they name"
    importing.add_argument("--no-fetch", action="store_true", help=no_fetch)
    importing.add_argument("--recognise", action="store_true", help="recognise names in the new articles at once")
    add_engine(importing)

    _add_commands_of_many(commands)
    labels = commands.group("labels")
    labels_in = commands.add("import", _labels_import, "Add the document labels of a CSV.", labels)
    labels_in.add_argument("csv", type=Path)
