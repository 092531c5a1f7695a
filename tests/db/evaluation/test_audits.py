"""The query of the audit."""

import secrets

import pytest

from annotate.evaluation.audit import record
from annotate.project.home import read
from db.evaluation.audits import current_audits
from tests.support.making import paper, pmids, store, version_without_weights

pytestmark = pytest.mark.usefixtures("home")


def say(annotator: str, position: int, value: str) -> None:
    event = {"id": secrets.token_hex(8), "article": 1, "sentence": position, "value": value}
    assert record(annotator, [event | {"version": "tiny", "ranking": "hybrid", "rank": 2, "cosine": 0.5}])[0]


def test_the_current_audits_are_the_latest_of_each_annotator_without_withdrawn_ones():
    store(paper(pmid=pmids("test", 1)[0]))
    version_without_weights("tiny")
    for annotator, position, value in (
        ("Anna", 1, "wrong"),
        ("Ben", 1, "correct"),
        ("Anna", 2, "inconclusive"),
        ("Anna", 1, "correct"),
        ("Anna", 2, ""),
        ("Ben", 0, "wrong"),
    ):
        say(annotator, position, value)
    with read() as session:
        rows = [(audit.value, name, position) for audit, name, position in current_audits(session)]
    assert rows == [("correct", "Ben", 1), ("correct", "Anna", 1), ("wrong", "Ben", 0)]
