"""The command line: the same functions as the pages. `python -m annotate --help` lists the commands.

Exit codes: 0 done; 1 nothing could be done; 2 wrong usage; 3 done in part (the report names what failed);
4 a job of this kind is running already; 130 cancelled.
"""

import argparse
import getpass
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tqdm import tqdm

from annotate import status
from annotate.europepmc import parse_identifiers
from annotate.evaluate import ALL, SPLITS
from annotate.gold import current_label_set
from annotate.gold_export import FORMATS, export
from annotate.gold_import import DEFAULT_ANNOTATOR, import_gold
from annotate.home import database_path, read
from annotate.jobs import AlreadyRunning, Cancelled, run, run_here
from annotate.labels import import_labels
from annotate.propose import DEFAULT_K
from annotate.sample import is_empty
from annotate.verdicts import clean_name
from annotate.versions import TEST, find_version, promote, rollback
from annotate.work import HANDLERS, payload_of
from db.engine import DATABASE_ERRORS
from db.migrate import back_up
from model.query import GENERIC_QUERIES
from model.ranking import Ranking
from model.settings import LOSS_NAMES, Negatives, TrainingSettings

DONE, FAILED, USAGE, IN_PART, BUSY, CANCELLED = 0, 1, 2, 3, 4, 130
Result = tuple[int, dict[str, Any]]


