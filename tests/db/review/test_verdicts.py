"""Verdicts as the database keeps and tells them."""

import pytest

from annotate.project.home import read
from db.review.verdicts import all_verdicts
from tests.support.making import SENTENCES, judge, paper, query, store, verdict

pytestmark = pytest.mark.usefixtures("home")


def test_all_that_was_said_about_a_sentence_is_told_oldest_first():
    store(paper(SENTENCES))
    judge("Anna", 1, verdict(0), verdict(1, "reject"))
    judge("Ben", 1, verdict(0, "reject"))
    judge("Anna", 1, verdict(0, "unsure"), verdict(2))
    ((sentence_id,),) = query("SELECT id FROM sentence WHERE position = 0")
    with read() as session:
        told = all_verdicts(session, article_id=1, sentence_id=sentence_id)
    assert [(said.value, name, position) for said, name, position in told] == [
        ("accept", "Anna", 0),
        ("reject", "Ben", 0),
        ("unsure", "Anna", 0),
    ]
