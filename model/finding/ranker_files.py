"""Ranking models on disk: network, tokenizer and the parts on top as safetensors."""

from pathlib import Path

from safetensors.torch import load_file, save_file

from model.finding.reader import load_reader, save_reader
from model.finding.relevance import RelevanceModel

ON_TOP = "on_top.safetensors"
_READER = "reader."


def save_ranker(model: RelevanceModel, folder: Path) -> None:
    """Writes a model into an existing folder."""
    save_reader(model.reader, folder)
    parts = {name: own.contiguous() for name, own in model.state_dict().items() if not name.startswith(_READER)}
    save_file(parts, folder / ON_TOP)


def load_ranker(folder: Path, device: str | None = None) -> RelevanceModel:
    """What `save_ranker` wrote. Raises OSError, ValueError."""
    model = RelevanceModel(load_reader(folder, device))
    missing, unknown = model.load_state_dict(load_file(folder / ON_TOP), strict=False)
    if unknown or any(not name.startswith(_READER) for name in missing):
        raise OSError(f"{folder.name}: {ON_TOP} does not fit the model")
    model.eval()
    return model
