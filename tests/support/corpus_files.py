"""Files of a small labelled corpus, and the spec of an experiment on it."""

import json
from pathlib import Path


def spec_and_corpus(folder: Path, rows: str, *, seeds: int = 2) -> list[object]:
    """Arguments of an experiment with the tiny encoder on eight training and two test articles."""
    (folder / "my.yaml").write_text(
        f"{{title: Mine, settings: {{encoder: tiny, epochs: 1, batch_size: 8}}, rows: {rows}, seeds: {seeds}}}"
    )
    sentences = ["cells incubated in buffer .", "tp53 knockout hela cells .", "patients ."]
    for part, number in (("train", 8), ("test", 2)):
        rows_ = [{"id": f"{part}{i}", "sentences": sentences, "labels": [0, 1, 0]} for i in range(number)]
        (folder / f"{part}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows_))
    return [folder / "my.yaml", "--train", folder / "train.jsonl", "--test", folder / "test.jsonl"]
