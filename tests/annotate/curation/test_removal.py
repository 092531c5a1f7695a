"""Removing articles: they leave every place where articles are read, nothing is deleted, and they come back whole."""

import pytest

import db.proposing
from annotate.active_learning.queue import hand_out
from annotate.articles.works import divided_works
from annotate.curation.removal import kept_of, remove, take_back
from annotate.evaluation.evaluate_version import evaluated_articles
from annotate.gold.formats.export import download_documents
from annotate.gold.label_sets import Basis, current_label_set, labels_now
from annotate.gold.rows import gold_rows
from annotate.operations.project_status import status
from annotate.project.home import read
from annotate.related.links import links_of
from annotate.retraining.training_set import labelled_articles
from annotate.review.assignments import standing_of, take
from annotate.review.progress import progress
from annotate.review.waiting import reviewed
from annotate.search.index_files import stored_index
from annotate.search.queries import Everything
from annotate.search.search import search
from annotate.search.upkeep import behind, update
from annotate.team.opinions import shared_articles
from db.active_learning.screening import outdated
from db.articles import ALL
from db.curation import Wanted, count_listed, page_of_articles
from db.finding.found_articles import by_keys, keys_of
from db.values import Split
from tests.support.making import comment, contents, judge, paper, query, reading, store, store_proposed, verdict

pytestmark = pytest.mark.usefixtures("home")
SAID = ("verdict", "comment", "reading", "article", "sentence", "proposal", "document_label")
GONE = 2


@pytest.fixture
def judged(home):
    """Ten articles with proposals; two experts judged the first three."""
    store_proposed(10)
    for person in ("Anna", "Ben"):
        for article_id in (1, GONE, 3):
            judge(person, article_id, verdict(0), verdict(1, "reject"), verdict(2, "reject"), reading())
    judge("Anna", GONE, comment(0, "look"))
    update()


def where_it_is() -> dict[str, bool]:
    """Each place where articles are read, and whether the removed one is there."""
    with read() as session:
        labels = current_label_set(session)
        split = next(row[0] for row in query("SELECT split FROM article WHERE id = 2"))
        found = search(session, stored_index(), Everything(), limit=50)
        standing = standing_of(session, "Carla")
        keys = {f"pmid:{GONE}"}
        proposed = db.proposing.articles_after(session, 0, limit=50)
        known = reviewed(session)
        return {
            "the list": GONE in {row.id for row in page_of_articles(session)},
            "the queue of another": GONE in standing.waiting,
            "reviewed": GONE in known.here,
            "progress": GONE in progress(session).articles,
            "search": GONE in {hit.article_id for hit in found.hits},
            "what a search counts": found.count == 10,
            "Find by key": bool(by_keys(session, keys)),
            "Find by filter": keys <= set(keys_of(session, None, None, [])),
            "proposing": GONE in proposed,
            "triage": GONE in {number for number, _, _ in outdated(session, "other rules", limit=50)},
            "labels": GONE in labels.labels and GONE in labels.read,
            "labels remembered": GONE in labels_now(session).labels,
            "evaluation": GONE in evaluated_articles(session, labels, ALL),
            "training": str(GONE) in {each.key for each in labelled_articles(session, labels, split)},
            "gold": str(GONE) in {row["pmid"] for row in gold_rows(session)},
            "gold of chosen ones": bool(gold_rows(session, Basis(articles=frozenset({GONE})))),
            "agreement": GONE in shared_articles(session),
            "documents": b"PMID 2" in download_documents("bioc") or b"Article 2" in download_documents("bioc"),
        }


def test_a_removed_article_is_nowhere_and_comes_back_whole(judged):
    before, there = contents(*SAID), where_it_is()
    assert {place for place, is_there in there.items() if not is_there} <= {"the queue of another"}
    assert remove([GONE], "off topic").done == [GONE]
    assert {place for place, is_there in where_it_is().items() if is_there} == set()
    update()  # the index drops it, too
    with read() as session:
        assert len(behind(session)) == 0
    assert {place for place, is_there in where_it_is().items() if is_there} == set()
    assert contents(*SAID) == before
    assert take_back([GONE]).done == [GONE]
    update()
    assert where_it_is() == there and contents(*SAID) == before


def test_it_is_handed_to_nobody_and_cannot_be_taken(home):
    store_proposed(2)
    remove([1])
    assert hand_out("Anna").article_id == 2
    assert take("Ben", 1) is None
    take_back([1])
    assert take("Ben", 1).article_id == 1


def test_what_somebody_has_in_hand_is_left_out_by_name(home):
    store_proposed(3)
    take("Anna", 1)
    outcome = remove([1, 2, 2, 99])
    told = "Removed 1 of 3 articles. Left out: 1 not stored; 1 held by Anna."
    assert (outcome.done, outcome.in_words("Removed")) == ([2], told)
    assert dict(remove([2]).left_out) == {"removed from the project": 1}
    assert dict(take_back([3]).left_out) == {"in the project": 1}


def test_a_verdict_that_comes_late_is_kept_and_counts_once_it_is_back(judged):
    remove([GONE])
    judge("Carla", GONE, verdict(1))
    with read() as session:
        assert GONE not in labels_now(session).labels
    take_back([GONE])
    with read() as session:
        assert [row["annotators"] for row in gold_rows(session) if row["pmid"] == "2"][1] == "Anna; Ben; Carla"


def test_it_says_what_is_kept_of_the_removed_ones(judged):
    assert kept_of([GONE, 9]) == "Kept, to come back with them: 3 judged sentences in 1 article."
    assert kept_of([9]) == ""


def test_counts_of_the_project_leave_it_out_but_a_backup_knows_that_there_is_something(judged):
    assert status()["articles"] == 10
    remove(range(1, 11))
    now = status()
    assert (now["articles"], now["sentences"], now["removed_articles"], now["labelled_articles"]) == (0, 0, 10, 0)
    with read() as session:
        assert count_listed(session, Wanted(removed=True)) == 10
        assert divided_works(session) == [] and links_of(session, 1).cited_by == []


def test_a_split_stays_what_it_was(judged):
    before = query("SELECT id, split FROM article ORDER BY id")
    remove([1, 2, 3])
    take_back([1, 2, 3])
    assert query("SELECT id, split FROM article ORDER BY id") == before and Split.TEST


def test_an_import_says_of_a_removed_article_who_removed_it_and_leaves_it_removed(judged):
    remove([GONE], "off topic")
    report = store(paper(pmid=str(GONE)), paper(pmid="3"))
    assert dict(report.counts) == {"already there": 2}
    ((source, said),) = report.warnings
    assert source == "file0.xml"
    assert said.startswith("was removed by operator on 20") and "(off topic): an import does not restore it" in said
    added = store(paper(pmid=str(GONE), body=["A body."]))
    assert dict(added.counts) == {"full text added": 1} and "does not restore it" in added.warnings[0][1]
    assert not any(where_it_is().values())
    take_back([GONE])
    assert store(paper(pmid=str(GONE))).warnings == []
