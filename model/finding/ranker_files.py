"""Ranking models on disk: network, tokenizer, the parts on top as safetensors, and a small JSON of what they are."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save_file

from model.finding.abstracting import AbstractingModel, DecoderShape
from model.finding.extraction import ExtractionModel
from model.finding.pseudo_queries import Vocabulary
from model.finding.reader import load_reader, save_reader
from model.finding.relevance import RelevanceModel

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
    save_file(parts, folder / ON_TOP)
    (folder / ABOUT).write_text(json.dumps(about, ensure_ascii=False), encoding="utf-8")


def load_ranker(
    folder: Path, device: str | None = None
) -> tuple[RelevanceModel | ExtractionModel | AbstractingModel, dict[str, Any]]:
    """(a REL, EXT or ABS model, what `save_ranker` was told with it)."""
    about: dict[str, Any] = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    reader, parts = load_reader(folder, device), load_file(folder / ON_TOP)
    model: RelevanceModel | ExtractionModel | AbstractingModel
    if "vocabulary" in about:
        vocabulary = Vocabulary(tuple(about["vocabulary"]["facets"]), tuple(about["vocabulary"]["words"]))
        model = AbstractingModel(reader, vocabulary, parts.pop("vectors"), DecoderShape(**about["shape"]))
    elif "alike.weight" in parts:
        model = RelevanceModel(reader)
    else:
        model = ExtractionModel(reader)
    missing, unknown = model.load_state_dict(parts, strict=False)
    if unknown or any(not name.startswith(_READER) for name in missing):
        raise OSError(f"{folder.name}: {ON_TOP} does not fit the model")
    model.eval()
    return model, about
