"""The index follows what is stored, and is made anew where it is damaged, of another format or another database."""

import json
import shutil

import pytest

import db.finding.indexed
import db.rows
from annotate.articles.document_labels import store_labels
from annotate.curation.removal import remove, take_back
from annotate.jobs.monitor import Cancelled
from annotate.project.home import folder, read, write
from annotate.project.memory import Latest
from annotate.project.rights import Right
from annotate.search import index_files as stored
from annotate.search import upkeep
from annotate.search.index_files import DamagedIndex, IndexBusy, IndexNotWritten, begin_anew, stored_index
from annotate.search.upkeep import behind, catch_up, index_articles, update, update_whole
from annotate.work import run_job
from db.tables import ArticleChange, TriageScore
from tests.annotate.search.conftest import articles, asked, recognise, sentences
from tests.support.labels import gene_labels
from tests.support.making import judge, paper, reading, store, verdict


def late() -> int:
    with read() as session:
        return len(behind(session))


def whole(**more) -> int:
    return update_whole(lambda done, total: None, lambda: False, lambda stage: None, **more)


def files(suffix: str):
    index = stored_index()
    assert index is not None
    return sorted(index.folder.rglob(f"*{suffix}"))


def test_without_an_index_all_articles_are_behind_and_a_page_leaves_them_to_the_job(library):
    assert stored_index() is None
    assert (late(), catch_up()) == (3, 3)
    assert run_job("index", {}) == {"articles_indexed": 3}
    assert (late(), catch_up()) == (0, 0)
    assert articles("yeast") == [3]


def test_an_article_that_comes_in_is_put_in_at_once(indexed):
    store(paper(("Zebrafish swim.",), pmid="4"))
    assert late() == 1
    assert catch_up() == 0
    assert articles("zebrafish") == [4]


@pytest.fixture
def compared(monkeypatch) -> list:
    """The articles whose changes are asked for, once for each question; None for all."""
    asked_for: list = []

    def changes(session, article_ids=None):
        asked_for.append(article_ids)
        return found(session, article_ids)

    found = db.finding.indexed.changes
    monkeypatch.setattr(db.finding.indexed, "changes", changes)
    return asked_for


def test_what_changed_is_compared_once(indexed, compared):
    store(paper(("Zebrafish swim.",), pmid="4"))
    assert (catch_up(), [*compared], articles("zebrafish")) == (0, [[4], (4,)], [4])
    compared.clear()
    store_labels(2, gene_labels("IL6", "", ""))
    remove([1])
    assert (late(), update(), [*compared]) == (2, 2, [[2, 1], (2,)])
    assert (articles("label:IL-6"), late()) == ([2], 0)
    take_back([1])
    assert (late(), update(), late()) == (1, 1, 0)


def test_all_are_compared_where_many_changed(indexed, compared, monkeypatch):
    monkeypatch.setattr(upkeep, "MOST_CHANGED", 1)
    store(paper(("Zebrafish swim.",), pmid="4"), paper(("Zebrafish eat.",), pmid="5"))
    assert (late(), [*compared]) == (2, [None])


@pytest.mark.parametrize("held", [None, b"{", b"{}", b"[]"])
def test_all_are_compared_where_it_is_not_known_what_the_index_held(indexed, compared, held):
    index = stored_index()
    assert index is not None and index.held() is not None
    (index.folder / "held.json").unlink()
    if held:
        (index.folder / "held.json").write_bytes(held)
    store(paper(("Zebrafish swim.",), pmid="4"))
    assert (late(), [*compared]) == (1, [None])


@pytest.mark.parametrize("later", [0, 1])
def test_all_are_compared_where_the_changes_up_to_then_are_others(indexed, compared, later, monkeypatch):
    """As in a database that was restored, whatever came later."""
    monkeypatch.setattr(upkeep, "_known", Latest())  # another process asks
    with write(Right.SYSTEM) as session:
        one = session.get(ArticleChange, 1)
        assert one is not None
        one.mark ^= 1
    store(*[paper(("Zebrafish swim.",), pmid="4")][:later])
    assert (late(), [*compared]) == (1 + later, [None])


