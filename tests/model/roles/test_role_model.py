"""The model of roles: learns what made-up abstracts say, is written and read, and refuses damaged files."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from annotate.roles.labelled import labelled_abstract
from model.roles import context
from model.roles.model_folder import BadRoleModel, manifest
from model.roles.role_model import RoleModel
from model.sentence_roles import ROLES
from tests.support.roles import abstracts, learn_quickly


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> tuple[RoleModel, Path]:
    learnt = [labelled_abstract(row["sentences"], row["roles"]) for row in abstracts(60)]
    with pytest.MonkeyPatch.context() as patch:
        learn_quickly(patch)
        patch.setattr(context, "NETWORKS", 2)  # of which the mean is taken
        made, _ = RoleModel.fit([(one.sentences, one.roles) for one in learnt], {})
    folder = tmp_path_factory.mktemp("model")
    made.save(folder)
    return made, folder


def test_it_reads_the_roles_of_abstracts_that_it_has_not_seen(model):
    unseen = [labelled_abstract(row["sentences"], row["roles"]) for row in abstracts(20, seed=9)]
    found = model[0].of_abstracts([one.sentences for one in unseen])
    assert all(rows.sum(axis=1) == pytest.approx(1) for rows in found)
    right = [rows.argmax(axis=1) == one.roles for rows, one in zip(found, unseen, strict=True)]
    assert np.concatenate(right).mean() > 0.9


def test_in_a_full_text_the_part_counts(model):
    text = ["We measured malaria.", "Samples of yeast were collected."]
    found = model[0].of_article(text, ["methods", "methods"], [False, False])
    assert [ROLES[row.argmax()] for row in found] == ["METHODS", "METHODS"]


def test_vectors_bring_sentences_of_a_role_together(model):
    vectors = model[0].vectors(["We found that sleep was significantly higher.", "Asthma increased by 12%.",
                                "Little is known about sleep."])  # fmt: skip
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert unit[0] @ unit[1] > unit[0] @ unit[2]
    assert model[0].vectors([]).shape == (0, vectors.shape[1])


def test_what_is_written_is_what_is_read(model):
    made, folder = model
    read = RoleModel.load(folder)
    texts = [["We sought to understand sleep.", "Sleep increased by 12%."]]
    assert read.version == made.version == manifest(folder)["version"]
    assert read.of_abstracts(texts)[0] == pytest.approx(made.of_abstracts(texts)[0], abs=1e-6)


@pytest.mark.parametrize("name", ["terms.txt", "neighbours.npy", "context.safetensors"])
def test_a_damaged_file_is_refused_by_its_name(model, name, tmp_path):
    for path in model[1].iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / name).write_bytes(b"other")
    with pytest.raises(BadRoleModel, match=name):
        RoleModel.load(tmp_path)


def test_a_role_that_is_never_labelled_cannot_be_learnt():
    learnt = [labelled_abstract(row["sentences"], row["roles"]) for row in abstracts(60)]
    without = [(one.sentences, np.where(one.roles == 1, -1, one.roles)) for one in learnt]
    with pytest.raises(ValueError, match="all five roles"):
        RoleModel.fit(without, {})


def test_abstracts_are_read_by_function_vectors_too(monkeypatch):
    learn_quickly(monkeypatch)
    learnt = [labelled_abstract(row["sentences"], row["roles"]) for row in abstracts(60)]
    given = [(one.sentences, one.roles) for one in learnt]
    made, _ = RoleModel.fit(given, {}, project=lambda scorer: np.eye(len(scorer.terms), 7, dtype=np.float32))
    texts = [learnt[0].sentences]
    assert made.projection.shape == (len(made.scorer.terms), 7)
    assert made.of_abstracts(texts)[0].argmax(axis=1).tolist() == learnt[0].roles.tolist()
    turned = replace(made, projection=-made.projection)
    assert not np.allclose(turned.of_abstracts(texts)[0], made.of_abstracts(texts)[0], atol=1e-4)
