"""Europe PMC asked for articles that are not here: what it finds as documents to rank, nothing imported."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import requests
from sqlalchemy.orm import Session

import db.articles
from annotate.articles.article_rows import article_key
from annotate.articles.document import Article, SectionKind
from annotate.articles.europepmc import EuropePmc, NotAvailable, query_for
from annotate.articles.parsing.identifiers import parse_identifiers
from annotate.finding.library import Document
from annotate.finding.outside.query_text import MAX_CHARACTERS, from_pubmed
from annotate.project.home import read

MOST = 200  # articles that one search brings: two requests
MOST_PASTED = 200


class NoAnswer(RuntimeError):
    """The service gave none; the message says why, in words for people."""


@dataclass(frozen=True, slots=True)
class Outside:
    """The result of a search outside: documents by key, best first as the service has them, and how many there are in
    all.

    `here`: ids of the stored articles among them, by key. `importable`: PMIDs or PMCIDs by key.
    `problems`: what was asked for and is not among them, in words.
    """

    documents: Sequence[Document]
    total: int
    here: dict[str, int]
    importable: dict[str, str]
    problems: Sequence[str] = ()


def search_outside(text: str, *, most: int = MOST, client: Callable[[], EuropePmc] = EuropePmc) -> Outside:
    """What Europe PMC finds for a query: its own language, PubMed's tags, or nothing but PMIDs, PMCIDs and DOIs.

    Raises ValueError for an empty query or a tag that is not understood, NoAnswer where the service gives none.
    """
    query, problems = as_query(text)
    try:
        with client() as service:
            hits = service.search(query, most)
    except NotAvailable as error:
        raise NoAnswer(f"Europe PMC gave no answer: {error}. Try again, or change the query.") from error
    except requests.RequestException as error:
        reason = type(error).__name__
        raise NoAnswer(
            f"Europe PMC cannot be reached ({reason}). Stored articles can be searched without a network."
        ) from error
    with read() as session:  # only now: the network may take minutes
        return _outside(session, hits.articles, hits.total, problems)


def as_query(text: str) -> tuple[str, list[str]]:
    """(the query for the service, what of the text is not in it). Raises ValueError."""
    tidy = " ".join(text.split())
    if not tidy:
        raise ValueError("the query is empty: type some words")
    known, unknown = parse_identifiers(tidy)
    if known and len(unknown) * 4 <= len(known):
        some = known[:MOST_PASTED]
        problems = [f"{word} is neither a PMID, PMCID nor DOI" for word in unknown]
        if len(known) > len(some):
            problems.append(f"only the first {MOST_PASTED} of {len(known):,} identifiers were asked for")
        return query_for(*some), problems
    if len(tidy) > MAX_CHARACTERS:
        raise ValueError(f"the query is longer than {MAX_CHARACTERS:,} characters: leave synonyms out")
    return from_pubmed(tidy), []


def _outside(session: Session, articles: Sequence[Article], total: int, problems: Sequence[str]) -> Outside:
    documents: dict[str, Document] = {}
    here: dict[str, int] = {}
    importable: dict[str, str] = {}
    for article in articles:
        key = article_key(article)
        if key in documents:
            continue
        stored = db.articles.find_by_name(
            session, pmid=article.pmid or "", pmcid=article.pmcid or "", doi=article.doi or ""
        )
        texts = ((section.kind, part.text) for section, _, part in article.paragraphs())
        documents[key] = Document(
            key,
            article.title,
            "\n".join(text for kind, text in texts if kind is SectionKind.ABSTRACT),
            article.mesh,
            year=article.year,
            journal=article.journal or "",
            article_id=stored,
        )
        if stored is not None:
            here[key] = stored
        elif identifier := article.pmid or article.pmcid:
            importable[key] = identifier
    return Outside(list(documents.values()), total, here, importable, problems)
