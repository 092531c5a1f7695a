"""Model folders that do harm or are of no use, labels that teach nothing. The ids begin with the line of the bar."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from annotate.evaluation.evaluate_version import NotEnoughGold
from annotate.gold.label_sets import current_label_set
from annotate.jobs.lifecycle import run_here
from annotate.project.home import folder, read
from annotate.proposing.encoders import SMOKE, UnsoundEncoder, add_encoder, smoke_test
from annotate.retraining.setting_values import payload_of
from annotate.retraining.training_set import check_trainable, label_counts, labelled_articles
from annotate.work import HANDLERS
from model.encoder import load
from model.files import DamagedModel
from model.training.settings import TrainingSettings
from tests.support.making import judge, paper, pmids, query, reading, store, verdict

REFUSALS = (OSError, ValueError, DamagedModel)


class Canary:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.system, (f"touch {self.path}",)


@pytest.fixture
def source(home: Path, tiny_encoder: Path, tmp_path: Path) -> Path:
    """A copy of a sound model folder."""
    return shutil.copytree(tiny_encoder, tmp_path / "model")


def edit(path: Path, **values: Any) -> None:
    """Changes keys of a JSON file."""
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def refused(source: Path, *, match: str | None = None) -> None:
    """Adding the folder is refused, and leaves neither a version nor files of one."""
    with pytest.raises(REFUSALS, match=match) as error:
        add_encoder(str(source), "evil")
    assert "\n" not in str(error.value).strip()
    assert query("SELECT count(*) FROM model_version") == [(0,)]
    assert list(folder("models").iterdir()) == []


@pytest.mark.parametrize("beside", [False, True], ids=["32-alone", "32-beside-sound-weights"])
@pytest.mark.parametrize("name", ["pytorch_model.bin", "weights.pkl", "model.pt", "1_Pooling/pytorch_model.bin"])
def test_pickles_are_refused_and_never_opened(source: Path, tmp_path: Path, name: str, beside: bool) -> None:
    canary = tmp_path / "canary"
    if not beside:
        (source / "model.safetensors").unlink()
    torch.save(Canary(canary), source / name)
    refused(source, match="is a pickle")
    assert not canary.exists()


@pytest.mark.parametrize(
    "kind",
    ["os.system", "builtins.exec", "evil.Module"],
    ids=lambda kind: f"33-modules-{kind}",
)
def test_modules_that_are_foreign_code_are_refused_and_not_run(source: Path, tmp_path: Path, kind: str) -> None:
    canary = tmp_path / "canary"
    (source / "evil.py").write_text(f"open({str(canary)!r}, 'w')\nclass Module: pass\n")
    modules = json.loads((source / "modules.json").read_text())
    modules[0]["type"] = kind
    (source / "modules.json").write_text(json.dumps(modules))
    refused(source, match="code of its own")
    assert not canary.exists()


@pytest.mark.parametrize("path", ["../../etc", "/etc", "1_Pooling/../.."], ids=lambda path: f"33-path-{path}")
def test_modules_elsewhere_than_in_the_folder_are_refused(source: Path, path: str) -> None:
    modules = json.loads((source / "modules.json").read_text())
    modules[1]["path"] = path
    (source / "modules.json").write_text(json.dumps(modules))
    refused(source)


def test_33_a_configuration_that_maps_to_code_of_its_own_is_not_run(source: Path, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    (source / "evil.py").write_text(f"open({str(canary)!r}, 'w')\n")
    mapped = {"auto_map": {"AutoConfig": "evil.Config", "AutoModel": "evil.Model"}, "model_type": "unheard-of"}
    edit(source / "config.json", **mapped)
    refused(source, match="code of its own")
    assert not canary.exists()


def weights(source: Path, change: Callable[[dict[str, np.ndarray]], None]) -> None:
    """Rewrites the weights after `change`."""
    path = source / "model.safetensors"
    arrays = {name: array.copy() for name, array in load_file(path).items()}
    change(arrays)
    save_file(arrays, path)


def spoil_one_row(arrays: dict[str, np.ndarray]) -> None:
    """One word's embedding is no number; no smoke sentence need hold the word."""
    name = next(name for name in arrays if "word_embeddings" in name)
    arrays[name][7] = np.nan


def without_a_layer(arrays: dict[str, np.ndarray]) -> None:
    """Leaves a layer out, which transformers would make up."""
    for name in [name for name in arrays if "layer.1." in name]:
        del arrays[name]


def pooled_wider(source: Path) -> None:
    """Pooling that declares another size than the layers before it have."""
    edit(source / "1_Pooling" / "config.json", embedding_dimension=64, word_embedding_dimension=64)


def without_tokenizer(source: Path) -> None:
    """Takes the tokenizer's files away."""
    for path in (*source.glob("tokenizer*"), *source.glob("vocab*")):
        path.unlink()


def cut(source: Path, length: int) -> None:
    """Leaves the first bytes of the weights."""
    path = source / "model.safetensors"
    path.write_bytes(path.read_bytes()[:length])


