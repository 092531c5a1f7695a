"""Leases as the database sees them, and who is done with an article."""

import pytest

import db.proposing
import db.review.assignments
import db.review.verdicts
import db.rows
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.propose import propose
from db.review.assignments import EXPIRED, FINISHED, LEFT, Clock
from db.tables import Assignment
from db.values import PICKED
from model.proposing.ranking import Ranking
from tests.support.making import judge, paper, query, reading, store, store_proposed, verdict

pytestmark = pytest.mark.usefixtures("home")

NOON = Clock(now="2024-05-01T12:00:00.000Z", until="2024-05-01T12:30:00.000Z", latest="2024-05-01T12:31:00.000Z")


@pytest.fixture
def anna_and_ben(home) -> tuple[int, int]:
    """The ids of two annotators; there are two articles with proposals."""
    store_proposed(2)
    with write(Right.SYSTEM) as session:
        return db.review.verdicts.annotator_id(session, "Anna"), db.review.verdicts.annotator_id(session, "Ben")


def lease(annotator_id: int, article_id: int, until: str = NOON.until, **values) -> int:
    """Stores an assignment; returns its id."""
    kind = {"strategy": "score", "reason": "", "score": None, "waiting": 2, "at_random": False, "with_proposals": True}
    with write(Right.SYSTEM) as session:
        row = Assignment(annotator_id=annotator_id, article_id=article_id, leased_until=until, **kind | values)
        return db.rows.add(session, row).id


def holders(article_id: int | None = None, **others) -> list[str]:
    with read() as session:
        return [name for _, name, _ in db.review.assignments.leases(session, NOON, article_id=article_id, **others)]


@pytest.mark.parametrize(
    ("until", "counts"),
    [
        ("2024-05-01T12:00:00.000Z", False),  # to the moment
        ("2024-05-01T12:00:00.001Z", True),
        ("2024-05-01T12:31:00.000Z", True),
        ("2024-05-01T12:31:00.001Z", False),  # made before the clock was set back
    ],
)
def test_a_lease_counts_from_now_to_no_more_than_its_length(anna_and_ben, until, counts):
    number = lease(anna_and_ben[0], 1, until)
    assert holders(1) == ["Anna"] * counts
    with read() as session:
        assert [row.id for row in db.review.assignments.lapsed(session, NOON)] == [number] * (not counts)


def test_leases_are_told_by_article_and_without_ones_own(anna_and_ben):
    anna, ben = anna_and_ben
    lease(anna, 1)
    lease(ben, 2)
    lease(ben, 1, ended_at="2024-05-01T11:00:00.000Z", ending=LEFT)
    assert (holders(), holders(2), holders(except_annotator=ben)) == (["Anna", "Ben"], ["Ben"], ["Anna"])


def test_a_lapsed_lease_is_renewed_unless_another_holds_the_article(anna_and_ben):
    anna, ben = anna_and_ben
    lease(anna, 1, "2024-05-01T11:00:00.000Z")
    with write(Right.SYSTEM) as session:
        assert db.review.assignments.renew_lease(session, anna, 1, NOON) == 1
        assert db.review.assignments.renew_lease(session, ben, 1, NOON) == 0
    assert holders(1) == ["Anna"]
    lease(anna, 2, "2024-05-01T11:00:00.000Z")
    lease(ben, 2)
    with write(Right.SYSTEM) as session:
        assert db.review.assignments.renew_lease(session, anna, 2, NOON) == 0
    assert holders(2) == ["Ben"]


def test_what_was_ended_stays_as_a_row(anna_and_ben):
    number = lease(anna_and_ben[0], 1)
    with write(Right.SYSTEM) as session:
        db.rows.change(session, Assignment, number, ending=EXPIRED, ended_at=NOON.now)
    assert query("SELECT id, ending, ended_at, leased_until FROM assignment") == [
        (number, EXPIRED, NOON.now, NOON.until)
    ]


def test_the_latest_assignment_of_an_article_says_whether_it_was_left(anna_and_ben):
    anna, _ = anna_and_ben
    ended = {"ended_at": NOON.now}
    lease(anna, 1, **ended, ending=LEFT)
    second = lease(anna, 2, **ended, ending=LEFT)
    third = lease(anna, 1, **ended, ending=LEFT)
    with read() as session:
        assert [row.id for row in db.review.assignments.left_by(session, anna)] == [second, third]
    lease(anna, 1, **ended, ending=FINISHED)
    with read() as session:
        assert [row.id for row in db.review.assignments.left_by(session, anna)] == [second]
        assert db.review.assignments.finished(session) == [(1, anna)]


