"""Vectors of texts: each computed once, kept in parts, computed again where a part is damaged."""

import numpy as np
import pytest

from annotate.embeddings import text_vectors
from annotate.embeddings.text_vectors import StoppedEncoding, TextVectors

TEXTS = [f"sentence {n} of many" + " more" * n for n in range(7)]


class Encoded(list[str]):
    """Encodes a text as its length and its number of words, and keeps what it was asked."""

    def __call__(self, texts):
        self.extend(texts)
        return np.array([[len(text), text.count(" ")] for text in texts], dtype=np.float32)


@pytest.fixture
def encoded(monkeypatch):
    monkeypatch.setattr(text_vectors, "CHUNK", 3)
    return Encoded()


def test_each_text_is_encoded_once_and_comes_back_in_its_place(encoded, tmp_path):
    first = TextVectors(tmp_path, encoded).of([*TEXTS, TEXTS[0]])
    assert sorted(encoded) == sorted(TEXTS)
    again = TextVectors(tmp_path, encoded).of(TEXTS[::-1])
    assert len(encoded) == len(TEXTS)
    assert np.array_equal(again[::-1], first[:-1])
    assert first[:, 0].tolist() == [len(text) for text in [*TEXTS, TEXTS[0]]]


def test_what_was_computed_before_a_kill_stays(encoded, tmp_path):
    def killed(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        TextVectors(tmp_path, encoded).of(TEXTS, killed)
    assert len(encoded) == text_vectors.CHUNK
    TextVectors(tmp_path, encoded).of(TEXTS)
    assert sorted(encoded) == sorted(TEXTS)


def test_a_cancelled_encoding_stops_between_chunks_and_keeps_them(encoded, tmp_path):
    kept = TextVectors(tmp_path, encoded)
    asked = iter([False, True])
    with pytest.raises(StoppedEncoding):
        kept.of(TEXTS, cancelled=lambda: next(asked))
    assert set(kept.known(TEXTS)) == set(encoded) and len(encoded) == text_vectors.CHUNK


def test_a_damaged_part_is_said_and_computed_again(encoded, tmp_path, logged):
    whole = TextVectors(tmp_path, encoded).of(TEXTS)
    path = sorted(tmp_path.glob("*.npz"))[0]
    path.write_bytes(path.read_bytes()[:50])
    encoded.clear()
    assert np.array_equal(TextVectors(tmp_path, encoded).of(TEXTS), whole)
    assert 0 < len(encoded) <= text_vectors.CHUNK
    assert "encoded again" in logged.text


def test_a_part_that_is_being_written_is_not_read(encoded, tmp_path, logged):
    (tmp_path / ".keyline-0123.npz").write_bytes(b"half")
    TextVectors(tmp_path, encoded).of(TEXTS)
    assert not logged.text


def test_vectors_of_two_kinds_lie_apart_in_one_folder_and_a_new_one_changes_the_mark(encoded, tmp_path):
    queries, documents = (TextVectors(tmp_path, encoded, prefix) for prefix in ("query-", "document-"))
    before = queries.mark
    queries.of(TEXTS[:1])
    assert documents.known(TEXTS) == {} and set(queries.known(TEXTS)) == {TEXTS[0]}
    assert queries.mark != before == documents.mark
