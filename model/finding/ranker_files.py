"""Ranking models on disk: network, tokenizer, the parts on top as safetensors, and a small JSON of what they are."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save_file

from model.finding.abstracting import AbstractingModel, DecoderShape
from model.finding.beam import Beam
from model.finding.extraction import ExtractionModel
from model.finding.reader import load_reader, save_reader
from model.finding.relevance import RelevanceModel
from model.finding.vocabulary import Vocabulary

ON_TOP = "on_top.safetensors"
ABOUT = "ranker.json"
_READER = "reader."


def save_ranker(
    model: RelevanceModel | ExtractionModel | AbstractingModel, folder: Path, about: dict[str, Any]
) -> None:
    """Writes a model into an existing folder, and `about` next to it."""
    save_reader(model.reader, folder)
    parts = {name: own.contiguous() for name, own in model.state_dict().items() if not name.startswith(_READER)}
    if isinstance(model, AbstractingModel):
        parts["vectors"] = model.vectors.contiguous()
        vocabulary = {"facets": model.vocabulary.facets, "words": model.vocabulary.words}
        about = about | {"shape": asdict(model.shape), "vocabulary": vocabulary}
    if isinstance(model, RelevanceModel):
        about = about | {"by_cls_alone": model.by_cls_alone}
    save_file(parts, folder / ON_TOP)
    (folder / ABOUT).write_text(json.dumps(about, ensure_ascii=False), encoding="utf-8")


def about_ranker(folder: Path) -> dict[str, Any]:
    """What `save_ranker` was told."""
    told: dict[str, Any] = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    return told


def load_relevance(folder: Path, device: str | None = None) -> RelevanceModel:
    """A REL model."""
    model = RelevanceModel(load_reader(folder, device), by_cls_alone=about_ranker(folder)["by_cls_alone"])
    _fill(model, folder)
    return model


def load_extraction(folder: Path, device: str | None = None) -> ExtractionModel:
    """An EXT model."""
    model = ExtractionModel(load_reader(folder, device))
    _fill(model, folder)
    return model


def load_abstracting(folder: Path, device: str | None = None) -> tuple[AbstractingModel, Beam]:
    """An ABS model, and how it is searched."""
    about = about_ranker(folder)
    vocabulary = Vocabulary(tuple(about["vocabulary"]["facets"]), tuple(about["vocabulary"]["words"]))
    vectors = load_file(folder / ON_TOP)["vectors"]
    model = AbstractingModel(load_reader(folder, device), vocabulary, vectors, DecoderShape(**about["shape"]))
    _fill(model, folder)
    return model, Beam(**about.get("beam", {}))


def _fill(model: Any, folder: Path) -> None:
    parts = {name: own for name, own in load_file(folder / ON_TOP).items() if name != "vectors"}
    missing, unknown = model.load_state_dict(parts, strict=False)
    if unknown or any(not name.startswith(_READER) for name in missing):
        raise OSError(f"{folder.name}: {ON_TOP} does not fit the model")
    model.eval()
