"""Status: the counts of the first page, from stored rows alone."""

import json

import db.jobs
from annotate.gold.label_sets import current_label_set
from annotate.jobs.lifecycle import enqueue
from annotate.operations.project_status import status
from annotate.project.home import read
from annotate.proposing.propose import propose
from model.proposing.ranking import Ranking
from tests.support.making import (
    judge,
    paper,
    pmids,
    propose_with,
    reading,
    store,
    store_cosines,
    verdict,
    version_without_weights,
)
from tests.support.topics import BEST_GENERIC, GENERIC_QUERIES


def test_status_counts_what_is_stored(home):
    first, second = pmids("test", 2)
    version = version_without_weights("tiny")
    propose_with(version)
    store(paper(pmid=first), paper(body=("One more.",), pmid=pmids("train", 1)[0]), paper((), pmid=second))
    store_cosines(version, 1, GENERIC_QUERIES[BEST_GENERIC], (0.5, 0.25, 0.0))
    propose(ranking=Ranking.COSINE, article_ids=[1])
    judge("Anna", 1, verdict(0), verdict(1, "reject"), verdict(2, "unsure"), verdict(0, "accept"))
    judge("Anna", 2, verdict(0), reading())
    job_id = enqueue("train", {})
    found = status()
    with read() as session:
        sha256 = current_label_set(session).sha256
        assert [job.id for job in db.jobs.active(session)] == [job_id]
    assert found == {
        "home": str(home),
        "articles": 3,
        "full_text": 1,
        "sentences": 7,
        "removed_articles": 0,
        "articles_with_text": 2,
        "split_train": 1,
        "split_validation": 0,
        "split_test": 2,
        "works_in_two_splits": 0,
        "articles_with_proposals": 1,
        "articles_to_propose": 1,
        "verdict_events": 5,
        "labelled_articles": 2,
        "key_sentences": 2,
        "other_labels": 1,
        "articles_read_in_full": 1,
        "label_set_sha256": sha256,
        "proposing_version": "tiny",
        "versions": ["tiny"],
        "active_jobs": [{"id": job_id, "kind": "train", "state": "queued", "progress": {}}],
    }
    json.dumps(found)


def test_status_of_a_new_folder_counts_nothing(home):
    found = status()
    assert (found["articles"], found["sentences"], found["key_sentences"]) == (0, 0, 0)
    assert found["proposing_version"] == "all-MiniLM-L6-v2"
