"""A folder that Hugging Face's `datasets` loads: JSON lines by split, and the card that says what they are.

https://huggingface.co/docs/hub/datasets-cards; the splits are Keyline's own, of whole works.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import yaml

from annotate.gold.descriptions import TITLE, licences_sentence, summary_of
from annotate.gold.export_file import json_lines
from annotate.gold.formats.documents import GoldDocument, packed
from annotate.topics.label_columns import TEXT
from db.values import Split

CARD = """# {title}

{summary}

Each row is a sentence with `label` (`1` key, `0` not key, `unsure`, `disputed`), who said so, where it stands and what
its article is about. A work lies in one split, under any of its identifiers. Sentences without a verdict are left out:
they are no negatives.

{licences}
"""


@packed
def as_dataset(documents: Iterable[GoldDocument]) -> Iterator[tuple[str, bytes]]:
    """A zip of README.md and data/SPLIT.jsonl."""
    rows: dict[str, list[dict[str, Any]]] = {split: [] for split in Split}
    for document in documents:
        rows[document.article.split].extend(
            {TEXT: sentence.row["sentence"], **sentence.row} for sentence in document.labelled
        )
    filled = {split: of_one for split, of_one in rows.items() if of_one}
    yield "README.md", _card(filled).encode()
    for split, of_one in filled.items():
        yield f"data/{split}.jsonl", json_lines(of_one)


def _card(rows: dict[str, list[dict[str, Any]]]) -> str:
    every = [row for of_one in rows.values() for row in of_one]
    files = [{"split": str(split), "path": f"data/{split}.jsonl"} for split in rows]
    head = {
        "language": ["en"],
        "pretty_name": TITLE,
        "task_categories": ["text-classification"],
        "tags": ["biology", "keyline"],
        "configs": [{"config_name": "default", "data_files": files}],
    }
    card = CARD.format(title=TITLE, summary=summary_of(every), licences=licences_sentence(every))
    return f"---\n{yaml.safe_dump(head, sort_keys=False, allow_unicode=True)}---\n{card}"
