"""Commands of the gold: in and out, frozen, verified, compared."""

import argparse
from pathlib import Path
from typing import Any

from annotate.cli.frame.common import Commands, Result, code_of
from annotate.gold.export_file import WRITTEN, export
from annotate.gold.formats.export import DOCUMENT_FORMATS, export_documents
from annotate.gold.import_file import DEFAULT_ANNOTATOR, import_gold
from annotate.gold.label_sets import Rule
from annotate.gold.snapshots import compare, export_snapshot, freeze, verify
from annotate.project.home import look_up
from annotate.project.words import count_of
from db.gold import snapshots


def _import(options: argparse.Namespace) -> Result:
    report = import_gold(options.file, options.annotator)
    return code_of(sum(report.matched.values()), len(report.failures)), report.as_dict()


def _export(options: argparse.Namespace) -> Result:
    if options.format:
        return export_documents(options.file, options.format)
    if options.snapshot is None:
        return export(options.file)
    return export_snapshot(options.file, options.snapshot)


def _snapshots(_: argparse.Namespace) -> Result:
    found = look_up(snapshots)
    columns = ("name", "rule", "annotator", "created_at", "created_by", "sha256")
    rows: list[dict[str, Any]] = [
        {name: getattr(row, name) for name in columns} | {"rows": row.manifest["rows"]} for row in found
    ]
    lines = [
        f"{row['name']}: {count_of(row['rows'], 'row')}, "
        f"rule {' '.join(filter(None, (row['rule'], row['annotator'])))}, "
        f"frozen {row['created_at']} by {row['created_by']}, {row['sha256']}"
        for row in rows
    ]
    return {"snapshots": rows, "text": "\n".join(lines) or "no snapshots yet"}


def _verify(options: argparse.Namespace) -> Result:
    found = verify(options.name)
    return {"snapshot": options.name, "sha256": found["sha256"], "rows": found["rows"], "sound": True}


def _compare(options: argparse.Namespace) -> Result:
    found = compare(options.before, options.after)
    counts = {name: getattr(found, name) for name in ("alike", "relabelled", "added", "removed")}
    lines = [", ".join(f"{count:,} {name}" for name, count in counts.items())]
    for row in found.differences:
        place = f"{row['pmid'] or row['title']} sentence {row['sentence_index']}"
        lines.append(f"{row['change']}: {row['before'] or '-'} > {row['after'] or '-'}  {place}: {row['sentence']}")
    return {**counts, "differences": found.differences, "text": "\n".join(lines)}


def add_commands(commands: Commands) -> None:
    """Registers the commands of gold with the parser."""
    gold = commands.group("gold")
    gold_in = commands.add("import", _import, "Store the verdicts of a gold file, matched by text.", gold)
    gold_in.add_argument("file", type=Path)
    gold_in.add_argument("--annotator", default=DEFAULT_ANNOTATOR, help="whose verdicts rows without names are")
    gold_out = commands.add("export", _export, f"Write the gold as {', '.join(WRITTEN)}, with a manifest.", gold)
    gold_out.add_argument("file", type=Path)
    which = gold_out.add_mutually_exclusive_group()
    which.add_argument("--snapshot", metavar="NAME", help="a frozen one instead of the gold as of now")
    titles = "; ".join(f"{name}: {format.title}" for name, format in DOCUMENT_FORMATS.items())
    which.add_argument("--format", choices=DOCUMENT_FORMATS, help=f"annotated articles instead of rows. {titles}")
    freezing = commands.add(
        "freeze",
        lambda options: freeze(options.name, options.rule, options.annotator).manifest,
        "Freeze the gold as of now under a name.",
        gold,
    )
    freezing.add_argument("name")
    rules = "; ".join(f"{rule}: {rule.words}" for rule in Rule)
    freezing.add_argument("--rule", choices=list(map(str, Rule)), default=str(Rule.MAJORITY), help=rules)
    freezing.add_argument("--annotator", metavar="NAME", help="whose verdicts, for the rule single")
    commands.add("snapshots", _snapshots, "List the frozen gold.", gold)
    commands.add("verify", _verify, "Hash and count a snapshot again.", gold).add_argument("name")
    comparing = commands.add("compare", _compare, "What changed from one snapshot to another.", gold)
    comparing.add_argument("before")
    comparing.add_argument("after")
