"""Spec files of experiments and simulations: YAML that people write, found by path or by name, and checked by name.

What a spec may hold is a class of checked settings below SpecFile, whose errors are words for the person who wrote it.
"""

import hashlib
import json
import math
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import BeforeValidator, Field, StringConstraints

from annotate.project.files.plain_yaml import BadYaml, read_yaml_file
from model.checked_settings import checked, names_of
from model.training.settings import BOUNDS

_Part = TypeVar("_Part")
MOST_SEEDS = 1_000  # the papers that we follow take 3 to 30
MOST_RUNS = 10_000  # the largest spec that is shipped has some hundreds
LAST_SEED = int(BOUNDS["seed"][1])
# The values of a corpus that are paths.
PATHS = ("train", "validation", "test", "files")


def seeds_of(seeds: Any) -> list[int]:
    """The seeds from what was written: a number n for 0 to n - 1, or a list. Raises ValueError for anything else."""
    found = range(min(seeds, MOST_SEEDS + 1)) if type(seeds) is int else seeds
    countable = isinstance(found, list | range) and 0 < len(found) <= MOST_SEEDS
    if not countable or not all(type(seed) is int and 0 <= seed <= LAST_SEED for seed in found):
        raise ValueError(
            f"seeds is {reprlib.repr(seeds)}; it must be a number from 1 to {MOST_SEEDS:,}, "
            f"or a list of up to {MOST_SEEDS:,} whole numbers from 0 to {LAST_SEED}"
        )
    return list(found)


def demand_few(*counts: int) -> None:
    """Raises ValueError for too many runs to wait for: `counts` multiply to their number."""
    if (runs := math.prod(counts)) > MOST_RUNS:
        raise ValueError(f"the spec describes {runs:,} runs; it may describe up to {MOST_RUNS:,}")


# A number may stand for a text, as in `title: 2026`.
Text = Annotated[str, Field(strict=False, coerce_numbers_to_str=True)]
Seeds = Annotated[list[int], BeforeValidator(seeds_of)]


def named(where: str, written: Any, names: Iterable[str]) -> dict[str, Any]:
    """The values that people wrote by name, {} for none. Raises ValueError for another name than these."""
    if not isinstance(written, Mapping | None):
        raise ValueError(f"{where}: {written!r} is no list of names with values")
    allowed = list(names)
    if unknown := [name for name in written or () if name not in allowed]:
        raise ValueError(f"{where}: {unknown[0]} is none of {', '.join(allowed)}")
    return dict(written or {})


def made(kind: type[_Part], where: str, written: Any) -> _Part:
    """What people wrote as this class of checked settings. Raises ValueError that names what is wrong or allowed."""
    return kind(**named(where, written, names_of(kind)))


@checked
class SpecFile:
    """What every spec file may say."""

    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
    title: Text | None = None

    @property
    def heading(self) -> str:
        """The title, or the name where there is none."""
        return self.title or self.name


@dataclass(frozen=True, slots=True)
class Run:
    """A run of a study: the name of its row, the row's place, and the encoder as the spec calls it.

    METHOD is part of every key: raise it where a change of the code changes what the same settings lead to. LATER:
    settings that there were not always, as they leave everything as it was. GONE: settings that were always there and
    are no more, as they left everything as it was.
    """

    METHOD: ClassVar[int] = 1
    LATER: ClassVar[Mapping[str, Any]] = {}
    GONE: ClassVar[Mapping[str, Any]] = {}

    row: str
    order: int
    encoder: str

    @property
    def described(self) -> dict[str, Any]:
        """The settings of the run as they are stored: JSON-able values, with the row and its place."""
        values: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        del values["encoder"]
        settings: dict[str, Any] = values.pop("settings", {})
        return values | settings

    @classmethod
    def telling(cls, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Of stored settings those that tell a run from others: neither its row and place, nor what is left alone."""
        alone = {**cls.LATER, **cls.GONE}
        return {
            name: value
            for name, value in settings.items()
            if name not in ("row", "order") and not (name in alone and alone[name] == value)
        }

    def key(self, *depends_on: str) -> str:
        """A hash of all that the result depends on; a setting that came or went changes none where it is left alone."""
        values = {**self.GONE, **self.telling(self.described)}
        return hashlib.sha256(json.dumps([self.METHOD, *depends_on, values], sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Study:
    """An experiment or a simulation: the name under which its runs are stored, its title, and all runs of its spec.

    `corpus`: what the spec says of it, without files for the articles in the database.
    """

    name: str
    title: str
    runs: Sequence[Any]
    corpus: Mapping[str, Any]


def shipped(folder: Path) -> dict[str, Path]:
    """The spec files of a folder, by name."""
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


def read_spec(path: Path, folder: Path, parse: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    """The content of a spec file or, by its name alone, of a shipped one, with a name; the paths of its corpus, which
    are relative to the spec's folder, in full.

    Raises ValueError that names the file where there is none, it is no plain YAML, or `parse` refuses it.
    """
    found = path if path.is_file() else shipped(folder).get(path.name.removesuffix(".yaml"))
    if found is None:
        raise ValueError(f"no spec file {path}; shipped are {', '.join(shipped(folder))}")
    try:
        content = read_yaml_file(found)
    except BadYaml as error:
        raise ValueError(f"{found.name}: {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{found.name} holds no settings")
    content.setdefault("name", found.stem)
    try:
        parse(content)
    except ValueError as error:
        raise ValueError(f"{found.name}: {error}") from None
    if isinstance(corpus := content.get("corpus"), dict):
        content["corpus"] = {
            name: _resolved(found, value) if name in PATHS else value for name, value in corpus.items()
        }
    return content


def _resolved(spec: Path, written: Any) -> Any:
    if isinstance(written, list):
        return [_resolved(spec, each) for each in written]
    return str((spec.parent / str(written)).resolve()) if written else written
