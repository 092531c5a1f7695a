"""Small files of tasks, made up for the tests, in the forms in which the real ones come."""

import gzip
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROLES = {"BACKGROUND": "Little is known of gene {}.", "RESULTS": "Cells with gene {} died at once."}


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """JSON lines, gzip where the name says so."""
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def abstracts(first: int, count: int) -> list[dict[str, Any]]:
    """Abstracts of two sentences with their roles."""
    numbers = range(first, first + count)
    return [
        {"id": str(n), "sentences": [text.format(n) for text in ROLES.values()], "roles": list(ROLES)} for n in numbers
    ]


def task_folder(folder: Path) -> Path:
    """A folder with the cheap tasks, a few items each."""
    folder.mkdir(exist_ok=True)
    others = (("Gene 0 was cut in cells.", 4.0), ("Gene 1 was cut.", 3.0), ("Mice ran.", 0.0))
    write_rows(
        folder / "biosses.jsonl.gz",
        [
            {"sentence1": f"Gene {n} was cut in cells.", "sentence2": text, "score": score}
            for n, (text, score) in enumerate(others)
        ],
    )
    places = ("mice", "cells")
    pairs = [
        {
            "question": f"Is gene {n} cut in {places[n % 2]}?",
            "faq": f"Is gene {n} cut in cells?",
            "entails": bool(n % 2),
        }
        for n in range(24)
    ]
    write_rows(folder / "rqe_train.jsonl.gz", pairs[:16])
    write_rows(folder / "rqe_test.jsonl.gz", pairs[16:])
    triplets = [
        {"sentence": f"We cut gene {n}.", "same": "We cut gene 9.", "other": "Mice are tame."} for n in range(4)
    ]
    write_rows(folder / "function_triplets_dev.jsonl.gz", triplets)
    write_rows(folder / "roles_pubmed_train.jsonl.gz", abstracts(0, 12))
    write_rows(folder / "roles_pubmed_validation.jsonl", abstracts(20, 4))
    spoken = [
        {
            "id": str(n),
            "sentences": [f"Cells with gene {n} died at once.", f"Gene {n} was cut."],
            "hallmarks": [["evading cell death"], []],
            "split": "train" if n < 9 else "test",
        }
        for n in range(12)
    ]
    write_rows(folder / "hallmarks.jsonl.gz", spoken)
    return folder
