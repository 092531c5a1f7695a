"""The vectors of the library in files: the same answers as from the database, grown, mended, and made whole."""

import os
from pathlib import Path

import numpy as np
import pytest

import db.articles
import db.proposing
import db.registry
import db.rows
from annotate.embeddings.stored_vectors import embeddings_of
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.project.stored_settings import change_settings
from annotate.review.sentence_roles import FunctionSettings
from annotate.roles import vector_files
from annotate.roles.alike import alike, vectors_of
from annotate.roles.model_files import version_now
from annotate.roles.reading import read_articles
from annotate.roles.vector_files import Kind, keep_vectors, nearest
from db.tables import Article
from model.vectors import unit
from tests.annotate.roles.conftest import BODY
from tests.support.making import paper, propose_with, store, version_without_weights
from tests.support.roles import bring_models


@pytest.fixture
def library(read_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two articles whose vectors are in two files."""
    monkeypatch.setattr(vector_files, "BLOCK", 2)
    assert keep_vectors() == 2
    return read_home / "functions-vectors"


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*.vectors")}


def found(by_function: float = 1.0) -> list[tuple[int, int, float]]:
    with read() as session:
        alike_now = alike(session, 1, 3, by_function, library=True)
    return [(one.article_id, one.position, one.likeness) for one in alike_now]


def by_hand(by_function: float) -> list[tuple[int, int, float]]:
    """All sentences, by what the database holds of them."""
    with read() as session:
        rows = list(vectors_of(session))
        version = db.registry.encoder_in_use(session)
        meanings = embeddings_of(session, version.id, [one.article_id for one in rows])
    meaning = {number: unit(own) for number, own in meanings.items()}
    asked = rows[0].function[3], meaning[1][3]
    near = [
        (
            one.article_id,
            at,
            float(by_function * own @ asked[0] + (1 - by_function) * meaning[one.article_id][at] @ asked[1]),
        )
        for one in rows
        for at, own in enumerate(one.function)
        if one.roles[at].any() and (one.article_id, at) != (1, 3)
    ]
    return sorted(near, key=lambda one: (-one[2], one[:2]))[:20]


@pytest.mark.parametrize("by_function", [0.0, 0.5, 1.0])
def test_the_files_answer_as_the_database_does(library: Path, by_function: float) -> None:
    version = version_without_weights("tiny")
    propose_with(version)
    rng = np.random.default_rng(0)
    rows = []
    for article_id, count in ((1, 6), (2, 6)):
        vectors = rng.normal(size=(count, version.dimension)).astype(np.float16)
        rows.append({"version_id": version.id, "article_id": article_id, "sentence_count": count})
        rows[-1]["vectors"] = vectors.tobytes()
    with write(Right.SYSTEM) as session:
        db.proposing.store_embeddings(session, rows)
    wanted, got = by_hand(by_function), found(by_function)
    assert [one[2] for one in got] == pytest.approx([one[2] for one in wanted], abs=2e-3)
    assert {one[:2] for one in got} == {one[:2] for one in wanted}


@pytest.mark.postgresql
def test_an_article_that_came_makes_its_own_file_anew_and_no_other(library: Path) -> None:
    before = names(library)
    store(paper(BODY, pmid="3"))
    read_articles()
    assert 3 in {article for article, _, _ in found()}
    after = names(library)
    assert len(before & after) == 1 and len(after) == 2  # articles 2 and 3 share one; the old one is gone


def test_a_damaged_file_is_made_anew(library: Path) -> None:
    wanted = found()
    for path in library.glob("*.vectors"):
        content = bytearray(path.read_bytes())
        content[100] ^= 255
        path.write_bytes(content)
    cut = min(library.glob("*.vectors"))
    cut.write_bytes(cut.read_bytes()[:70])
    vector_files._kept.forget()  # as another process finds them
    assert found() == wanted
    assert cut.stat().st_size > 70


def test_another_version_of_the_model_takes_the_place_of_the_files(library: Path, trained_later: Path) -> None:
    before = names(library)
    bring_models(trained_later)
    read_articles()
    assert keep_vectors() == 2
    assert not names(library) & before
    assert all(name.startswith(version_now()) for name in names(library))


@pytest.mark.postgresql
def test_the_files_of_a_version_that_proposes_no_more_go(library: Path) -> None:
    for name in ("tiny", "other"):
        version = version_without_weights(name)
        propose_with(version)
        assert keep_vectors() == 4
    meanings = {name.split("-")[1] for name in names(library)}
    assert meanings == {"function", str(version.id)} and len(names(library)) == 4
    found()
    assert {path.name for path in vector_files._kept.here()} <= names(library)


def test_what_a_killed_process_left_goes_and_what_another_writes_stays(library: Path) -> None:
    left, written = library / ".keyline-left.vectors", library / ".keyline-new.vectors"
    for path in (left, written):
        path.write_bytes(b"a part")
    os.utime(left, (0, 0))
    store(paper(BODY, pmid="3"))
    read_articles()
    keep_vectors()
    assert not left.exists() and written.exists()


def test_another_article_under_the_same_id_has_its_own_file(library: Path) -> None:
    before = names(library)
    with write(Right.SYSTEM) as session:
        db.rows.change(session, Article, 2, imported_at="2001-01-01T00:00:00+00:00")
    keep_vectors()
    assert len(before & names(library)) == 1


@pytest.mark.postgresql
def test_what_another_version_read_is_not_compared(library: Path, trained_later: Path) -> None:
    bring_models(trained_later)
    read_articles([2])
    assert {article for article, _, _ in found()} == {1}


def test_a_disk_that_refuses_costs_no_answer(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = found()
    for path in library.glob("*.vectors"):
        path.unlink()
    vector_files._kept.forget()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(vector_files, "whole_file", full)
    assert found() == wanted and not names(library) and not vector_files._kept.here()


def test_nothing_is_kept_where_roles_are_switched_off_or_a_job_is_stopped(library: Path) -> None:
    assert keep_vectors(cancelled=lambda: True) == 1
    change_settings("Cora", FunctionSettings(roles=False))
    assert keep_vectors() == 0


def test_a_library_that_nobody_read_has_no_neighbours(with_model: Path) -> None:
    with read() as session:
        assert nearest(session, Kind("none", None), np.ones(3), limit=5) == []


def test_progress_is_told_when_nobody_reads(read_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_files, "BLOCK", 2)
    told = []

    def progress(done: int, total: int) -> None:
        with write(Right.SYSTEM) as session:
            session.connection()
            told.append((done, total))

    assert keep_vectors(progress) == 2
    assert told == [(1, 2), (2, 2)]
