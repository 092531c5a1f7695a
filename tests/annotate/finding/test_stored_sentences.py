"""The project's own articles as a library: vectors kept up to date, words by the index, filters, key sentences."""

import numpy as np
import pytest

import db.articles
import db.finding.read_texts
import db.rows
from annotate.curation.tags import put_on, take_off
from annotate.finding import encoding, search_vectors
from annotate.finding.encoding import Encoder
from annotate.finding.find import ranked, results
from annotate.finding.question import Facet, Filters, NotRanked, Question
from annotate.finding.search_vectors import store_vectors, stored_vectors
from annotate.finding.stored_sentences import StoredLibrary, key_sentences
from annotate.project.home import read, write
from annotate.project.rights import Right
from annotate.proposing.encoder_versions import proposing_version
from annotate.registry.versions import model_folder
from annotate.search.upkeep import update_whole
from db.tables import Article
from tests.support.making import paper, store

pytestmark = pytest.mark.usefixtures("tiny_home")


def stock():
    store(
        paper(("We deleted TP53 in HeLa cells.",), pmid="1", title="Knockout of TP53", year=2001, journal="Cell"),
        paper(("Tumours appeared in mice.",), pmid="2", title="Loss of p53", year=2010, journal="Nature"),
        paper((), ("Sweets were eaten in schools.",), pmid="3", title="Teeth of pupils"),
    )


def count_outdated():
    with read() as session:
        return db.finding.read_texts.count_outdated(session, proposing_version().id)


def test_every_article_gets_one_unit_vector_and_nothing_is_computed_twice(monkeypatch):
    stock()
    told = []
    assert store_vectors(proposing_version(), lambda done, total: told.append((done, total))) == 3
    assert told[-1] == (3, 3)
    keys, matrix = stored_vectors(proposing_version())
    assert keys == ["pmid:1", "pmid:2", "pmid:3"]
    assert np.linalg.norm(matrix, axis=1) == pytest.approx(1, abs=1e-2)
    monkeypatch.setattr(Encoder, "texts", None)
    assert store_vectors(proposing_version()) == 0


def make_index():
    update_whole(lambda done, total: None, lambda: False, lambda stage: None)


@pytest.mark.postgresql
def test_an_article_that_grew_is_encoded_anew_where_its_title_or_abstract_changed(monkeypatch):
    stock()
    store_vectors(proposing_version())
    before = stored_vectors(proposing_version()).matrix.copy()
    with write(Right.SYSTEM) as session:
        db.rows.change(session, Article, 1, sentence_count=9)
        db.rows.change(session, Article, 3, sentence_count=9, title="Other teeth")
    assert count_outdated() == 2
    encoded = []
    real = Encoder.texts
    monkeypatch.setattr(Encoder, "texts", lambda self, texts, *more: encoded.extend(texts) or real(self, texts, *more))
    assert store_vectors(proposing_version()) == 1
    assert encoded == ["Other teeth\nSweets were eaten in schools."]
    after = stored_vectors(proposing_version()).matrix
    assert np.array_equal(before[:2], after[:2]) and not np.array_equal(before[2], after[2])
    assert count_outdated() == 0


def test_a_cancelled_run_keeps_what_was_stored_and_goes_on_later(monkeypatch):
    stock()
    monkeypatch.setattr(search_vectors, "CHUNK", 1)
    turns = iter([False, False, True])
    assert store_vectors(proposing_version(), cancelled=lambda: next(turns)) == 2
    assert len(stored_vectors(proposing_version()).keys) == 2
    assert store_vectors(proposing_version()) == 1


def test_a_question_is_answered_from_the_index_and_the_vectors():
    stock()
    store_vectors(proposing_version())
    make_index()
    question = Question(facets={"gene": (Facet("TP53", ("p53",)),)})
    order = ranked(question, StoredLibrary())
    assert set(order.keys) == {"pmid:1", "pmid:2", "pmid:3"}
    first = results(question, StoredLibrary(), order, order.keys)[0]
    assert first.article_id in (1, 2) and first.matched["gene"] and first.document.mesh == ()
    assert set(first.ranks) == {"words", "vectors", "alike", "near"}
    assert first.document.journal in ("Cell", "Nature") and order.left_out == {}


def test_without_index_and_vectors_nothing_is_found_and_both_reasons_are_told():
    stock()
    order = ranked(Question("TP53"), StoredLibrary())
    assert order.keys == []
    assert "search index" in order.left_out["words"] and "by meaning" in order.left_out["vectors"]


def test_damaged_files_of_the_encoder_leave_the_words(tiny_home):
    stock()
    make_index()
    version = proposing_version()
    store_vectors(version)
    weights = next(model_folder(version).rglob("*.safetensors"))
    weights.write_bytes(b"damaged")

    encoding._loaded.clear()
    encoding._questions.clear()
    order = ranked(Question("TP53"), StoredLibrary())
    assert order.keys[0] == "pmid:1" and "cannot be read" in order.left_out["vectors"]
    with pytest.raises(NotRanked):
        Encoder(version).question("TP53")


@pytest.mark.postgresql
def test_filters_are_asked_of_the_database():
    stock()
    library = StoredLibrary()
    assert library.passing(Question(filters=Filters())) is None
    assert library.passing(Question(filters=Filters(years=(2005, 2012)))) == {"pmid:2"}
    assert library.passing(Question(filters=Filters(years=(None, 2005)))) == {"pmid:1"}
    assert library.passing(Question(filters=Filters(journals=("Cell", "Nature")))) == {"pmid:1", "pmid:2"}


@pytest.mark.postgresql
def test_tags_are_filters_and_a_tag_that_was_taken_off_is_none():
    stock()
    put_on([1], ["pilot"])
    put_on([1, 2], ["to read"])
    take_off([2], ["to read"])
    library = StoredLibrary()
    assert library.passing(Question(filters=Filters(tags=("pilot", "nobody's")))) == {"pmid:1"}
    assert library.passing(Question(filters=Filters(tags=("to read",)))) == {"pmid:1"}
    assert library.passing(Question(filters=Filters(tags=("nobody's",)))) == set()
    assert "pmid:1" not in library.passing(Question(filters=Filters(without_tags=("pilot",))))
    assert "pmid:2" in library.passing(Question(filters=Filters(without_tags=("pilot",))))
    assert library.passing(Question(filters=Filters(years=(2005, None), tags=("pilot",)))) == set()


def test_articles_without_proposals_have_no_key_sentence():
    stock()
    assert key_sentences([1, 2]) == {}
