"""Queries of article features."""

import numpy as np

import db.active_learning.heads
import db.rows
from annotate.project.home import read, write
from annotate.project.rights import Right
from db.tables import ArticleFeatures
from tests.support.making import paper, store, version_without_weights


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