USELESS: dict[str, tuple[Callable[[Path], Any], str | None]] = {
    "34-infinite-weight": (lambda s: weights(s, lambda a: a.update({n: a[n] + np.inf for n in a})), "not finite"),
    "34-NaN-in-one-row": (lambda s: weights(s, spoil_one_row), "not finite"),
    "34-all-zero": (lambda s: weights(s, lambda a: a.update({n: a[n] * 0 for n in a})), "same embedding"),
    "34-missing-layer": (lambda s: weights(s, without_a_layer), "some of its weights are missing"),
    "34-other-dimension-of-pooling": (pooled_wider, "cannot encode a sentence"),
    "34-other-dimension-of-weights": (lambda s: edit(s / "config.json", hidden_size=64), "cannot be loaded"),
    "34-other-vocabulary": (lambda s: edit(s / "config.json", vocab_size=20), "cannot be loaded"),
    "34-missing-tokenizer": (without_tokenizer, None),
    "34-broken-tokenizer": (lambda s: (s / "tokenizer.json").write_text("{"), None),
    "34-cut-weights": (lambda s: cut(s, 1000), "cannot be read"),
    "34-empty-weights": (lambda s: cut(s, 0), None),
    "34-no-weights": (lambda s: (s / "model.safetensors").unlink(), r"no \.safetensors weights"),
    "34-no-configuration": (lambda s: (s / "config.json").unlink(), None),
    "34-configuration-that-is-no-JSON": (lambda s: (s / "config.json").write_text("{"), None),
    "34-modules-that-are-no-list": (lambda s: (s / "modules.json").write_text('{"a": 1}'), None),
}


@pytest.mark.parametrize(("spoil", "message"), USELESS.values(), ids=USELESS)
def test_a_model_that_cannot_be_used_becomes_no_version(
    source: Path, spoil: Callable[[Path], Any], message: str | None
) -> None:
    spoil(source)
    refused(source, match=message)


def test_34_a_sound_model_has_finite_embeddings_of_twenty_sentences(source: Path) -> None:
    vectors = smoke_test(load(source, device="cpu"), "tiny")
    assert vectors.shape == (20, 32) == (len(SMOKE), 32)
    assert np.isfinite(vectors).all()
    assert add_encoder(str(source), "sound").dimension == 32


SETTINGS = TrainingSettings(
    query="gene knockout from cell", epochs=1, batch_size=8, learning_rate=1e-3, warmup_steps=0, evaluate_every=0
)


def retrain() -> dict[str, Any]:
    """A retraining in this process."""
    return run_here("train", payload_of(SETTINGS), HANDLERS, lambda progress: None)


def test_34_a_child_that_is_not_sound_is_not_stored(tiny_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, pmid in enumerate([*pmids("train", 2), *pmids("test", 1)], start=1):
        store(paper(pmid=pmid))
        judge("Anna", number, verdict(1), verdict(0, "reject"), reading())

    def spoil(encoder: Any, *_: Any, **__: Any) -> list[Any]:
        with torch.no_grad():
            next(encoder.parameters())[3] = float("nan")
        return []

    monkeypatch.setattr("annotate.retraining.retrain.fine_tune", spoil)
    with pytest.raises(UnsoundEncoder, match="v1: some of its weights are not finite"):
        retrain()
    assert query("SELECT name FROM model_version WHERE kind = 'encoder'") == [("tiny",)]
    assert query("SELECT state FROM job") == [("failed",)]


def all_articles() -> None:
    """One article of each split."""
    for split in ("train", "validation", "test"):
        store(paper(pmid=pmids(split, 1)[0]))


Given = list[tuple[str, int, dict[str, Any]]]
NOTHING_TO_LEARN: dict[str, tuple[Given, str]] = {
    "35-no-verdict": ([], "no article of the test split has a key sentence yet"),
    "35-only-accepted": (
        [("Anna", 3, verdict(0)), *(("Anna", 1, verdict(n)) for n in range(3))],
        "the train split has no sentence that is not key",
    ),
    "35-only-rejected": (
        [("Anna", 3, verdict(0)), *(("Anna", 1, verdict(n, "reject")) for n in range(3))],
        "the train split has no key sentence yet",
    ),
    "35-only-unsure": (
        [("Anna", 3, verdict(0)), ("Anna", 1, verdict(0, "unsure"))],
        "the train split has no key sentence yet",
    ),
    "35-all-conflicting": (
        [
            ("Anna", 3, verdict(0)),
            *(("Anna", 1, verdict(n)) for n in range(3)),
            *(("Ben", 1, verdict(n, "reject")) for n in range(3)),
        ],
        "the train split has no key sentence yet",
    ),
    "35-conflicting-test": (
        [("Anna", 1, verdict(0)), ("Anna", 3, verdict(0)), ("Ben", 3, verdict(0, "reject"))],
        "no article of the test split has a key sentence yet",
    ),
}


@pytest.mark.parametrize(("given", "reason"), NOTHING_TO_LEARN.values(), ids=NOTHING_TO_LEARN)
def test_a_retrain_that_could_learn_nothing_is_refused_with_the_reason(
    tiny_home: Path, given: Given, reason: str
) -> None:
    all_articles()
    for name, article, event in given:
        judge(name, article, event)
    with pytest.raises(NotEnoughGold, match=reason):
        retrain()
    assert query("SELECT name FROM model_version WHERE kind = 'encoder'") == [("tiny",)]
    assert query("SELECT state FROM job") == [("failed",)]


def test_35_no_article_is_learnt_from_and_measured_on(home: Path) -> None:
    """Also where gold names an article by another identifier, or its full text came from another file."""
    for split in ("train", "validation", "test"):
        for pmid in pmids(split, 2):
            store(paper(pmid=pmid, pmcid=f"PMC{pmid}"))
            store(paper(body=("More text.",), pmid=None, pmcid=f"PMC{pmid}", title="the same by another name"))
    for article in range(1, 7):
        judge("Anna", article, verdict(1), verdict(0, "reject"))
    with read() as session:
        label_set = current_label_set(session)
        parts = {split: labelled_articles(session, label_set, split) for split in ("train", "validation", "test")}
        check_trainable(session, label_set)
    keys = {split: {article.key for article in articles} for split, articles in parts.items()}
    assert [len(found) for found in keys.values()] == [2, 2, 2]
    assert len(set.union(*keys.values())) == 6
    assert label_counts(parts["train"])["key"] == 2
