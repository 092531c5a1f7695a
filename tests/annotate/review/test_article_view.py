"""What the review page is given: text by spans, proposals that explain themselves, this reviewer's state, the queue."""

import json

import pytest

import db.proposing
from annotate.articles.document import Article, Mark, Paragraph, Section, SectionKind
from annotate.project.acting import Actor
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.propose import propose
from annotate.review.article_view import NoSuchArticle, end_tour, reading_view
from annotate.review.assignments import take
from annotate.review.verdicts import check_signature
from model.proposing.ranking import Ranking
from tests.support.labels import gene_labels, set_labels
from tests.support.making import (
    comment,
    judge,
    paper,
    propose_with,
    query,
    reading,
    store,
    store_cosines,
    verdict,
    version_without_weights,
)
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES

pytestmark = pytest.mark.usefixtures("home")
GENERIC = GENERIC_QUERIES[BEST_GENERIC]


@pytest.fixture
def proposed(home) -> None:
    """Three articles with two proposals each, the second the most promising, the third the least."""
    store(*(paper(pmid=str(number), journal="J", year=2021) for number in (1, 2, 3)))
    version = version_without_weights("tiny")
    propose_with(version)
    for article_id, cosines in {1: (0.25, 0.5, 0.0), 2: (0.75, 0.0, 0.5), 3: (0.0, 0.125, 0.25)}.items():
        store_cosines(version, article_id, GENERIC, cosines)
    propose(ranking=Ranking.COSINE, k=2)


def test_the_view_says_how_many_are_shown_and_more_where_this_reviewer_has_judged_more(proposed):
    propose(ranking=Ranking.COSINE, k=3, shown=lambda session, chosen: dict.fromkeys(chosen, 1))
    view = reading_view(1, "Anna")
    assert (view["shown"], [one["sentence"] for one in view["proposals"]]) == (1, [1, 0, 2])
    judge("Anna", 1, verdict(2))
    assert reading_view(1, "Anna")["shown"] == 1  # marked as missed
    judge("Anna", 1, verdict(0, shown={"rank": 2, "cosine": 0.25, "ranking": "cosine", "model": "tiny", "set": 4}))
    assert (reading_view(1, "Anna")["shown"], reading_view(1, "Ben")["shown"]) == (2, 1)


def test_the_view_holds_the_text_with_its_sentences_marks_and_terms(home):
    text = "The TP53 gene. We cut it."
    section = Section("Results", SectionKind.BODY, (Paragraph(text, marks=(Mark(4, 8, "italic"),)),))
    store(Article("A title", pmid="1", pmcid="PMC1", doi="10.1/a", sections=(section,)))
    with write(Right.SYSTEM) as session:
        set_labels(session, 1, gene_labels("TP53", "", ""))
    view = reading_view(1, "Anna")
    assert view["article"] == {
        "id": 1,
        "title": "A title",
        "ids": ["PMID 1", "PMC1", "doi:10.1/a"],
        "journal": None,
        "year": None,
    }
    assert view["sections"] == [{"title": "Results", "depth": 0, "kind": "body"}]
    (paragraph,) = view["paragraphs"]
    assert (paragraph["section"], paragraph["kind"], paragraph["text"]) == (0, "paragraph", text)
    assert (paragraph["marks"], paragraph["sentences"]) == ([[4, 8, "italic"]], [[0, 14], [15, 25]])
    assert [4, 8, "gene"] in paragraph["terms"]
    assert view["proposals"] == [] and view["ranking"] == ""
    json.dumps(view)


def test_proposals_come_by_rank_with_what_explains_them(proposed):
    view = reading_view(1, "Anna")
    assert view["proposals"] == [
        {"sentence": 1, "rank": 1, "cosine": 0.5, "score": 0.5, "section": "Abstract"},
        {"sentence": 0, "rank": 2, "cosine": 0.25, "score": 0.25, "section": "Abstract"},
    ]
    assert (view["ranking"], view["model"], view["query"]) == ("cosine", "tiny", GENERIC)


def test_the_token_is_for_this_reviewer_and_article_alone(proposed):
    assert check_signature(reading_view(2, "Anna")["token"]) == (Actor("Anna", operator=True), 2)


