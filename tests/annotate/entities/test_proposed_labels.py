"""The numbers of proposed labels: they order, and become probabilities once enough labels were confirmed."""

import pytest

import db.entities
from annotate.articles.document_labels import store_labels
from annotate.entities.proposed_labels import LEAST_SEEN, offered
from annotate.project.home import read, write
from annotate.project.rights import Right
from pages.parts.entities.proposed_labels import proposal_text
from tests.support.labels import gene_labels
from tests.support.making import paper, store

pytestmark = pytest.mark.usefixtures("home")
SURE, UNSURE = 0.9, 0.6  # what the text alone says of a right and of a wrong gene


def propose_genes(article_id: int, edit: float = 0.0) -> None:
    """GOOD and BAD are proposed for the article, and an edit where it has a share."""
    shares = [("gene", "GOOD", SURE), ("gene", "BAD", UNSURE), *([("edit", "KO", edit)] if edit else [])]
    rows = [
        {"kind": kind, "rank": rank, "name": name, "synonyms": [], "identifiers": [], "probability": p, "sentences": []}
        for rank, (kind, name, p) in enumerate(shares, 1)
    ]
    with write(Right.SYSTEM) as session:
        db.entities.replace_scan(session, article_id, "v", 1, [], rows)


@pytest.fixture
def articles(home) -> int:
    """As many articles as teach something, and one more, all with proposals; returns the last one."""
    store(*(paper(pmid=str(number)) for number in range(1, LEAST_SEEN + 2)))
    for article_id in range(1, LEAST_SEEN + 2):
        propose_genes(article_id, edit=1.0)
    return LEAST_SEEN + 1


def of(article_id: int, kind: str) -> dict[str, tuple[float, bool]]:
    with read() as session:
        return {one.name: (one.probability, one.calibrated) for one in offered(session, article_id) if one.kind == kind}


def test_before_enough_was_confirmed_the_number_only_orders_and_is_not_shown(articles):
    for article_id in range(1, LEAST_SEEN):
        store_labels(article_id, gene_labels("GOOD", "", ""))
    assert of(articles, "gene") == {"GOOD": (SURE, False), "BAD": (UNSURE, False)}
    with read() as session:
        assert "%" not in proposal_text(offered(session, articles)[0])


def test_confirmed_labels_make_probabilities_that_they_bear_out(articles):
    for article_id in range(1, LEAST_SEEN + 1):
        store_labels(article_id, gene_labels("GOOD", "", ""))
    genes = of(articles, "gene")
    assert genes["GOOD"][1] and genes["BAD"][1]
    assert genes["GOOD"][0] > 0.95 and genes["BAD"][0] < 0.05
    assert of(articles, "edit") == {"KO": (1.0, False)}  # of which nobody said anything
    with read() as session:
        assert "% likely · in the title" in proposal_text(offered(session, articles)[0])


def test_an_organism_among_cells_is_named_as_one(home):
    store(paper(pmid="1"))
    named = {"human": ["9606"], "HeLa": ["CVCL_0030"]}
    shares = {"kind": "cell", "probability": SURE, "sentences": [0], "synonyms": []}
    rows = [
        {**shares, "rank": rank, "name": name, "identifiers": identifiers}
        for rank, (name, identifiers) in enumerate(named.items(), 1)
    ]
    with write(Right.SYSTEM) as session:
        db.entities.replace_scan(session, 1, "v", 1, [], rows)
    with read() as session:
        told = [proposal_text(one, "Here we deleted a gene. " * 9) for one in offered(session, 1)]
    begins = "“Here we deleted a gene. Here we deleted a gene. Here we …”"
    assert [each.replace("\\", "") for each in told] == [f"Organism: human · {begins}", f"Cell: HeLa · {begins}"]


def test_what_was_learnt_follows_what_is_said_later(articles):
    for article_id in range(1, LEAST_SEEN + 1):
        store_labels(article_id, gene_labels("GOOD", "", ""))
    before = of(articles, "gene")["BAD"][0]
    for article_id in range(1, LEAST_SEEN + 1, 2):
        store_labels(article_id, gene_labels("GOOD; BAD", "", ""))
    assert of(articles, "gene")["BAD"][0] > before + 0.2


def test_an_article_without_labels_of_the_kind_says_nothing_of_it(articles):
    for article_id in range(1, LEAST_SEEN + 1):
        store_labels(article_id, gene_labels(cells="HeLa"))
    assert of(articles, "gene") == {"GOOD": (SURE, False), "BAD": (UNSURE, False)}
