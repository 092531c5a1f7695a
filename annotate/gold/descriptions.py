"""What a zip of gold says of itself to other programs: croissant.json and ro-crate-metadata.json, behind its files.

Croissant 1.0 (https://docs.mlcommons.org/croissant/docs/croissant-spec-1.0.html) tells the columns, so that a program
loads the rows by it; RO-Crate 1.3 (https://w3id.org/ro/crate/1.3) tells what it is, whose, and under which licences.
All that they say is read off the rows: equal gold makes equal bytes.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files as resources
from pathlib import PurePath
from typing import Any

from annotate.gold.rows import GoldRow
from annotate.project.words import count_of
from annotate.topics.label_columns import about_column

TITLE = "Key sentences of biomedical articles"
CROISSANT, CRATE = "croissant.json", "ro-crate-metadata.json"
CRATE_FORM = "https://w3id.org/ro/crate/1.3"
JSON_LINES = ".jsonl"
MEDIA = {
    ".csv": "text/csv", JSON_LINES: "application/jsonlines", ".md": "text/markdown",
    ".xml": "application/xml", ".xmi": "application/vnd.xmi+xml",
}  # fmt: skip
INTEGERS = ("sentence_index", "paragraph_start", "paragraph_end")
NOT_STATED = "not stated"


@dataclass(frozen=True, slots=True)
class _File:
    """A file of the zip; only rows as JSON lines have columns."""

    name: str
    size: int
    sha256: str
    columns: tuple[str, ...]

    @property
    def attributes(self) -> dict[str, str]:
        """What both descriptions say of it."""
        media = MEDIA.get(PurePath(self.name).suffix, "text/plain")
        return {"name": self.name, "contentSize": str(self.size), "encodingFormat": media, "sha256": self.sha256}


def described(files: Iterable[tuple[str, bytes]], rows: Sequence[GoldRow]) -> Iterator[tuple[str, bytes]]:
    """The files of a zip, (name, content), and the two that describe them. `rows`: its gold, complete when the last
    file has been taken."""
    found = []
    for name, content in files:
        first = content.partition(b"\n")[0] if name.endswith(JSON_LINES) else b""
        digest = hashlib.sha256(content).hexdigest()
        found.append(_File(name, len(content), digest, tuple(json.loads(first)) if first else ()))
        yield name, content
    yield CROISSANT, as_json(_croissant(rows, found))
    yield CRATE, as_json(_crate(rows, found))


def as_json(content: dict[str, Any]) -> bytes:
    """What a manifest or a description says, as its file holds it."""
    return json.dumps(content, indent=2, ensure_ascii=False).encode()


def licences_of(rows: Iterable[GoldRow]) -> Counter[str]:
    """How many articles have each licence; old snapshots tell their articles by PMID, PMCID, DOI or title."""
    names = ("article", "pmid", "pmcid", "doi", "title")
    by_article = {next(filter(None, map(row.get, names)), ""): row.get("licence") or NOT_STATED for row in rows}
    return Counter(by_article.values())


def counted(counts: Mapping[str, int]) -> str:
    """Counts in words: "3 CC BY, 1 not stated"."""
    return ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items()))


def summary_of(rows: Sequence[GoldRow]) -> str:
    """The first sentence of all descriptions: how many labelled sentences of how many articles there are."""
    labels, articles = Counter(row["label"] for row in rows), licences_of(rows).total()
    sentences = f"{count_of(len(rows), 'labelled sentence')} of {count_of(articles, 'article')}"
    return f"{sentences}, exported from Keyline: {counted(labels)}."


def licences_sentence(rows: Sequence[GoldRow]) -> str:
    """The sentence on licences of all descriptions."""
    return f"The sentences are quoted from the articles and under their licences: {counted(licences_of(rows))}."


def _about(rows: Sequence[GoldRow]) -> dict[str, str]:
    """What both descriptions say of the whole. Its version is the day of the last verdict that its labels follow."""
    day = max((row["time"][:10] for row in rows), default="1970-01-01")
    return {
        "name": TITLE,
        "description": f"{summary_of(rows)} A row is a sentence with its label, who said so, and where it stands.",
        "version": ".".join(str(int(part)) for part in day.split("-")),
        "datePublished": day,
    }


def _people(rows: Sequence[GoldRow]) -> list[str]:
    """Whose verdicts and decisions the labels are, as the rows name them."""
    named = (name for row in rows for name in (*row["annotators"].split("; "), row.get("decided_by", "")))
    return sorted({*named} - {""})


def _croissant(rows: Sequence[GoldRow], files: Sequence[_File]) -> dict[str, Any]:
    objects = [
        {"@type": "cr:FileObject", "@id": file.name, "contentUrl": file.name, **file.attributes} for file in files
    ]
    return {
        "@context": json.loads((resources("annotate.gold") / "croissant_context.json").read_text(encoding="utf-8")),
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        **_about(rows),
        "license": licences_sentence(rows),
        "creator": [{"@type": "sc:Person", "name": name} for name in _people(rows)],
        "distribution": objects,
        "recordSet": [_record_set(file) for file in files if file.columns],
    }


def _record_set(file: _File) -> dict[str, Any]:
    name = PurePath(file.name).stem
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"{name}/{column}",
            "name": column,
            "description": about_column(column),
            "dataType": "sc:Integer" if column in INTEGERS else "sc:Text",
            "source": {"fileObject": {"@id": file.name}, "extract": {"column": column}},
        }
        for column in file.columns
    ]
    return {"@type": "cr:RecordSet", "@id": name, "name": name, "description": "Labelled sentences", "field": fields}


def _crate(rows: Sequence[GoldRow], files: Sequence[_File]) -> dict[str, Any]:
    named = enumerate(_people(rows), 1)
    people = [{"@id": f"#person-{number}", "@type": "Person", "name": name} for number, name in named]
    parts = [{"@id": file.name, "@type": "File", **file.attributes} for file in files]
    licences = {"@id": "#licences", "@type": "CreativeWork", "name": "Licences", "description": licences_sentence(rows)}
    root = {
        "@id": "./",
        "@type": "Dataset",
        **_about(rows),
        "license": {"@id": licences["@id"]},
        "author": [{"@id": person["@id"]} for person in people],
        "hasPart": [{"@id": part["@id"]} for part in parts],
    }
    own = {"@id": CRATE, "@type": "CreativeWork", "about": {"@id": "./"}, "conformsTo": {"@id": CRATE_FORM}}
    return {"@context": f"{CRATE_FORM}/context", "@graph": [own, root, *parts, licences, *people]}
