"""A version with an encoder is trained, kept beside the others, promoted, measured, and reads articles."""

from pathlib import Path

import numpy as np
import pytest

import db.articles
import db.roles
from annotate.project.home import read
from annotate.registry.versions import promote, roll_back, version_named
from annotate.roles import encoder_reader
from annotate.roles.encoder_reader import EncoderChoice
from annotate.roles.evaluate_roles import evaluate
from annotate.roles.lessons import Lesson, held_aside
from annotate.roles.model_files import compared, model_now, version_now
from annotate.roles.reading import places_in_abstract, read_articles
from annotate.roles.train_roles import train
from db.values import Kind
from model.files import DamagedModel
from tests.support.making import paper, store
from tests.support.roles import learn_quickly, write_abstracts


@pytest.fixture
def trained(with_model: Path, tiny_encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Names the version before; one with the tiny encoder is in use now."""
    before = version_now()
    learn_quickly(monkeypatch)
    train([write_abstracts(tmp_path / "more.jsonl.gz", 70, seed=4)], encoder=EncoderChoice(str(tiny_encoder), 1))
    return before


def test_it_stands_beside_the_versions_of_words(trained: str, tmp_path: Path) -> None:
    assert [one["in_use"] for one in compared()] == [False, True]
    assert [bool(one["encoder"]) for one in compared()] == [False, True]
    figures = evaluate(write_abstracts(tmp_path / "unseen.jsonl.gz", 12, seed=3))
    assert figures["accuracy"] > 0.8
    with_encoder = version_now()
    promote(Kind.ROLES, version_named(trained, Kind.ROLES), by="test")
    assert version_now() == trained and roll_back(Kind.ROLES, by="test") == with_encoder == version_now()


def test_it_reads_articles_and_its_vectors_know_the_place_in_the_abstract(trained: str) -> None:
    text = ("Little is known about sleep.", "We measured sleep.", "Sleep increased by 12%.")
    store(paper(text, text, pmid="1", title="One"))
    assert read_articles() == 1
    with read() as session:
        (article,) = db.roles.read_ids(session, None)
        ((_, count, roles, vectors),) = db.roles.of_articles(session, [article])
        sentences = db.articles.sentences(session, [article])
    assert (len(roles), len(vectors)) == (5 * count, 2 * count * model_now().vectors(text).shape[1])
    places = {one.text: [] for one in sentences}
    for one, place in zip(sentences, places_in_abstract(sentences), strict=True):
        places[one.text].append(place)
    assert [places[one][0] for one in text] == [0, 0.5, 1]
    assert all(np.isnan(places[one][1]) for one in text)


def test_a_tenth_is_held_aside_the_same_for_a_seed() -> None:
    lessons = [Lesson([str(number)], None, []) for number in range(30)]
    taught, aside = held_aside(lessons, 1)
    assert len(aside) == 3 and not {one.sentences[0] for one in taught} & {one.sentences[0] for one in aside}
    assert held_aside(lessons, 1)[1] == aside != held_aside(lessons, 2)[1]
    assert len(held_aside(lessons[:4], 0)[1]) == 1


def test_what_cannot_be_an_encoder_is_said(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learn_quickly(monkeypatch)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    files = [write_abstracts(tmp_path / "roles.jsonl.gz")]
    with pytest.raises(OSError, match="no-such/encoder"):
        train(files, encoder=EncoderChoice("no-such/encoder"))
    (tmp_path / "pickled").mkdir()
    (tmp_path / "pickled/model.bin").write_bytes(b"")
    with pytest.raises(DamagedModel, match="pickle"):
        train(files, encoder=EncoderChoice(str(tmp_path / "pickled")))
    with pytest.raises(ValueError, match="layers is 9; the encoder has 6"):
        train(files, encoder=EncoderChoice(encoder_reader.EMBEDDED, 9))
    with pytest.raises(ValueError, match="on one sentence at least, not on 0"):
        EncoderChoice(encoder_reader.EMBEDDED, tuned_on=0)
    assert version_now() == ""
