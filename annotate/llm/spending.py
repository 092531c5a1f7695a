"""What questions cost: each is put down before it is sent at the most it can cost, and then at what it did cost.

Lines of JSON in the data folder, only ever added: where a process is killed, its last question counts at the most.
"""

import json
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotate.project.home import folder
from annotate.project.whole_files import OWNER_ONLY, add_line
from annotate.proposing.answers.llm_settings import LlmSettings
from db.base import utc_now

MILLION = 1_000_000
BYTES_A_TOKEN = 2  # fewer than any tokenizer's mean on English: what a question holds at most
TOKENS_A_SENTENCE, TOKENS_ASIDE = 24, 200  # of an answer: {"number": 123, "score": 0.05}, and what stands around it


class BudgetReached(RuntimeError):
    """The next question could cost more than is left; it was not sent."""


class NoAnswer(RuntimeError):
    """A question that got no answer; `free` where it did no work that costs."""

    free = False


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens in and out of one or more answers; `counted` says whether the server counted them."""

    tokens_in: int
    tokens_out: int
    counted: bool = True

    def cost(self, settings: LlmSettings) -> float:
        """In the money of the prices."""
        return (self.tokens_in * settings.price_in + self.tokens_out * settings.price_out) / MILLION


def most_tokens_out(sentences: int) -> int:
    """The most tokens that an answer about this many sentences may have."""
    return TOKENS_ASIDE + TOKENS_A_SENTENCE * sentences


class Spending:
    """What one job has spent, over all its attempts, and what it may."""

    def __init__(self, job_id: int, budget: float, place: Path | None = None) -> None:
        self.budget = budget
        self._job = job_id
        self._path = place or folder("llm") / "spent.jsonl"
        self.before = self._read()
        self.spent = self.before

    def ask(self, settings: LlmSettings, body: bytes, sentences: int, send: Callable[[], Usage | None]) -> Usage:
        """What one question used; `send` returns None where the server does not count, and it counts at the most.

        Raises BudgetReached, and what `send` raises: such a question counts at the most, too, but for a NoAnswer that
        is free.
        """
        most = Usage(len(body) // BYTES_A_TOKEN, most_tokens_out(sentences), counted=False)
        worst = most.cost(settings)
        if self.budget and self.spent + worst > self.budget:
            left = max(0.0, self.budget - self.spent)
            raise BudgetReached(
                f"{left:.4f} of the budget of {self.budget:g} is left, the next question may cost {worst:.4f}"
            )
        name = secrets.token_hex(8)
        self._add({"id": name, "job": self._job, "at": utc_now(), "most": worst})
        self.spent += worst
        try:
            usage = send() or most
        except NoAnswer as error:
            if error.free:
                self._settle(name, worst, Usage(0, 0), 0.0)
            raise
        self._settle(name, worst, usage, usage.cost(settings))
        return usage

    def _settle(self, name: str, worst: float, usage: Usage, cost: float) -> None:
        self._add({"id": name, "in": usage.tokens_in, "out": usage.tokens_out, "cost": cost})
        self.spent += cost - worst

    def _add(self, line: dict[str, Any]) -> None:
        add_line(self._path, json.dumps(line), mode=OWNER_ONLY)

    def _read(self) -> float:
        open_at: dict[str, float] = {}
        for line in _lines(self._path):
            name = line["id"]
            if line.get("job") == self._job:
                open_at[name] = line["most"]
            elif name in open_at and "cost" in line:
                open_at[name] = line["cost"]
        return sum(open_at.values())


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """The written lines; a line that a full disk or a power cut has left in part is no line."""
    if not path.exists():
        return
    for text in path.read_text(errors="replace").splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if isinstance(line, dict) and "id" in line:
            yield line