def test_many_articles_that_come_in_are_left_to_the_job(indexed, monkeypatch):
    monkeypatch.setattr(upkeep, "BATCH_ARTICLES", 1)
    store(paper(("Zebrafish swim.",), pmid="4"), paper(("Zebrafish eat.",), pmid="5"))
    assert catch_up() == 2
    monkeypatch.setattr(upkeep, "BATCH_ARTICLES", 40)
    monkeypatch.setattr(upkeep, "AT_ONCE_SENTENCES", 1)
    assert catch_up() == 2
    assert update() == 2


def test_an_article_that_grew_changed_its_labels_or_was_recognised_anew_is_put_in_anew(indexed):
    store(paper(("Yeast grows.",), ("Its full text tells of vacuoles.",), pmid="3"))
    assert (late(), update(), articles("vacuoles"), articles("yeast")) == (1, 1, [3], [3])
    store_labels(2, gene_labels("IL6", "", ""))
    assert (late(), update(), articles("label:IL-6")) == (1, 1, [2])
    store_labels(2, gene_labels("IL1", "", ""))
    assert (late(), update(), articles("label:IL-6"), articles("label:il1")) == (1, 1, [], [2])
    store_labels(2, gene_labels("", "", ""))
    assert (late(), update(), articles("label:il1")) == (1, 1, [])
    store(paper(("Yeast grows.",), pmid="3", mesh=("D015003:Yeasts",)))
    assert (late(), update(), articles("mesh:yeasts")) == (1, 1, [3])
    recognise(3, 0, "Yeast", "organism", "Saccharomyces cerevisiae")
    assert (late(), update(), articles("organism:yeast")) == (1, 1, [3])
    index = stored_index()
    assert index is not None and index.sentences.searcher().num_docs == sum(index.articles.numbers("sentences")[0])


def test_what_is_no_part_of_the_index_leaves_it_as_it_is(indexed):
    judge("Anna", 1, verdict(0), reading())
    with write(Right.SYSTEM) as session:
        score = {"article_id": 1, "version": "1", "sentence_count": 5, "cue": 1.0, "probability": 0.5}
        db.rows.put(session, TriageScore, [score])
    assert (late(), update()) == (0, 0)


@pytest.mark.sqlite("a folder copied by hand brings the database along there alone")
def test_an_article_that_is_gone_goes_from_the_index(indexed, other_home):
    index = stored_index()
    assert index is not None
    kept = index.folder.parent
    other_home()
    store(paper(("Yeast grows.",), pmid="3", title="Yeast"))
    shutil.copytree(kept, folder(stored.NAME), dirs_exist_ok=True)  # as one who copies a folder by hand leaves it
    assert stored_index() is not None
    assert (late(), update()) == (3, 3)
    assert (articles("yeast"), articles("rose"), asked("", sentences=True).count) == ([1], [], 1)


def test_an_index_of_another_format_or_database_counts_as_none(indexed):
    about = folder(stored.NAME) / stored.ABOUT
    right = json.loads(about.read_text())
    for wrong in ({"format": right["format"] + 1}, {"database": "another"}, {"folder": "../elsewhere"}):
        about.write_text(json.dumps(right | wrong))
        assert stored_index() is None
        assert late() == 3
    for unreadable in ("", "[]", "{"):
        about.write_text(unreadable)
        assert stored_index() is None
    assert (whole(), late(), articles("yeast")) == (3, 0, [3])
    assert len(list(folder(stored.NAME).glob("index-*"))) == 1


