"""A server that speaks as OpenAI-compatible services do: it answers by a function, or with what is queued."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.answering import Answering, answering

_LINE = re.compile(r"^(\d+) \| (.*)$", re.MULTILINE)
_ONLY = re.compile(r"Give the scores of these numbers alone: ([\d, ]+)\.")
Score = Callable[[int, str], float]


@dataclass
class Said:
    """One answer: a status with headers and a body, sent after `before` was called."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    before: Callable[[], object] = lambda: None


@dataclass
class Asked:
    """One question as it came in: the path, the headers and the body."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def lines(self) -> dict[int, str]:
        """The numbered sentences."""
        return {int(number): text for number, text in _LINE.findall(self.body["messages"][-1]["content"])}

    @property
    def wanted(self) -> list[int]:
        """The numbers whose scores are asked for."""
        only = _ONLY.search(self.body["messages"][-1]["content"])
        return [int(number) for number in only[1].split(",")] if only else list(self.lines)


def completion(content: str, *, finish: str = "stop", usage: tuple[int, int] | None = (100, 10)) -> dict[str, Any]:
    """The body of an answer with this text."""
    told = {"prompt_tokens": usage[0], "completion_tokens": usage[1]} if usage else None
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish}
    return {"id": "1", "model": "small-model-7b", "choices": [choice], **({"usage": told} if told else {})}


def scores_of(scores: dict[int, float]) -> str:
    """The text of a whole answer."""
    return json.dumps({"sentences": [{"number": number, "score": score} for number, score in scores.items()]})


class LanguageModel:
    """The server: `score` gives the score of a numbered sentence; what lies in `queue` is said first."""

    def __init__(self, score: Score) -> None:
        self.score = score
        self.queue: list[Said | Callable[[Asked], Said]] = []
        self.asked: list[Asked] = []
        self.address = ""

    def answer(self, asked: Asked) -> Said:
        """The next that is queued, else the scores of all that is asked for."""
        self.asked.append(asked)
        if self.queue:
            said = self.queue.pop(0)
            return said if isinstance(said, Said) else said(asked)
        return Said(completion(scores_of({n: self.score(n, asked.lines[n]) for n in asked.wanted})))


@contextmanager
def language_model(score: Score = lambda number, text: 0.0) -> Iterator[LanguageModel]:
    """Serves one on a port of this machine while the block lasts; its address is what a maintainer would name."""
    model = LanguageModel(score)

    class Handler(Answering):
        def do_POST(self) -> None:
            said = model.answer(Asked(self.path, dict(self.headers), json.loads(self.body())))
            said.before()
            content = said.body if isinstance(said.body, bytes) else json.dumps(said.body).encode()
            self.answer(said.status, content, said.headers)

    with answering(Handler) as address:
        model.address = f"{address}/v1"
        yield model
