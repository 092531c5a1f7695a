"""Three stored articles, and how tests search them."""

from collections.abc import Callable
from typing import Any

import pytest

import db.entities
from annotate.articles.document_labels import store_labels
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.search.entries import field_names
from annotate.search.index_files import stored_index
from annotate.search.reading import read_query
from annotate.search.search import Found, Shown, search, shown
from annotate.search.upkeep import update
from tests.support.labels import gene_labels
from tests.support.making import paper, query, store


def recognise(article_id: int, sentence: int, written: str, kind: str, name: str) -> None:
    """Makes these letters of a sentence a mention."""
    ((paragraph_id, start, text),) = query(
        "SELECT paragraph_id, start, text FROM sentence JOIN paragraph ON paragraph.id = paragraph_id "
        "WHERE sentence.article_id = :article AND sentence.position = :position",
        article=article_id,
        position=sentence,
    )
    begin = text.index(written, start)
    mention = {"paragraph_id": paragraph_id, "start": begin, "end": begin + len(written), "type": kind, "name": name}
    with write(Right.SYSTEM) as session:
        candidates = [mention | {"identifiers": ["7157"], "probability": 1.0}]
        db.entities.replace_scan(session, article_id, "1", 3, candidates, [])


@pytest.fixture
def library(home) -> None:
    """Article 1 on p53 and 2 on interleukins, which have full text; 3 on yeast, newer."""
    store(
        paper(
            ("Loss of p53 was studied.", "Here we deleted TP53 in HEK 293T cells.", "IL-6 rose."),
            ("The knock-outs were sequenced.", "Nothing else was mutated."),
            pmid="1",
            title="TP53 in kidney cells",
            journal="PLoS One",
            year=2015,
        ),
        paper(
            ("Interleukin levels rose.", "IL6 was measured in serum."),
            ("Mutations were rare in TP53.",),
            pmid="2",
            title="Serum proteins",
            journal="Nature",
            year=2019,
        ),
        paper(("Yeast grows.",), pmid="3", title="Yeast", journal="Nature", year=2021),
    )
    store_labels(1, gene_labels("TP53|p53", "HEK-293T", "KO"))
    recognise(1, 1, "HEK 293T", "cell_line", "293T")
    recognise(2, 2, "TP53", "gene", "TP53")


@pytest.fixture
def indexed(library) -> None:
    """The same, in the index."""
    assert update() == 3


@pytest.fixture
def ask(indexed) -> Callable[..., Found]:
    """What searches for something typed."""
    return asked


def asked(typed: str, **more: Any) -> Found:
    """One page of what answers."""
    index = stored_index()
    assert index is not None
    with read() as session:
        return search(session, index, read_query(typed, field_names(session)), **more)


def articles(typed: str, **more: Any) -> list[int]:
    """The articles that answer, best first."""
    return [hit.article_id for hit in asked(typed, **more).hits]


def sentences(typed: str, **more: Any) -> list[tuple[int, int | None]]:
    """The sentences that answer by article and position, in that order."""
    return sorted((hit.article_id, hit.position) for hit in asked(typed, sentences=True, **more).hits)


def read_by_people(typed: str, **more: Any) -> list[Shown]:
    """The answers as they are shown."""
    index = stored_index()
    assert index is not None
    with read() as session:
        node = read_query(typed)
        return shown(session, index, node, search(session, index, node, **more).hits)