@pytest.mark.sqlite("the index's own files")
@pytest.mark.parametrize("suffix", [".idx", ".term", ".pos", ".fast", "meta.json"])
@pytest.mark.parametrize("damage", ["cut", "gone", "other"])
def test_a_damaged_index_is_found_and_built_anew(indexed, suffix, damage):
    for path in files(suffix):
        content = path.read_bytes()
        path.unlink()
        if damage != "gone":
            changed = content[: len(content) // 2] if damage == "cut" else bytes(255 - byte for byte in content)
            path.write_bytes(changed)
    assert whole() == 3
    assert (late(), articles("yeast"), sentences("yeast")) == (0, [3], [(3, 0)])


def test_damage_seen_while_searching_is_named(indexed):
    index = stored_index()
    assert index is not None
    shutil.rmtree(index.folder)
    with pytest.raises(DamagedIndex, match="is gone"):
        asked("yeast")
    with pytest.raises(DamagedIndex):
        catch_up()
    assert (whole(), articles("yeast")) == (3, [3])


def test_a_file_changed_within_is_found_by_its_checksum(indexed):
    index = stored_index()
    assert index is not None
    index.check()
    (path, *_) = files(".pos")
    content = bytearray(path.read_bytes())
    content[3] ^= 1
    path.write_bytes(content)
    with pytest.raises(DamagedIndex, match=path.name):
        index.check()


def test_sentences_that_were_lost_are_found_missing(indexed):
    index = stored_index()
    assert index is not None
    with index.sentences.writing() as writer:
        writer.delete_all_documents()
        writer.commit()
    assert (late(), whole(), sentences("yeast")) == (0, 3, [(3, 0)])


def test_one_process_writes_and_others_read_meanwhile(indexed):
    index = stored_index()
    assert index is not None
    store(paper(("Zebrafish swim.",), pmid="4"))
    with index.articles.writing():
        with pytest.raises(IndexBusy, match="being updated already"):
            update()
        assert catch_up() == 1
        assert articles("yeast") == [3]
    assert catch_up() == 0


def test_a_job_waits_for_another_writer_and_gives_up_in_the_end(indexed, monkeypatch):
    monkeypatch.setattr(upkeep, "PATIENCE_SECONDS", 0.3)
    index = stored_index()
    assert index is not None
    store(paper(("Zebrafish swim.",), pmid="4"))
    with index.articles.writing(), pytest.raises(IndexBusy):
        whole()
    assert whole() == 1


def test_what_a_writer_did_not_commit_is_forgotten(indexed):
    index = stored_index()
    assert index is not None
    with pytest.raises(RuntimeError), index.articles.writing() as writer:
        writer.delete_all_documents()
        raise RuntimeError
    with index.articles.writing() as writer:
        writer.delete_all_documents()
    assert articles("yeast") == [3]


def test_a_disk_that_takes_nothing_is_named(library, monkeypatch):
    monkeypatch.setattr(upkeep, "entries", lambda *_: (_ for _ in ()).throw(OSError("No space left on device")))
    with pytest.raises(IndexNotWritten, match=r"the disk of .* is full"):
        update()


def test_a_cancelled_job_leaves_a_whole_index_and_the_rest_behind(library, monkeypatch):
    monkeypatch.setattr(upkeep, "BATCH_ARTICLES", 1)
    asked_for = iter([False, False, False, True])

    def done() -> bool:
        return next(asked_for, True)

    assert update(cancelled=done) == 2
    assert (late(), articles("yeast serum OR yeast")) == (1, [3])
    assert update() == 1


def test_a_job_that_is_cancelled_says_so(library):
    class Stopped:
        def report(self, *_: object) -> None: ...

        def cancelled(self) -> bool:
            return True

        def stop_if_cancelled(self) -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        index_articles({}, Stopped())


def test_an_index_begun_anew_takes_the_place_of_the_old_one(indexed):
    old = stored_index()
    new = begin_anew()
    assert old is not None and not old.folder.exists() and new.folder.exists()
    assert (late(), whole(anew=True)) == (3, 3)