def test_an_article_is_judged_whole_when_every_current_proposal_has_a_standing_verdict(anna_and_ben):
    anna, ben = anna_and_ben

    def whole(*articles: int) -> list[tuple[int, int]]:
        with read() as session:
            return [tuple(row) for row in db.review.assignments.judged_whole(session, articles or None)]

    judge("Anna", 1, verdict(0), verdict(2))
    assert whole() == []  # sentence 2 is no proposal, 1 is one
    judge("Anna", 1, verdict(1, "unsure"))
    judge("Ben", 2, verdict(1), verdict(0, "reject"))
    assert whole() == [(1, anna), (2, ben)] and whole(2) == [(2, ben)]
    judge("Anna", 1, verdict(0, "withdrawn"))
    assert whole() == [(2, ben)]


def test_an_article_is_not_judged_whole_by_sentences_that_were_picked_from_all(anna_and_ben):
    anna, _ = anna_and_ben
    picked = {"shown": {"ranking": PICKED, "model": "tiny", "rank": 1}}

    def whole(**more: bool) -> list[tuple[int, int]]:
        with read() as session:
            return [tuple(row) for row in db.review.assignments.judged_whole(session, [1], **more)]

    judge("Anna", 1, verdict(0), verdict(1, **picked))
    assert whole() == [] and whole(picked=True) == [(1, anna)]
    judge("Anna", 1, verdict(1, "reject"))  # the last one, in its article
    assert whole() == whole(picked=True) == [(1, anna)]


def test_the_articles_that_are_read_without_proposals_are_known(anna_and_ben):
    anna, ben = anna_and_ben
    for annotator, article_id, shown in ((anna, 1, True), (anna, 2, False), (ben, 2, False)):
        lease(annotator, article_id, with_proposals=shown)
    with read() as session:
        assert db.review.assignments.read_blind(session) == {2}


def test_the_proposals_that_are_shown_at_first_are_listed_with_their_scores(anna_and_ben):
    propose(ranking=Ranking.COSINE, k=3, shown=lambda session, chosen: dict.fromkeys(chosen, 1))
    with read() as session:
        found = db.proposing.shown_first(session)
    latest = "SELECT max(id) FROM proposal_set GROUP BY article_id"
    best = query(
        "SELECT proposal_set.article_id, position, score, version_id FROM proposal JOIN proposal_set "
        "ON proposal_set.id = set_id JOIN sentence ON sentence.id = sentence_id "
        f"WHERE rank = 1 AND set_id IN ({latest}) ORDER BY 1"
    )
    assert found == best and len(found) == 2


def test_an_article_is_judged_whole_when_the_proposals_shown_at_first_are_judged(anna_and_ben):
    anna, _ = anna_and_ben
    propose(ranking=Ranking.COSINE, k=3, shown=lambda session, chosen: dict.fromkeys(chosen, 1))
    judge("Anna", 1, verdict(0))
    with read() as session:
        assert db.review.assignments.judged_whole(session) == []
    judge("Anna", 1, verdict(1))
    with read() as session:
        assert list(map(tuple, db.review.assignments.judged_whole(session))) == [(1, anna)]
        assert db.proposing.current_sets(session, [1])[1].k == 1
    assert query("SELECT count(*) FROM proposal JOIN proposal_set ON set_id = id WHERE article_id = 1 AND k = 1") == [
        (3,)
    ]


def test_an_article_is_read_whole_as_long_as_it_stands_as_it_was_read(anna_and_ben):
    _, ben = anna_and_ben
    judge("Anna", 1, reading())
    judge("Anna", 1, reading(False))
    judge("Ben", 2, reading())
    with read() as session:
        assert list(map(tuple, db.review.assignments.read_whole(session))) == [(2, ben)]
        assert db.review.assignments.read_whole(session, [1]) == []
    store(paper(pmid="2", body=["The full text came later."]))
    with read() as session:
        assert db.review.assignments.read_whole(session) == []


def test_the_marks_of_an_article_change_with_what_is_said_and_proposed(anna_and_ben):
    def marks() -> list[tuple]:
        with read() as session:
            return list(map(tuple, db.review.assignments.article_marks(session)))

    assert marks() == [(1, 1, None, None, 3), (2, 2, None, None, 3)]
    judge("Anna", 2, verdict(0), reading())
    assert marks() == [(1, 1, None, None, 3), (2, 2, 1, 1, 3)]
