"""Does the runs of a study: in this process, in child processes, or by an engine."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from annotate.engines.engine import FAILURES, Work

# Called with the part of a run that is done, 0 to 1, or None before that is known, and further numbers; may raise to
# stop.
Report = Callable[[float | None, dict[str, float]], None]


@dataclass(frozen=True, slots=True)
class Finished:
    """How a run ended: with results to store, or with an error in words."""

    run: Any
    values: dict[str, Any] = field(default_factory=dict)
    error: str = ""


class Runner(Work[Any, Finished]):
    """Does runs, one after the other in each process; what it holds must be seen wherever that is."""

    again = False
    processes = 1  # that share this machine

    def do(self, run: Any, report: Report) -> dict[str, Any]:
        """The results of a run to store."""
        raise NotImplementedError

    def attempt(self, run: Any, report: Report) -> Finished:
        """What a run came to, if only an error: unusable encoders and settings, divergence, too little memory."""
        try:
            return Finished(run, self.do(run, report))
        except FAILURES as error:
            return Finished(run, error=str(error) or type(error).__name__)

    def __call__(self, given: Any) -> Iterable[Finished]:
        """How the run ended."""
        yield self.attempt(given, lambda part, details: None)

    def lost(self, given: Any, reason: str) -> Iterable[Finished]:
        """A run that failed: the others go on."""
        yield Finished(given, error=reason)
