"""The formats of annotated articles, and the gold as a file of one of them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotate.gold.export_file import write_files
from annotate.gold.formats.bioc import as_bioc
from annotate.gold.formats.brat import as_brat
from annotate.gold.formats.cas import as_cas
from annotate.gold.formats.dataset_folder import as_dataset
from annotate.gold.formats.documents import GoldDocument, gold_documents
from annotate.gold.formats.json_formats import as_prodigy, as_pubannotation, as_web_annotation
from annotate.gold.label_sets import LIVE, Basis
from annotate.gold.rows import GoldRow, manifest
from annotate.project.home import read
from db.base import utc_now

ZIP = "application/zip"


@dataclass(frozen=True, slots=True)
class DocumentFormat:
    """A format of annotated articles: what the page calls it, and how its files end."""

    title: str
    ending: str
    media: str
    make: Callable[[Iterable[GoldDocument]], bytes]


# A new format is a function and its line here.
DOCUMENT_FORMATS = {
    "bioc": DocumentFormat("BioC JSON", ".bioc.json", "application/json", as_bioc),
    "pubannotation": DocumentFormat("PubAnnotation", ".pubannotation.json", "application/json", as_pubannotation),
    "web-annotation": DocumentFormat("W3C Web Annotation", ".jsonld", "application/ld+json", as_web_annotation),
    "brat": DocumentFormat("brat", ".brat.zip", ZIP, as_brat),
    "cas": DocumentFormat("INCEpTION (UIMA CAS XMI)", ".xmi.zip", ZIP, as_cas),
    "prodigy": DocumentFormat("Prodigy, spaCy (JSON lines)", ".prodigy.jsonl", "application/jsonl", as_prodigy),
    "dataset": DocumentFormat("Hugging Face datasets", ".dataset.zip", ZIP, as_dataset),
}


def export_documents(path: Path, name: str) -> dict[str, Any]:
    """Writes the labelled articles to `path` in the format of this name, and their manifest to PATH.manifest.json.

    Returns the manifest. Raises ValueError where nothing is labelled. An interrupted export leaves an earlier file as
    it was.
    """
    rows: list[GoldRow] = []
    entities = 0

    def counted(documents: Iterable[GoldDocument]) -> Iterator[GoldDocument]:
        nonlocal entities
        for document in documents:  # one at a time: whole articles take more memory than their rows
            rows.extend(sentence.row for sentence in document.labelled)
            entities += len(document.mentions)
            yield document

    with read() as session:
        content = DOCUMENT_FORMATS[name].make(counted(gold_documents(session)))
        if not rows:
            raise ValueError("there is nothing to export: no sentence has a label")
        summary = {**manifest(session, rows), "format": name, "file": path.name, "exported_at": utc_now()}
    summary["entities"] = entities
    write_files(path, content, summary)
    return summary


def download_documents(name: str, basis: Basis = LIVE) -> bytes:
    """The labelled articles in the format of this name, as they were when the basis's last rows were stored."""
    with read() as session:
        return DOCUMENT_FORMATS[name].make(gold_documents(session, basis))
