"""What Find reads ahead: the encoder and the names, once nobody is at work, and each version once."""

import pytest

import pages.parts.finding.shown as of_find
from annotate.finding import encoding
from annotate.finding.search_vectors import store_vectors, warm_up
from annotate.proposing.embed import embed
from annotate.proposing.encoder_versions import proposing_version
from tests.support.making import paper, store
from tests.support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("tiny_home")


def test_the_encoder_and_the_names_are_read_once_nobody_is_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    store(paper(pmid="1"))
    embed(proposing_version())
    quiet, looks, rounds, asked, names = [0.0], [], [], [], []

    def quiet_seconds() -> float:
        looks.append(quiet[0])
        return quiet[0]

    def counted() -> bool:
        rounds.append(warm_up())
        return rounds[-1]

    monkeypatch.setattr(encoding, "_read_ahead", set())
    monkeypatch.setattr(encoding.Encoder, "question", lambda self, text: asked.append(text))
    monkeypatch.setattr(of_find, "quiet_seconds", quiet_seconds)
    monkeypatch.setattr(of_find, "warm_up", counted)
    monkeypatch.setattr(of_find, "read_names", lambda: names.append("read"))
    monkeypatch.setattr(of_find, "LOOK_SECONDS", 0.01)
    with of_find.warming():
        wait_until(lambda: len(looks) > 2)
        assert not rounds  # somebody is at work
        quiet[0] = of_find.QUIET_SECONDS
        wait_until(lambda: len(rounds) > 1)
        assert not asked and not names  # articles are not compared by meaning
        store_vectors(proposing_version())
        wait_until(lambda: names and asked)
        before = len(rounds)
        wait_until(lambda: len(rounds) > before + 1)
    assert asked == ["ready"] and names == ["read"] and rounds.count(True) == 1
