"""The commands that measure and promote versions."""

import numpy as np
import pytest

import db.proposing
import db.registry
from annotate.__main__ import main
from annotate.evaluation.fair_test import questions
from annotate.gold.label_sets import current_label_set
from annotate.project.home import read, write
from annotate.project.rights import Right
from model.proposing.query import query_for
from tests.support.labels import gene_labels, gene_terms, set_labels
from tests.support.making import (
    judge,
    paper,
    pmids,
    store,
    store_cosines,
    store_divided_work,
    verdict,
    version_without_weights,
)
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES, RULES

pytestmark = pytest.mark.usefixtures("home")


def test_evaluating_promoting_and_rolling_back(cli, version):
    store(paper(pmid=pmids("test", 1)[0]))
    judge("Anna", 1, verdict(1))
    generic = GENERIC_QUERIES[BEST_GENERIC]
    child = version_without_weights("child")
    store_cosines(version, 1, generic, (0.0, 0.5, 0.25))
    store_cosines(child, 1, generic, (0.5, 0.25, 0.0))
    code, result, _ = cli("evaluate", "--ranking", "cosine")
    assert (code, result["version"], result["arp"], result["split"]) == (0, "tiny", 1.0, "test")
    assert cli("evaluate", "--ranking", "cosine", "--version", "child")[1]["arp"] == 0.0
    assert (result["unjudged_share"], result["arp_fair"]) == (pytest.approx(2 / 3), None)
    judge("Ben", 1, verdict(0, "reject"), verdict(2, "reject"))
    code, result, _ = cli("evaluate", "--ranking", "cosine", "--version", "child", "--pool", "fair")
    assert (code, result["pool"], result["articles"], result["arp"]) == (0, "fair", 1, 0.0)
    assert main(["evaluate", "--ranking", "cosine", "--pool", "fair"]) == 0
    judge("Ben", 1, verdict(0, "withdrawn"))
    code, result, _ = cli("promote", "child", "--no-propose")
    assert code == 1 and "was not evaluated on the present labels" in result["error"]
    assert cli("promote", "child", "--no-propose", "--even-if-worse")[:2] == (0, {"promoted": "child"})
    assert cli("rollback", "--no-propose")[:2] == (0, {"promoted": "tiny"})


def test_what_a_ranking_is_worth_without_document_labels_is_told_beside_and_alone(cli, version, capsys):
    store(paper(pmid=pmids("test", 1)[0]))
    judge("Anna", 1, verdict(0), verdict(1, "reject"), verdict(2, "reject"))
    with write(Right.SYSTEM) as session:
        set_labels(session, 1, gene_labels("TP53", "", "KO"))
    store_cosines(version, 1, query_for(RULES, gene_terms(("TP53",), (), "KO")), (0.5, 0.25, 0.0))
    with write(Right.SYSTEM) as session:  # as the opposite direction: to the generic query the last is the nearest
        opposite = {GENERIC_QUERIES[BEST_GENERIC]: np.float32([-1, 0]).tobytes()}
        db.proposing.store_query_vectors(session, version.id, opposite)
    _, result, _ = cli("evaluate", "--ranking", "cosine")
    assert (result["arp"], result["document_labels"], result["articles_with_document_labels"]) == (1.0, True, 1)
    assert result["without_document_labels"]["arp"] == 0.0
    _, result, _ = cli("evaluate", "--ranking", "cosine", "--without-document-labels")
    assert (result["arp"], result["precision_at_1"], result["document_labels"]) == (0.0, 0.0, False)
    assert main(["evaluate", "--ranking", "cosine"]) == 0
    said = capsys.readouterr().out
    assert "arp: 1.0000\n" in said and "arp without document labels: 0.0000 (0.0000 to 0.0000)" in said
    assert "unjudged share: 0.0000" in said and "fair articles" not in said


def test_an_evaluation_tells_how_many_works_lie_in_two_splits(cli, version):
    store_divided_work()
    judge("Anna", 1, verdict(1))
    store_cosines(version, 1, GENERIC_QUERIES[BEST_GENERIC], (0.0, 0.5, 0.25))
    assert cli("evaluate", "--ranking", "cosine")[1]["works_in_two_splits"] == 1
    assert cli("status")[1]["works_in_two_splits"] == 1


def test_a_version_that_was_evaluated_can_be_asked_about_in_the_fair_test(cli, tiny_home, tiny_encoder):
    """Also about test articles in which no key sentence is known: another version may find one."""
    store(*(paper(pmid=pmid) for pmid in pmids("test", 2)))
    judge("Anna", 1, verdict(1))
    judge("Anna", 2, verdict(0, "reject"))
    cli("encoder", "add", tiny_encoder, "--name", "second")
    for name in ("tiny", "second"):
        assert cli("evaluate", "--version", name)[1]["articles"] == 1
    with read() as session:
        versions = db.registry.encoders(session)
        asked = questions(session, versions, current_label_set(session))
    assert {(q.sentence.article_id, q.sentence.position) for q in asked} == {(1, 0), (1, 2), (2, 1), (2, 2)}
