"""BioC JSON: one collection, a document an article, labelled sentences and entities as annotations of its passages.

https://bioc.sourceforge.net; offsets count Unicode characters from the beginning of the document, as PubTator's do.
"""

from collections.abc import Iterable
from itertools import count

import bioc
from bioc import biocjson

from annotate.gold.formats.documents import GoldDocument, Labelled, Mention, Passage


def as_bioc(documents: Iterable[GoldDocument]) -> bytes:
    """A BioC collection, of the day of its last label."""
    collection = bioc.BioCCollection()
    collection.source = "Keyline"
    collection.date = ""
    made = []
    for document in documents:  # as text at once: the objects of an article take many times its length
        made.append(biocjson.dumps(_document(document), ensure_ascii=False))
        collection.date = max(collection.date, *(sentence.row.time[:10] for sentence in document.labelled))
    head = biocjson.dumps(collection, ensure_ascii=False).removesuffix("]}")  # its documents come last
    return f"{head}{', '.join(made)}]}}\n".encode()


def _document(document: GoldDocument) -> bioc.BioCDocument:
    made = bioc.BioCDocument()
    made.id = document.key
    article = document.article
    about = {"journal": article.journal, "year": article.year, "license": article.licence}
    made.infons = document.identifiers | {name: str(value) for name, value in about.items() if value}
    numbers = count(1)
    for passage in document.passages:
        part = bioc.BioCPassage.of_text(passage.text, passage.start)
        part.infons = {"type": passage.kind, "section": passage.section}
        for span in document.spans:
            if passage.start <= span.start and span.end <= passage.start + len(passage.text):
                part.add_annotation(_annotation(str(next(numbers)), passage, span))
        made.add_passage(part)
    return made


def _annotation(number: str, passage: Passage, span: Labelled | Mention) -> bioc.BioCAnnotation:
    made = bioc.BioCAnnotation()
    made.id = number
    made.text = passage.text[span.start - passage.start : span.end - passage.start]
    made.add_location(bioc.BioCLocation(span.start, span.end - span.start))
    made.infons = {"type": span.type}
    if isinstance(span, Mention):
        made.infons["identifier"] = ",".join(span.identifiers)
    else:
        row = span.row
        told = {"annotators": row.annotators} | row.labels
        made.infons |= {name: value for name, value in (told | {"role": row.role}).items() if value}
    return made
