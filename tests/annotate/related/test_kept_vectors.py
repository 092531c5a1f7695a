"""Vectors of texts: computed once, kept in parts, computed anew where a part is damaged."""

import numpy as np
import pytest

from annotate.finding.encoding import Encoder
from annotate.related import kept_vectors
from annotate.related.kept_vectors import KeptVectors

TEXTS = [f"sentence {n} of many" + " more" * n for n in range(7)]


@pytest.fixture
def counted(tiny_home, monkeypatch):
    encoded: list[str] = []
    real = Encoder.texts

    def texts(self, texts, *args):
        encoded.extend(texts)
        return real(self, texts, *args)

    monkeypatch.setattr(Encoder, "texts", texts)
    monkeypatch.setattr(kept_vectors, "CHUNK", 3)
    return encoded


def test_each_text_is_encoded_once_and_comes_back_in_its_place(counted):
    first = KeptVectors(Encoder()).of([*TEXTS, TEXTS[0]])
    assert sorted(counted) == sorted(TEXTS)
    counted.clear()
    again = KeptVectors(Encoder()).of(TEXTS[::-1])
    assert not counted
    assert np.array_equal(again[::-1], first[:-1])
    assert np.allclose(first, Encoder().texts([*TEXTS, TEXTS[0]]), atol=2e-3)


def test_what_was_computed_before_a_kill_stays(counted):
    def killed(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        KeptVectors(Encoder()).of(TEXTS, killed)
    counted.clear()
    KeptVectors(Encoder()).of(TEXTS)
    assert len(counted) == len(TEXTS) - kept_vectors.CHUNK


def test_a_damaged_part_is_said_and_computed_anew(counted, logged):
    kept = KeptVectors(Encoder())
    whole = kept.of(TEXTS)
    path = sorted(kept._place.glob("*.npz"))[0]
    path.write_bytes(path.read_bytes()[:50])
    counted.clear()
    assert np.allclose(kept.of(TEXTS), whole, atol=2e-3)
    assert counted
    assert "computed anew" in logged.text


def test_a_part_that_is_being_written_is_not_read(counted, logged):
    kept = KeptVectors(Encoder())
    (kept._place / ".keyline-0123.npz").write_bytes(b"half")
    kept.of(TEXTS)
    assert not logged.text
