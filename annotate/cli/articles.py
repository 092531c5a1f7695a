"""Commands that bring articles in, and what they are about."""

import argparse
from contextlib import suppress
from pathlib import Path
from typing import Any

from annotate.articles.document_labels import import_labels
from annotate.articles.europepmc import parse_identifiers
from annotate.cli.common import FAILED, Commands, Result, code_of
from annotate.work import run_job


def _import(options: argparse.Namespace) -> Result:
    pmids = options.pmids.read_text().split() if options.pmids else None
    payload: dict[str, Any] = {
        "paths": [str(path.resolve()) for path in options.paths],
        "match": options.match,
        "pmids": pmids,
        "propose": options.propose,
    }
    if options.europepmc:
        payload["identifiers"], bad = parse_identifiers(_text_or_file(options.europepmc))
        if bad:
            raise ValueError(f"neither PMID nor PMCID: {', '.join(bad[:20])}")
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
    importing = commands.add("import", _import, "Import articles: files, folders, zips, or Europe PMC identifiers.")
    importing.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    importing.add_argument("--match", metavar="REGEX", help="only articles whose title or abstract match")
    importing.add_argument("--pmids", type=Path, metavar="FILE", help="only these PMIDs, apart by white space")
    importing.add_argument("--europepmc", metavar="IDS", help="PMIDs and PMCIDs to fetch, or a file of them")
    importing.add_argument("--propose", action="store_true", help="propose for the new articles at once")
    importing.add_argument("--recognise", action="store_true", help="recognise entities in the new articles at once")

    labels = commands.group("labels", "Document labels: what articles are about.")
    labels_in = commands.add("import", _labels_import, "Add the document labels of a CSV.", labels)
    labels_in.add_argument("csv", type=Path)
