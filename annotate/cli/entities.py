"""Commands of entities: vocabularies, taggers, and how good they are."""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotate.cli.frame.common import Commands, Result, add_engine, engine_asked
from annotate.entities.corpora import content_hash, read_corpus
from annotate.entities.train_taggers import evaluate, train
from annotate.entities.vocabularies import described, load_vocabulary, remove_tables
from annotate.jobs.attending import showing
from annotate.project.words import count_of
from annotate.topics.vocabularies import vocabulary_named
from annotate.work import run_job
from model.entity_types import EntityType


def _evaluate(options: argparse.Namespace) -> Result:
    figures, seen = evaluate(options.corpus)
    if seen:
        print(f"{seen:,} of the documents are among those that the tagger was trained on", file=sys.stderr)
    return figures


def _train(options: argparse.Namespace) -> Result:
    types = [EntityType(name) for name in options.types] if options.types else tuple(EntityType)
    left_out = {content_hash(document) for path in options.without for document in read_corpus(path)}
    with showing() as report:
        trained = train(
            options.corpora, types, report=report, keep=lambda document: content_hash(document) not in left_out
        )
    return trained | {"text": _as_text(trained)}


def _as_text(trained: Mapping[str, Any]) -> str:
    lines = [f"taggers trained: {', '.join(trained['types'])}"]
    for corpus in trained["corpora"]:
        lines.append(f"{corpus['file']}, {count_of(corpus['documents'], 'document')}, by type:")
        lines += [f"  {name}: {count:,}" for name, count in corpus["mentions"].most_common()]
    return "\n".join(lines)


def _import(options: argparse.Namespace) -> Result:
    with showing() as report:
        results = [load_vocabulary(path, progress=lambda rows: report("reading", rows, 0)) for path in options.files]
    return {"loaded": results}


def add_commands(commands: Commands) -> None:
    """Registers the commands of entities and vocabularies with the parser."""
    entities = commands.group("entities")
    add_engine(
        commands.add(
            "recognise",
            lambda options: run_job("entities", engine_asked(options)),
            "Recognise names in the articles not yet seen.",
            entities,
        )
    )
    measured = commands.add("evaluate", _evaluate, "Measure recognition on a labelled corpus.", entities)
    measured.add_argument("corpus", type=Path, help="JSON lines, PubTator or BioC, also compressed by gzip")
    trained = commands.add("train", _train, "Train the taggers on labelled corpora.", entities)
    trained.add_argument("corpora", type=Path, nargs="+", help="the first one sets how mentions are marked")
    trained.add_argument("--types", nargs="+", choices=[str(kind) for kind in EntityType], help="by default all")

    trained.add_argument(
        "--without", type=Path, nargs="+", default=[], metavar="CORPUS", help="learn from no document that is in these"
    )

    vocabulary = commands.group("vocabulary")
    loaded = commands.add("import", _import, "Load official files of names.", vocabulary)
    loaded.add_argument("files", type=Path, nargs="+", metavar="FILE")
    commands.add(
        "list", lambda _: {"vocabularies": described()}, "List the vocabularies, their versions and hashes.", vocabulary
    )
    reset = commands.add(
        "reset",
        lambda options: {"tables_removed": remove_tables(vocabulary_named(options.vocabulary))},
        "Go back to the embedded names of a vocabulary.",
        vocabulary,
    )
    reset.add_argument("vocabulary")