class Bar:
    """A progress bar on standard error that follows a job's stages."""

    def __init__(self) -> None:
        self.stage = ""
        self.bar: tqdm[Any] | None = None

    def __call__(self, progress: dict[str, Any]) -> None:
        """Shows one report of a job."""
        if progress["stage"] != self.stage:
            self.close()
            self.stage = progress["stage"]
            self.bar = tqdm(desc=self.stage, total=progress["total"] or None, file=sys.stderr, leave=True)
        if self.bar is not None:
            self.bar.total = progress["total"] or None
            details = {name: value for name, value in progress.items() if name in ("loss", "pairs_per_second")}
            if details:
                self.bar.set_postfix(details, refresh=False)
            self.bar.update(progress["done"] - self.bar.n)

    def close(self) -> None:
        """Ends the bar."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None


def _job(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    bar = Bar()
    try:
        return run_here(kind, payload, HANDLERS, bar)
    finally:
        bar.close()


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
    result = _job("import", payload)
    counts = result["counts"]
    good = sum(counts.values()) - counts["failed"]
    return (_code(good, counts["failed"]) if good or counts["failed"] else FAILED), result


def _text_or_file(text: str) -> str:
    with suppress(OSError):  # a list of identifiers may be too long for a file's name
        if Path(text).is_file():
            return Path(text).read_text()
    return text


def _code(good: int, bad: int) -> int:
    return DONE if not bad else IN_PART if good else FAILED


def _labels_import(options: argparse.Namespace) -> Result:
    report = import_labels(options.csv)
    return _code(report.articles, len(report.failures)), report.as_dict()


def _gold_import(options: argparse.Namespace) -> Result:
    report = import_gold(options.file, clean_name(options.annotator))
    return _code(sum(report.matched.values()), len(report.failures)), report.as_dict()


def _gold_export(options: argparse.Namespace) -> Result:
    return DONE, export(options.file)


def _propose(options: argparse.Namespace) -> Result:
    return DONE, _job("propose", {"ranking": options.ranking, "k": options.k})


def _train(options: argparse.Namespace) -> Result:
    names = TrainingSettings.__dataclass_fields__
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    return DONE, _job("train", payload_of(TrainingSettings(**given), options.parent))


def _evaluate(options: argparse.Namespace) -> Result:
    version = find_version(options.version)
    payload = {"versions": [version.name], "rankings": [options.ranking], "split": options.split}
    result = _job("evaluate", payload)
    metrics = result["versions"][version.name][options.ranking]
    return DONE, {"version": version.name, "ranking": options.ranking, "split": options.split, **metrics}


def _promote(options: argparse.Namespace) -> Result:
    version = find_version(options.version)
    with read() as session:
        labels = current_label_set(session).split_sha256[TEST]
    promote(version.id, by=getpass.getuser(), label_set_sha256=labels, even_if_worse=options.even_if_worse)
    return DONE, {"promoted": version.name} | (_propose_again() if options.propose else {})


def _rollback(options: argparse.Namespace) -> Result:
    return DONE, {"promoted": rollback(by=getpass.getuser())} | (_propose_again() if options.propose else {})


def _propose_again() -> dict[str, Any]:
    return _job("propose", {})


def _encoder_add(options: argparse.Namespace) -> Result:
    from annotate.encoders import add_encoder  # noqa: PLC0415 (torch takes seconds to import)

    return DONE, {"version": add_encoder(options.source, options.name).name}


def _backup(options: argparse.Namespace) -> Result:
    if options.file.exists():
        raise ValueError(f"{options.file} is there already; name a new file")
    back_up(database_path(), options.file)
    return DONE, {"backup": str(options.file), "bytes": options.file.stat().st_size}


def _status(_: argparse.Namespace) -> Result:
    return DONE, status.status()


def _sample(options: argparse.Namespace) -> Result:
    if options.if_empty and not is_empty():
        return DONE, {"sample": "not loaded: there are articles already"}
    return DONE, _job("import", {"sample": True, "propose": True})


def _work(options: argparse.Namespace) -> Result:
    return DONE, run(options.job, HANDLERS)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m annotate", description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[argparse.Namespace], Result], text: str, within: Any = commands) -> Any:
        added = within.add_parser(name, help=text, description=text)
        added.add_argument("--json", action="store_true", help="print one JSON object on stdout, nothing else")
        added.set_defaults(run=run)
        return added

    def group(name: str, text: str) -> Any:
        return commands.add_parser(name, help=text).add_subparsers(required=True, metavar="ACTION")

    importing = command("import", _import, "Import articles: files, folders, zips, or Europe PMC identifiers.")
    importing.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    importing.add_argument("--match", metavar="REGEX", help="only articles whose title or abstract match")
    importing.add_argument("--pmids", type=Path, metavar="FILE", help="only these PMIDs, apart by white space")
    importing.add_argument("--europepmc", metavar="IDS", help="PMIDs and PMCIDs to fetch, or a file of them")
    importing.add_argument("--propose", action="store_true", help="propose for the new articles at once")

    labels = group("labels", "Document labels: genes, cells, edits.")
    command("import", _labels_import, "Add the document labels of a CSV.", labels).add_argument("csv", type=Path)

    gold = group("gold", "The labelled sentences.")
    gold_in = command("import", _gold_import, "Store the verdicts of a gold file, matched by text.", gold)
    gold_in.add_argument("file", type=Path)
    gold_in.add_argument("--annotator", default=DEFAULT_ANNOTATOR, help="whose verdicts rows without names are")
    gold_out = command("export", _gold_export, f"Write the gold as {', '.join(FORMATS)}, with a manifest.", gold)
    gold_out.add_argument("file", type=Path)

    proposing = command("propose", _propose, "Embed what is new and propose for all articles.")
    proposing.add_argument("--ranking", choices=list(map(str, Ranking)), default=str(Ranking.HYBRID))
    proposing.add_argument("-k", type=int, default=DEFAULT_K, help="sentences an article (default %(default)s)")

    training = command("train", _train, "Fine-tune a new version on the labels and evaluate it beside its parent.")
    training.add_argument("--parent", metavar="VERSION", help="default: the proposing version")
    own = f"one query for all articles, e.g. {GENERIC_QUERIES['query 3']!r}; default: each article's own"
    training.add_argument("--query", help=own)
    training.add_argument("--loss", choices=LOSS_NAMES)
    training.add_argument("--negatives", choices=list(map(str, Negatives)))
    for name, kind in (("margin", float), ("learning_rate", float), ("weight_decay", float)):
        training.add_argument(f"--{name.replace('_', '-')}", type=kind)
    for name in ("epochs", "batch_size", "warmup_steps", "negatives_per_key", "seed"):
        training.add_argument(f"--{name.replace('_', '-')}", type=int)

    evaluating = command("evaluate", _evaluate, "Average R-Precision and more, of a version on the labels.")
    evaluating.add_argument("--version", help="default: the proposing version")
    evaluating.add_argument("--ranking", choices=list(map(str, Ranking)), default=str(Ranking.HYBRID))
    evaluating.add_argument("--split", choices=[ALL, *SPLITS], default="test")

    promoting = command("promote", _promote, "Let a version propose from now on.")
    promoting.add_argument("version")
    promoting.add_argument("--even-if-worse", action="store_true", help="also with a lower or unknown ARP")
    back = command("rollback", _rollback, "Let the version before propose again.")
    for added in (promoting, back):
        added.add_argument("--no-propose", dest="propose", action="store_false", help="do not propose anew now")

    encoder = group("encoder", "Encoders to start from.")
    adding = command("add", _encoder_add, "Add a hub id or a local folder as a version.", encoder)
    adding.add_argument("source")
    adding.add_argument("--name", help="default: the last part of the source")

    backup = command("backup", _backup, "Write a sound copy of the database while it is in use.")
    backup.add_argument("file", type=Path)
    command("status", _status, "Articles, labels, versions and jobs.")
    command("sample", _sample, "Load the sample corpus and propose.").add_argument("--if-empty", action="store_true")
    command("work", _work, "Run a queued job (used by the app).").add_argument("job", type=int)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit code."""
    options = _parser().parse_args(arguments)
    try:
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
        print(json.dumps(result, ensure_ascii=False))
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
