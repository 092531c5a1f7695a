"""Lots that fall the same each time, so that others who come or go change no place."""

import hashlib
from collections.abc import Callable, Iterable
from typing import TypeVar

Value = TypeVar("Value")


def by_lot(purpose: str, values: Iterable[Value], name: Callable[[Value], object] = str) -> list[Value]:
    """The values in an order by lot, which is another one for each purpose; `name` tells a value from others."""
    return sorted(values, key=lambda value: hashlib.sha256(f"{purpose}:{name(value)}".encode()).digest())
