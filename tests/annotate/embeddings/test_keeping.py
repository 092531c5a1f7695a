"""Embeddings of large projects lie in files beside the database, are the same there, and are made anew where one is
lost or damaged."""

import os
import time
from pathlib import Path

import numpy as np
import pytest

import annotate.embeddings.keeping
import db.registry
from annotate.embeddings.keeping import keeping
from annotate.embeddings.stored_vectors import embeddings_of
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.embed import embed
from annotate.proposing.propose import NotEmbedded, pools_of, propose
from db.tables import ModelVersion
from model.proposing.ranking import Ranking
from tests.support.making import contents, paper, query, store

ARTICLES = [1, 2, 3]


@pytest.fixture
def files(tiny_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three articles of three sentences each, in a project that counts as large; the folder of its first version."""
    store(*(paper(pmid=str(number)) for number in ARTICLES))
    monkeypatch.setattr(annotate.embeddings.keeping, "DATABASE_SENTENCES", 8)
    monkeypatch.setattr(annotate.embeddings.keeping, "FILE_SENTENCES", 9)
    monkeypatch.setattr(annotate.embeddings.keeping, "LEAST_SENTENCES", 6)
    return tiny_home / "embeddings" / str(version().id)


def version() -> ModelVersion:
    with read() as session:
        found = db.registry.encoder_named(session, "tiny")
    assert found is not None
    return found


def stored() -> dict[int, np.ndarray]:
    with read() as session:
        return embeddings_of(session, version().id, ARTICLES)


def rows() -> list[tuple[int, bool, bool]]:
    """(article, whether the database holds its vectors, whether a file does)."""
    return query("SELECT article_id, length(vectors) > 0, file IS NOT NULL FROM embedding ORDER BY article_id")


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="the system does not say what is mapped")
def test_few_of_many_files_stay_in_memory_once_they_were_read(files, monkeypatch):
    monkeypatch.setattr(annotate.embeddings.keeping, "LEAST_SENTENCES", 1)
    store(*(paper(pmid=str(number)) for number in range(4, 10)))
    for number in range(1, 10):
        embed(version(), article_ids=[number])
    with read() as session:
        assert len(embeddings_of(session, version().id, range(1, 10))) == len(list(files.iterdir())) == 9
    mapped = Path("/proc/self/maps").read_text()
    assert sum(path.name in mapped for path in files.iterdir()) <= 4


def test_a_large_project_keeps_embeddings_in_files_that_give_the_same(files, monkeypatch):
    monkeypatch.setattr(annotate.embeddings.keeping, "DATABASE_SENTENCES", 9)
    assert embed(version()) == 9
    assert rows() == [(number, True, False) for number in ARTICLES] and not files.exists()
    before = stored()
    assert propose(ranking=Ranking.COSINE) == 3
    with write(Right.SYSTEM) as session:
        db.proposing.remove_embeddings(session, version().id)
    monkeypatch.setattr(annotate.embeddings.keeping, "DATABASE_SENTENCES", 8)
    assert embed(version()) == 9
    assert rows() == [(number, False, True) for number in ARTICLES]
    assert len(list(files.iterdir())) == 1
    after = stored()
    assert list(after) == ARTICLES and all(np.array_equal(before[number], after[number]) for number in ARTICLES)
    assert propose(ranking=Ranking.COSINE) == 0  # all as it was


def test_what_is_embedded_already_stays_where_it_is_and_few_sentences_go_to_the_database(files):
    assert embed(version()) == 9
    before = contents("embedding")
    assert embed(version()) == 0 and contents("embedding") == before
    store(paper(pmid="4"))
    assert embed(version()) == 3
    assert rows() == [*((number, False, True) for number in ARTICLES), (4, True, False)]


@pytest.mark.parametrize("harm", ["gone", "cut", "changed"])
@pytest.mark.postgresql
def test_where_a_file_is_lost_or_damaged_its_articles_are_embedded_anew(files, harm):
    embed(version())
    before = stored()
    annotate.embeddings.embedding_files._opened.cache_clear()  # as in a process that begins
    (path,) = files.iterdir()
    content = bytearray(path.read_bytes())
    if harm == "gone":
        path.unlink()
    elif harm == "cut":
        path.write_bytes(content[: len(content) // 2])
    else:
        content[-1] ^= 1  # of the vectors of the last article
        path.write_bytes(content)
    with read() as session, pytest.raises(NotEmbedded, match="is not embedded under tiny"):
        pools_of(session, version(), ARTICLES)
    assert stored() == {} and not path.exists()
    assert embed(version()) == 9
    after = stored()
    assert all(np.array_equal(before[number], after[number]) for number in ARTICLES)


def test_what_was_computed_before_an_error_is_stored(files):
    vectors = {1: np.ones((3, 4), np.float16), 2: np.ones((3, 4), np.float16)}
    with pytest.raises(ZeroDivisionError), keeping(version().id) as keeper:
        keeper.add(vectors)
        assert rows() == []
        raise ZeroDivisionError
    assert rows() == [(1, False, True), (2, False, True)]


def test_work_of_minutes_is_not_in_memory_alone(files, monkeypatch):
    monkeypatch.setattr(annotate.embeddings.keeping, "FILE_SECONDS", 0.0)
    with keeping(version().id) as keeper:
        keeper.add({1: np.ones((3, 4), np.float16)})
        assert rows() == []
        keeper.add({2: np.ones((3, 4), np.float16)})
        assert rows() == [(1, False, True), (2, False, True)]


def test_a_file_that_no_row_names_is_removed_once_it_is_old(files):
    embed(version())
    (named,) = files.iterdir()
    left, new = files / "left.safetensors", files / "new.safetensors"
    for path in (named, left, new):
        path.touch()
    for path in (named, left):
        os.utime(path, (time.time() - 7200,) * 2)
    embed(version())
    assert sorted(files.iterdir()) == sorted([named, new])
