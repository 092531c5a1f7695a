"""An encoder beside the words: it reads roles, is written and read with the model, and its shares are chosen."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from annotate.roles.labelled import Labelled, labelled_abstract
from model.encoder import load
from model.roles import context, encoder_scores
from model.roles.choosing import choose_shares
from model.roles.encoder_scores import EncoderScores
from model.roles.model_folder import BadRoleModel, manifest
from model.roles.role_model import RoleModel
from model.roles.shares import Shares
from tests.support.roles import abstracts

SHARES = Shares(abstracts=0.5, sentences=0.5, encoder=1.0, place=0.5)


def read(count: int, seed: int = 0) -> list[Labelled]:
    return [labelled_abstract(row["sentences"], row["roles"]) for row in abstracts(count, seed)]


@pytest.fixture(scope="module")
def both(tiny_encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[RoleModel, Path]:
    """A model with the tiny encoder, which knows few words: mostly the order of the abstract tells it the roles."""
    learnt = [(one.sentences, one.roles) for one in read(60)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(context, "NETWORKS", 1)
        patch.setattr(encoder_scores, "NETWORKS", 1)
        patch.setattr(context, "LEAST_STEPS", 60)
        words, scores = RoleModel.fit(learnt, {})
        encoder = EncoderScores.fit(load(tiny_encoder, "cpu"), learnt, scores, 0)
    made = replace(words, encoder=encoder, shares=SHARES)
    folder = tmp_path_factory.mktemp("both")
    made.save(folder)
    return made, folder


def test_it_reads_the_roles_of_abstracts_that_it_has_not_seen(both):
    unseen = read(20, seed=9)
    words, encoder = both[0].both_of_abstracts([one.sentences for one in unseen])
    roles = np.concatenate([one.roles for one in unseen])
    assert all(len(rows) == len(one.sentences) for rows, one in zip(encoder, unseen, strict=True))
    assert (np.concatenate(encoder).argmax(axis=1) == roles).mean() > 0.9
    assert (
        np.concatenate(both[0].of_abstracts([one.sentences for one in unseen])).argmax(axis=1) == roles
    ).mean() > 0.9
    assert not np.allclose(np.concatenate(words), np.concatenate(encoder))


def test_a_full_text_is_read_by_both(both):
    text = ["We measured malaria.", "Little is known about sleep.", "We measured sleep."]
    found = both[0].of_article(text, ["other", "other", "methods"], [True, True, False])
    assert found.shape == (3, 5) and found.sum(axis=1) == pytest.approx(1)
    assert both[0].of_article([], [], []).shape == (0, 5)


def test_a_vector_has_the_parts_in_the_lengths_of_the_shares(both):
    model, _ = both
    texts = ["We measured sleep.", "Sleep increased by 12%."]
    roles = np.eye(5)[:2]
    found = model.vectors(texts, roles, np.array([0, np.nan]))
    words = model.projection.shape[1]
    assert found[:, :5] == pytest.approx(1.5 * roles)
    assert np.linalg.norm(found[:, 5 + words : -2], axis=1) == pytest.approx(1)
    assert found[:, -2:] == pytest.approx(np.array([[0.5, 0], [0, 0]]))
    assert model.vectors([]).shape == (0, found.shape[1])


def test_what_is_written_is_what_is_read(both):
    made, folder = both
    again = RoleModel.load(folder)
    texts = [["We sought to understand sleep.", "Sleep increased by 12%."]]
    assert again.version == made.version == manifest(folder)["version"]
    assert again.shares == made.shares
    assert again.of_abstracts(texts)[0] == pytest.approx(made.of_abstracts(texts)[0], abs=1e-5)
    assert again.vectors(texts[0]) == pytest.approx(made.vectors(texts[0]), abs=2e-2)  # float16 on the disk


@pytest.mark.parametrize("name", ["encoder/mapping.safetensors", "encoder/model.safetensors", "encoder/added.json"])
def test_a_file_of_the_encoder_that_is_another_one_is_refused_by_its_name(both, name, tmp_path):
    for path in both[1].rglob("*"):
        if path.is_file():
            (tmp_path / path.relative_to(both[1])).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path.relative_to(both[1])).write_bytes(path.read_bytes())
    (tmp_path / name).write_bytes(b"other")
    with pytest.raises(BadRoleModel, match=name.rpartition("/")[2]):
        RoleModel.load(tmp_path)


def test_the_vectors_of_an_article_are_computed_once(both, monkeypatch):
    model, texts = both[0], ["Samples of yeast were kept.", "We measured yeast anew."]
    model.of_article(texts, ["methods", "methods"], [False, False])
    monkeypatch.setattr(encoder_scores, "encode", None)  # would fail if it were called
    assert model.vectors(texts).shape[0] == 2


def test_shares_are_chosen_on_what_was_held_aside(both):
    aside = [(one.sentences, one.roles, [-1] * len(one.sentences)) for one in read(12, seed=5)]
    blind = replace(both[0].encoder, apart=np.zeros_like(both[0].encoder.apart), _kept={})
    bare = [own for own, _, _ in aside]
    found = choose_shares(replace(both[0], encoder=blind, shares=Shares()), aside, bare, 0)
    assert found.sentences < 1  # what says nothing of a sentence is not believed alone
    assert found.role > 0  # roles are asked for, and tell them
    nothing = [(own, np.full(len(own), -1), [-1] * len(own)) for own, _, _ in aside]
    assert choose_shares(replace(both[0], shares=Shares()), nothing, bare, 0) == Shares(encoder=1.0)
