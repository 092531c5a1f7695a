"""Commands that bring articles in, and what they are about."""

import argparse
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from annotate.articles.document_labels import import_labels
from annotate.articles.europepmc import parse_identifiers
from annotate.articles.import_report import counted
from annotate.cli.common import FAILED, Commands, Result, code_of
from annotate.jobs.lifecycle import AlreadyRunning
from annotate.jobs.monitor import Cancelled
from annotate.operations.watched_folder import FolderWatch
from annotate.work import run_job


def _import(options: argparse.Namespace) -> Result:
    pmids = options.pmids.read_text().split() if options.pmids else None
    filters: dict[str, Any] = {"match": options.match, "pmids": pmids, "propose": options.propose}
    if options.watch:
        if options.paths or options.europepmc:
            raise ValueError("--watch takes one folder, and nothing to import beside it")
        _watch(options.watch, options.every, filters)
    payload: dict[str, Any] = filters | {"paths": [str(path.resolve()) for path in options.paths]}
    if options.europepmc:
        payload["identifiers"], bad = parse_identifiers(_text_or_file(options.europepmc))
        if bad:
            raise ValueError(f"neither PMID, PMCID nor DOI: {', '.join(bad[:20])}")
    if not payload["paths"] and not payload.get("identifiers"):
        raise ValueError("name at least one file or folder, or --europepmc identifiers")
    result = run_job("import", payload)
    counts = result["counts"]
    good = sum(counts.values()) - counts["failed"]
    if options.recognise:
        result |= run_job("entities", {})
    elif good:
        result["next"] = "python -m annotate entities recognise"
    return (code_of(good, counts["failed"]) if good or counts["failed"] else FAILED), result


def _watch(folder: Path, seconds: float, filters: dict[str, Any]) -> NoReturn:
    """Imports what is new in a folder, and goes on until it is interrupted."""
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder")
    watch = FolderWatch(folder)
    print(f"watching {watch.folder}; Ctrl-C ends it", file=sys.stderr)
    while True:
        with suppress(AlreadyRunning, Cancelled, FileNotFoundError):  # the next look asks again
            if payload := watch.look():
                result = run_job("import", payload | filters)
                print(
                    counted(result["counts"]), *(": ".join(told) for told in result["failures"]), sep="\n  ", flush=True
                )
        time.sleep(seconds)


def _text_or_file(text: str) -> str:
    with suppress(OSError):  # a list of identifiers may be too long for a file's name
        if Path(text).is_file():
            return Path(text).read_text()
    return text


def _labels_import(options: argparse.Namespace) -> Result:
    report = import_labels(options.csv)
    return code_of(report.articles, len(report.failures)), report.as_dict()


def add_commands(commands: Commands) -> None:
    """Declares the commands of articles and of document labels."""
    importing = commands.add(
        "import", _import, "Import articles: files, folders, zips, references, or Europe PMC identifiers."
    )
    importing.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    importing.add_argument("--match", metavar="REGEX", help="only articles whose title or abstract match")
    importing.add_argument("--pmids", type=Path, metavar="FILE", help="only these PMIDs, apart by white space")
    importing.add_argument("--europepmc", metavar="IDS", help="PMIDs, PMCIDs and DOIs to fetch, or a file of them")
    importing.add_argument("--watch", type=Path, metavar="FOLDER", help="import what is put there, until interrupted")
    importing.add_argument("--every", type=float, default=10, metavar="SECONDS", help="between two looks at it")
    importing.add_argument("--propose", action="store_true", help="propose for the new articles at once")
    importing.add_argument("--recognise", action="store_true", help="recognise entities in the new articles at once")

    labels = commands.group("labels", "Document labels: what articles are about.")
    labels_in = commands.add("import", _labels_import, "Add the document labels of a CSV.", labels)
    labels_in.add_argument("csv", type=Path)
