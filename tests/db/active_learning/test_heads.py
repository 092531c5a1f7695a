"""Queries of heads, and of the labels that came after one."""

import numpy as np

import db.active_learning.heads
import db.gold
import db.review.verdicts
import db.rows
from annotate.project.home import read, write
from annotate.project.rights import Right
from db.tables import ArticleFeatures, Head
from tests.support.making import judge, paper, reading, store, verdict, version_without_weights


def insert(version_id: int, **counts) -> Head:
    with write(Right.SYSTEM) as session:
        return db.rows.add(session, Head(version_id=version_id, until_verdict=0, counts=counts, weights={}, metrics={}))


def test_the_latest_base_of_a_version_is_found_among_the_heads_that_learnt_on(home):
    first, second = version_without_weights("a"), version_without_weights("b")
    with read() as session:
        assert db.active_learning.heads.latest_base(session, first.id) is None
    insert(first.id, base=True)
    base = insert(first.id, base=True)
    insert(first.id, base=False)
    other = insert(second.id, base=True)
    with read() as session:
        assert db.active_learning.heads.latest_base(session, first.id).id == base.id
        assert db.active_learning.heads.latest_base(session, second.id).id == other.id


def test_articles_are_touched_by_later_verdicts_withdrawals_and_readings(home):
    store(*(paper(pmid=str(number)) for number in range(1, 5)))
    judge("Anna", 1, verdict(0))
    judge("Anna", 2, verdict(0), reading())
    with read() as session:
        marks = db.review.verdicts.last_events(session)
        assert db.review.verdicts.touched(session, **marks) == set()
        assert db.review.verdicts.touched(session, 0, 0, 0) == {1, 2}
        assert db.review.verdicts.judged_articles(session, until=1) == {1}
    judge("Anna", 1, verdict(0, "withdrawn"))
    judge("Ben", 3, reading())
    with read() as session:
        assert db.review.verdicts.touched(session, **marks) == {1, 3}


def test_values_are_the_latest_of_each_annotator_on_these_articles(home):
    store(paper(pmid="1"), paper(pmid="2"), paper(pmid="3"))
    judge("Anna", 1, verdict(2), verdict(0), verdict(0, "reject"), verdict(1), verdict(1, "withdrawn"))
    judge("Ben", 1, verdict(0))
    judge("Ben", 2, verdict(0))
    judge("Ben", 3, verdict(0))
    with read() as session:
        rows = db.gold.verdict_rows(session, article_ids=[1, 2])
        assert [(row.article_id, row.position, row.value) for row in rows] == [
            (1, 2, "accept"),
            (1, 0, "reject"),
            (1, 0, "accept"),
            (2, 0, "accept"),
        ]


def test_values_come_in_the_order_in_which_they_were_given(home):
    store(paper(pmid="1"), paper(pmid="2"))
    for article, position in ((2, 2), (1, 1), (2, 0), (1, 2), (1, 0), (2, 1)):
        judge("Anna", article, verdict(position))
    with read() as session:
        values = [(row.article_id, row.position) for row in db.gold.verdict_rows(session)]
    assert values == [(2, 2), (1, 1), (2, 0), (1, 2), (1, 0), (2, 1)]


def row(version_id: int, article_id: int, **values):
    blobs = {"top": b"\x00" * 4, "top_rows": b"ab", "rows": b"abcdef"}
    return {
        "version_id": version_id,
        "article_id": article_id,
        "inputs_sha256": "x",
        "sentence_count": 3,
        **blobs,
    } | values


def test_rows_are_replaced_and_belong_to_one_version(home):
    first, second = version_without_weights("a"), version_without_weights("b")
    store(paper(pmid="1"), paper(pmid="2"))
    with write(Right.SYSTEM) as session:
        db.rows.put(
            session, ArticleFeatures, [row(first.id, 1), row(first.id, 2), row(second.id, 1, inputs_sha256="z")]
        )
        db.rows.put(session, ArticleFeatures, [row(first.id, 1, inputs_sha256="y", rows=b"new")])
    with read() as session:
        assert db.active_learning.heads.inputs(session, first.id, [1, 2, 3]) == {1: "y", 2: "x"}
        assert db.active_learning.heads.inputs(session, second.id, [1, 2]) == {1: "z"}
        assert db.active_learning.heads.rows(session, first.id, [1, 2]) == {1: (3, b"new"), 2: (3, b"abcdef")}
        assert db.active_learning.heads.article_ids(session, first.id) == [1, 2]


def test_rows_that_do_not_fit_the_present_text_are_not_read(home):
    version = version_without_weights("a")
    store(paper(pmid="1"), paper(pmid="2"))
    with write(Right.SYSTEM) as session:
        db.rows.put(session, ArticleFeatures, [row(version.id, 1), row(version.id, 2, sentence_count=2)])
    with read() as session:
        assert list(db.active_learning.heads.rows(session, version.id, [1, 2])) == [1]
        assert [number for number, *_ in db.active_learning.heads.tops(session, version.id)] == [1]
        assert db.active_learning.heads.article_ids(session, version.id) == [1]


def test_tops_change_alone(home):
    version = version_without_weights("a")
    store(paper(pmid="1"), paper(pmid="2"))
    other = np.array([2], dtype=np.int32).tobytes()
    with write(Right.SYSTEM) as session:
        db.rows.put(session, ArticleFeatures, [row(version.id, 1), row(version.id, 2)])
        db.active_learning.heads.change_tops(session, version.id, [{"of": 2, "top": other, "top_rows": b"cd"}])
    with read() as session:
        found = [tuple(row) for row in db.active_learning.heads.tops(session, version.id)]
        assert found == [(1, b"\x00" * 4, b"ab"), (2, other, b"cd")]
        assert [tuple(row) for row in db.active_learning.heads.tops(session, version.id, [2])] == found[1:]
        assert db.active_learning.heads.rows(session, version.id, [2]) == {2: (3, b"abcdef")}
