"""What a load measurement found beside what the bar asks: broken promises apart from what depends on the machine."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np


@dataclass
class Line:
    """One line of the bar. `broken` is what must hold on any machine, however busy; `slow` is what took too long."""

    name: str
    figures: dict[str, Any] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    slow: list[str] = field(default_factory=list)

    def promise(self, holds: bool, what: str) -> None:
        """Notes a promise that does not hold."""
        if not holds:
            self.broken.append(what)

    def limit(self, name: str, value: float, most: float) -> None:
        """Keeps a figure, and notes it where it is beyond the bar."""
        self.figures[name] = round(value, 3)
        if not value <= most:
            self.slow.append(f"{name} {value:.3g} is above {most:g}")

    def least(self, name: str, value: float, least: float) -> None:
        """The same for a figure that must not be below."""
        self.figures[name] = round(value, 3)
        if not value >= least:
            self.slow.append(f"{name} {value:.3g} is below {least:g}")

    def report(self, *, as_json: bool) -> int:
        """Prints the line with the machine's load; returns 1 for a broken promise, 3 for a slow figure, else 0."""
        values = asdict(self) | {"load_average": [round(number, 2) for number in os.getloadavg()]}
        if as_json:
            print(json.dumps(values))
        else:
            print(f"{self.name} (load average {values['load_average']})")
            for name, value in self.figures.items():
                print(f"  {name}: {value}")
            for kind in ("broken", "slow"):
                for entry in values[kind]:
                    print(f"  {kind.upper()}: {entry}")
        return 1 if self.broken else 3 if self.slow else 0


def milliseconds(seconds: Sequence[float]) -> dict[str, float]:
    """p50, p95, p99 and max of some times, in ms."""
    values = np.array(seconds) * 1000
    found = {f"p{q}_ms": float(np.percentile(values, q)) for q in (50, 95, 99)}
    return {name: round(value, 1) for name, value in (found | {"max_ms": float(values.max())}).items()}


def times(short: int, long: int) -> int:
    """How often a test repeats a fault: `short`, or where KEYLINE_SOAK is a share, that of `long`."""
    share = float(os.environ.get("KEYLINE_SOAK", "0"))
    return max(1, round(share * long)) if share else short
