"""What an encoder wants before a query and before a sentence, as its files say. Needs no torch."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

CONFIGURATION = "config_sentence_transformers.json"


class Side(StrEnum):
    """The part that a text plays for an encoder that tells questions from documents. A sentence is a document."""

    QUERY = "query"
    DOCUMENT = "document"


# The names that encoders give their prompts, by side, the first one first, as sentence-transformers has them.
NAMES = {Side.QUERY: ("query",), Side.DOCUMENT: ("document", "passage", "corpus")}


@dataclass(frozen=True, slots=True)
class Prompts:
    """The words before each query and before each sentence, with the blank that ends them; empty for none."""

    query: str = ""
    document: str = ""

    @property
    def any(self) -> bool:
        """Whether there are any words on either side."""
        return bool(self.query or self.document)

    def of(self, side: Side) -> str:
        """The prompt of one side."""
        return self.query if side is Side.QUERY else self.document


def prompts_named(named: object, default: str | None = None) -> Prompts:
    """The prompts among those that an encoder names; where it names none for either side, its default for both.

    An empty one counts as none: sentence-transformers names both sides, whether an encoder has prompts for them or not.
    What is no mapping of texts is left out.
    """
    given: Mapping[Any, Any] = named if isinstance(named, Mapping) else {}
    texts = {name: text for name, text in given.items() if isinstance(text, str)}
    query, document = (next((texts[n] for n in NAMES[side] if texts.get(n)), "") for side in Side)
    both = "" if query or document else texts.get(default or "", "")
    return Prompts(query or both, document or both)


def prompts_in(folder: Path) -> Prompts:
    """The prompts of a saved encoder; none where its files name none or cannot be read."""
    with suppress(OSError, ValueError):
        settings = json.loads((folder / CONFIGURATION).read_text(encoding="utf-8"))
        if isinstance(settings, Mapping):
            return prompts_named(settings.get("prompts"), settings.get("default_prompt_name"))
    return Prompts()
