"""Spec files of experiments and simulations: YAML that people write, found by path or by name, and checked by name.

What a spec may hold is a pydantic model below SpecFile; its errors are told in words for the person who wrote the spec.
"""

import hashlib
import json
import math
import reprlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import ErrorDetails

from annotate.project.files.plain_yaml import BadYaml, read_yaml_file
from model.training.settings import BOUNDS

_Spec = TypeVar("_Spec", bound=BaseModel)
_BLANK = ("missing", "string_too_short")
_NO_MAPPING = ("model_type", "dict_type")
MOST_SEEDS = 1_000  # the papers that we follow take 3 to 30
MOST_RUNS = 10_000  # the largest spec that is shipped has some hundreds
LAST_SEED = int(BOUNDS["seed"][1])
# The values of a corpus that are paths.
PATHS = ("train", "validation", "test", "files")
# What comes before the bounds of a value, or in their place.
_KINDS = {
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "a text",
    "list_type": "a list",
    "too_short": "a list",
}


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


def bounded(low: float, high: float, default: Any = None) -> Any:
    """A number within these bounds, where one is written."""
    return Field(default=default, ge=low, le=high, description=f"from {low} to {high}")


def _checked_alone(written: Any, check: ValidatorFunctionWrapHandler) -> Any:
    check(written)
    return written


# A number may stand for a text, as in `title: 2026`.
Text = Annotated[str, Field(strict=False, coerce_numbers_to_str=True)]
Seeds = Annotated[list[int], BeforeValidator(seeds_of)]
# The names and values of a model as they were written, in that order: rows are named after them.
AsWritten = WrapValidator(_checked_alone)


class Written(BaseModel):
    """Names with values that people write: only the names of the model, and a text is no number."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class SpecFile(Written):
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

    def key(self, *depends_on: str) -> str:
        """A hash of all that the result depends on; a setting that came or went changes none where it is left alone."""
        values = dict(self.GONE) | {
            name: value
            for name, value in self.described.items()
            if name not in ("row", "order") and not (name in self.LATER and self.LATER[name] == value)
        }
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
        content["corpus"] = {name: _beside(found, value) if name in PATHS else value for name, value in corpus.items()}
    return content


def _beside(spec: Path, written: Any) -> Any:
    if isinstance(written, list):
        return [_beside(spec, each) for each in written]
    return str((spec.parent / str(written)).resolve()) if written else written


def check(kind: type[_Spec], content: Mapping[str, Any]) -> _Spec:
    """The content as this model. Raises ValueError that names the first wrong key, its value and the allowed ones."""
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        raise ValueError(_in_words(kind, error.errors()[0])) from None


def _in_words(kind: type[BaseModel], error: ErrorDetails) -> str:
    if error["type"] == "value_error":  # said by a validator of ours
        return str(error["ctx"]["error"])
    names = [part for part in error["loc"] if isinstance(part, str)]
    if error["type"] == "invalid_key":
        names.append(str(error["loc"][-1]))
    *above, name = names or ["the spec"]
    where = above[-1] if above else "the spec"
    if error["type"] in _BLANK:
        return f"{where} has no {name}"
    if error["type"] in _NO_MAPPING:
        return f"{name}: {error['input']!r} is no list of names with values"
    for part in above:
        kind = next(_models_in(kind.model_fields[part].annotation))
    field = kind.model_fields.get(name)
    if field is None:
        return f"{where}: {name} is none of {', '.join(kind.model_fields)}"
    allowed = " ".join(filter(None, (_KINDS.get(error["type"]), field.description)))
    return f"{where + ': ' if above else ''}{name} is {error['input']!r}; it must be {allowed}"


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models of a type such as `list[Row] | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)
