"""The command line: the same functions as the pages. `python -m annotate --help` lists the commands.

Exit codes: 0 done; 1 nothing could be done; 2 wrong usage; 3 done in part (the report names what failed);
4 a job of this kind is running already; 130 cancelled.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from annotate import (
    cli_agreement,
    cli_backup,
    cli_database,
    cli_experiment,
    cli_gold,
    cli_models,
    cli_people,
    cli_retrain,
    cli_simulate,
    logs,
    status,
)
from annotate.acting import OPERATOR, acting
from annotate.cli_common import BUSY, CANCELLED, DONE, FAILED, Commands, Result, code_of, run_job
from annotate.europepmc import parse_identifiers
from annotate.jobs import AlreadyRunning, Cancelled, run
from annotate.labels import import_labels
from annotate.sample import is_empty
from annotate.work import HANDLERS
from db.engine import DATABASE_ERRORS


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
    return (code_of(good, counts["failed"]) if good or counts["failed"] else FAILED), result


def _text_or_file(text: str) -> str:
    with suppress(OSError):  # a list of identifiers may be too long for a file's name
        if Path(text).is_file():
            return Path(text).read_text()
    return text


def _labels_import(options: argparse.Namespace) -> Result:
    report = import_labels(options.csv)
    return code_of(report.articles, len(report.failures)), report.as_dict()


def _status(_: argparse.Namespace) -> Result:
    return DONE, status.status()


def _sample(options: argparse.Namespace) -> Result:
    if options.if_empty and not is_empty():
        return DONE, {"sample": "not loaded: there are articles already"}
    return DONE, run_job("import", {"sample": True, "propose": True})


def _work(options: argparse.Namespace) -> Result:
    logs.configure()  # standard error is the job's log
    return DONE, run(options.job, HANDLERS)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m annotate", description=__doc__.partition("\n")[0])
    commands = Commands(parser)
    importing = commands.add("import", _import, "Import articles: files, folders, zips, or Europe PMC identifiers.")
    importing.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    importing.add_argument("--match", metavar="REGEX", help="only articles whose title or abstract match")
    importing.add_argument("--pmids", type=Path, metavar="FILE", help="only these PMIDs, apart by white space")
    importing.add_argument("--europepmc", metavar="IDS", help="PMIDs and PMCIDs to fetch, or a file of them")
    importing.add_argument("--propose", action="store_true", help="propose for the new articles at once")

    labels = commands.group("labels", "Document labels: genes, cells, edits.")
    labels_in = commands.add("import", _labels_import, "Add the document labels of a CSV.", labels)
    labels_in.add_argument("csv", type=Path)

    cli_gold.add_commands(commands)
    cli_models.add_commands(commands)
    cli_experiment.add_commands(commands)
    cli_simulate.add_commands(commands)
    cli_retrain.add_commands(commands)
    cli_agreement.add_commands(commands)
    cli_people.add_commands(commands)

    cli_backup.add_commands(commands)
    cli_database.add_commands(commands)
    commands.add("status", _status, "Articles, labels, versions and jobs.")
    sample = commands.add("sample", _sample, "Load the sample corpus and propose.")
    sample.add_argument("--if-empty", action="store_true")
    commands.add("work", _work, "Run a queued job (used by the app).").add_argument("job", type=int)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit code."""
    options = _parser().parse_args(arguments)
    try:
        with acting(OPERATOR):  # whoever can run this can read and write the files themselves
            code, result = options.run(options)
    except Cancelled:
        return _fail(options, CANCELLED, "cancelled")
    except KeyboardInterrupt:
        return _fail(options, CANCELLED, "interrupted")
    except AlreadyRunning as error:
        return _fail(options, BUSY, str(error))
    except (ValueError, LookupError, OSError, RuntimeError, *DATABASE_ERRORS) as error:
        return _fail(options, FAILED, str(error))
    if options.json:
        print(json.dumps({name: value for name, value in result.items() if name != "text"}, ensure_ascii=False))
    elif "text" in result:
        print(result["text"])
    else:
        _print(result)
    return code


def _fail(options: argparse.Namespace, code: int, message: str) -> int:
    print(f"error: {message}", file=sys.stderr)
    if options.json:
        print(json.dumps({"error": message}))
    return code


def _print(result: dict[str, Any], indent: str = "") -> None:
    for name, value in result.items():
        label = str(name).replace("_", " ")
        if isinstance(value, dict):
            print(f"{indent}{label}:")
            _print(value, indent + "  ")
        elif isinstance(value, list):
            print(f"{indent}{label}: {len(value)}")
            for entry in value:
                print(f"{indent}  {' | '.join(map(str, entry)) if isinstance(entry, list) else entry}")
        else:
            print(f"{indent}{label}: {f'{value:.4f}' if isinstance(value, float) else value}")