def test_the_state_is_the_reviewers_own(proposed):
    judge("Anna", 1, verdict(0), verdict(0, "reject"), verdict(1), verdict(1, "withdrawn"), comment(2, "look"))
    judge("Anna", 1, comment(None, "overall"), reading())
    judge("Ben", 1, verdict(2, "unsure"), comment(0, "his"), comment(None, "his too"))
    state = reading_view(1, "Anna")["state"]
    said = query("SELECT event_id FROM verdict WHERE annotator_id = 1") + query(
        "SELECT event_id FROM comment WHERE annotator_id = 1"
    )
    assert {event_id for (event_id,) in said} < {*state["events"]} and len(state.pop("events")) == 7
    assert state == {
        "verdicts": {"0": "reject"},
        "labels": {},
        "comments": {"2": "look"},
        "article_comment": "overall",
        "read_in_full": True,
    }
    his = reading_view(1, "Ben")["state"]
    assert not {*his.pop("events")} & {event_id for (event_id,) in said}
    assert his == {
        "verdicts": {"2": "unsure"},
        "labels": {},
        "comments": {"0": "his"},
        "article_comment": "his too",
        "read_in_full": False,
    }
    assert reading_view(2, "Anna")["state"]["verdicts"] == {}


def test_the_queue_goes_on_to_what_is_handed_out_then_and_back_to_what_was_judged(proposed):
    assert reading_view(2, "Anna")["queue"] == {
        "next": "next",
        "previous": None,
        "reviewed": "0 of 3 reviewed",
        "reviewed_then": "1 of 3 reviewed",
        "reviewed_without": "0 of 3 reviewed",
        "waiting": 2,
    }
    judge("Anna", 2, *(verdict(p["sentence"]) for p in reading_view(2, "Anna")["proposals"]))
    judge("Anna", 1, reading())  # read in full without a verdict: done as well
    judge("Ben", 3, *(verdict(p["sentence"], "reject") for p in reading_view(3, "Ben")["proposals"]))
    counts = {"reviewed": "3 of 3 reviewed", "reviewed_then": "3 of 3 reviewed", "waiting": 0}
    counts["reviewed_without"] = "2 of 3 reviewed"
    assert reading_view(1, "Anna")["queue"] == {"next": "next", "previous": 2, **counts}
    assert reading_view(3, "Ben")["queue"] == {"next": "next", "previous": None, **counts}
    judge("Anna", 2, verdict(reading_view(2, "Anna")["proposals"][0]["sentence"], "withdrawn"))
    assert reading_view(1, "Anna")["queue"] == {
        "next": "next",
        "previous": 2,
        **counts,
        "reviewed": "2 of 3 reviewed",
        "reviewed_then": "2 of 3 reviewed",
        "reviewed_without": "1 of 3 reviewed",
        "waiting": 1,
    }


def test_the_view_says_why_the_article_was_handed_out_or_who_holds_it(proposed):
    assert take("Anna", 1)
    view = reading_view(1, "Anna")
    assert (view["held_by"], view["rank_endpoint"], view["with_proposals"]) == (None, "/api/rank", True)
    assert view["assignment"] == {
        "strategy": "by hand",
        "reason": "you opened it yourself",
        "at_random": False,
        "with_proposals": True,
    }
    view = reading_view(1, "Ben")
    assert (view["held_by"], view["assignment"]) == ("Anna", None)


def test_the_current_proposals_are_those_of_the_latest_set(proposed):
    propose(ranking=Ranking.COSINE, k=1)
    assert [entry["rank"] for entry in reading_view(1, "Anna")["proposals"]] == [1]
    with read() as session:
        assert db.proposing.count_proposed(session) == 3
    assert query("SELECT count(*) FROM proposal_set") == [(6,)]


def test_an_article_that_is_not_there_is_named(home):
    with pytest.raises(NoSuchArticle, match="no article 7"):
        reading_view(7, "Anna")


def test_an_article_without_text_can_be_opened(home):
    store(paper((), pmid="1"))
    view = reading_view(1, "Anna")
    assert (view["paragraphs"], view["proposals"], view["sections"]) == ([], [], [])


def test_a_tour_that_was_closed_comes_again_to_nobody_of_that_name():
    store(paper(pmid="1"))
    assert reading_view(1, "Anna")["first_visit"] and reading_view(1, "Ben")["first_visit"]
    end_tour("Anna")
    end_tour("Anna")
    assert not reading_view(1, "Anna")["first_visit"] and reading_view(1, "Ben")["first_visit"]
    assert query("SELECT count(*) FROM setting WHERE owner_id IS NOT NULL") == [(1,)]
