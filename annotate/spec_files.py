"""Spec files of experiments and simulations: YAML that people write, found by path or by name, and checked by name."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml


def shipped(folder: Path) -> dict[str, Path]:
    """The spec files of a folder, by name."""
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


def read_spec(path: Path, folder: Path) -> tuple[dict[str, Any], Path]:
    """(the content of a spec file or, by its name alone, of a shipped one, with a name; where it was found).

    Raises ValueError where there is no such file or it is no YAML.
    """
    found = path if path.is_file() else shipped(folder).get(path.name.removesuffix(".yaml"))
    if found is None:
        raise ValueError(f"no spec file {path}; shipped are {', '.join(shipped(folder))}")
    try:
        content = yaml.safe_load(found.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(f"{found.name} is no YAML: {' '.join(str(error).split())}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{found.name} holds no settings")
    content.setdefault("name", found.stem)
    return content, found


def name_of(content: Mapping[str, Any]) -> str:
    """The name of a spec. Raises ValueError where it has none."""
    name = content.get("name")
    if not isinstance(name, str) or not name.strip():
        raise ValueError("the spec has no name")
    return name.strip()


def check_names(where: str, given: Any, allowed: Sequence[str]) -> None:
    """Raises ValueError for what is no mapping, or has a name that is not allowed."""
    if not isinstance(given, Mapping):
        raise ValueError(f"{where}: {given!r} is no list of names with values")
    if unknown := [str(name) for name in given if name not in allowed]:
        raise ValueError(f"{where}: {unknown[0]} is none of {', '.join(allowed)}")


def seeds_of(seeds: Any) -> list[int]:
    """The seeds from what was written: a number n for 0 to n - 1, or a list. Raises ValueError for anything else."""
    found = list(range(seeds)) if type(seeds) is int else seeds
    if not isinstance(found, list) or not found or not all(type(seed) is int for seed in found):
        raise ValueError(f"seeds is {seeds!r}; it must be a number of at least 1, or a list of whole numbers")
    return found


def truth_of(name: str, written: Any) -> bool:
    """True or false. Raises ValueError for anything else."""
    if not isinstance(written, bool):
        raise ValueError(f"{name} is {written!r}; it must be true or false")
    return written


def number_of(name: str, written: Any, high: float, low: float = 0) -> float:
    """A number within these bounds. Raises ValueError for anything else."""
    if isinstance(written, bool) or not isinstance(written, int | float) or not low <= written <= high:
        raise ValueError(f"{name} is {written!r}; it must be from {low} to {high}")
    return float(written)
