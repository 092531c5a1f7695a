"""Answers, kept in the data folder: a file for each article under the hash of its question's settings.

{config}/{first two digits}/{hash of the text}.json, each written whole or not at all, so that nothing is asked twice.
"""

import json
import logging
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic.dataclasses import dataclass

from annotate.project.home import folder, home
from annotate.project.whole_files import write_whole

FOLDER = "llm"
DESCRIPTION = "asked.json"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """Scores by position, and what they took: questions, tokens, money, seconds.

    `model` is as the server calls it. `tokens_told`, a key of the kept files: whether the server counted the tokens.
    """

    scores: Sequence[float]
    questions: int
    windows: int
    tokens_in: int
    tokens_out: int
    tokens_told: bool
    cost: float
    seconds: float
    model: str
    asked_at: str


class KeptAnswers:
    """The kept answers of one configuration."""

    def __init__(self, config: str) -> None:
        self.config = config
        self._place = home() / FOLDER / config[:32]

    def describe(self, description: dict[str, Any]) -> None:
        """Writes down what this configuration is, for readers of the files."""
        path = folder(FOLDER) / self._place.name / DESCRIPTION
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            write_whole(path, json.dumps(description, indent=1, ensure_ascii=False).encode())

    def any(self) -> bool:
        """Whether there may be any."""
        return (self._place / DESCRIPTION).exists()

    def store(self, text_sha256: str, answer: KeptAnswer) -> None:
        """Keeps an answer; on disk when it returns."""
        path = self._path(text_sha256)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(asdict(answer)).encode())

    def of(self, text_sha256: str, sentences: int) -> KeptAnswer | None:
        """The answer about a text of this many sentences; None where there is none, or a damaged file."""
        path = self._path(text_sha256)
        try:
            answer = KeptAnswer(**json.loads(path.read_bytes()))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError) as error:
            _log.warning("%s cannot be read (%s): it is asked again", path.name, error)
            return None
        return answer if len(answer.scores) == sentences else None

    def _path(self, text_sha256: str) -> Path:
        return self._place / text_sha256[:2] / f"{text_sha256}.json"
