"""Experiments as people write them: a YAML file becomes rows of a table, each run once for every seed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, create_model

from annotate.experiments.corpora import DATABASE, PARTS, VALIDATION_SHARE
from annotate.experiments.spec_files import (
    AsWritten,
    Run,
    Seeds,
    SpecFile,
    Study,
    Text,
    Written,
    check,
    demand_few,
    seeds_of,
)
from annotate.retraining.setting_values import ARTICLE_QUERY, SETTING_NAMES, setting_of, written_query
from model.training.settings import PRESETS, TrainingSettings

SPECS = Path(__file__).parent / "experiment_specs"
EMBEDDED = "embedded"


def _preset(name: str) -> str:
    if name not in PRESETS:
        raise ValueError(f"preset {name!r} is none of {', '.join(PRESETS)}")
    return name


def _limit(written: Any) -> Any:
    by_part = written if isinstance(written, Mapping) else dict.fromkeys(PARTS, written)
    if unknown := [part for part in by_part if part not in PARTS]:
        raise ValueError(f"limit: {unknown[0]} is none of {', '.join(PARTS)}")
    if any(number is not None and (type(number) is not int or number < 1) for number in by_part.values()):
        raise ValueError(
            f"limit is {written!r}; it must be a number of articles, or one for each of {', '.join(PARTS)}"
        )
    return written


def _files(written: Any) -> Any:
    """None stands for the database."""
    if written is None or written == DATABASE:
        return None
    if not isinstance(written, Mapping):
        raise ValueError(f"corpus is {written!r}; it must be {DATABASE}, or name files as {', '.join(PARTS)}")
    return written


class CorpusFiles(Written):
    """The corpus of an experiment that does not use the articles in the database."""

    train: Text | None = None
    validation: Text | None = None
    test: Text | None = None
    limit: Annotated[Any, AfterValidator(_limit)] = None
    validation_share: float = Field(default=VALIDATION_SHARE, ge=0, lt=1, description="from 0 to below 1")


class RowChoices(Written):
    """What a row may set in addition to the settings of the training, which TrainingSettings checks."""

    preset: Annotated[str, AfterValidator(_preset)] = "best"
    encoder: Text = EMBEDDED
    train: bool = True


_ANYTHING: Any = (Any, None)
_VALUES: Any = (list[Any], Field(default=[], min_length=1, description="of values"))
_OF_A_ROW = [name for name in SETTING_NAMES if name != "seed"]
if TYPE_CHECKING:  # what the models below have checked stays as it was written
    Settings: TypeAlias = dict[str, Any]
    Grid: TypeAlias = dict[str, Any]
    Row: TypeAlias = dict[str, Any]
else:
    Settings = create_model("Settings", __base__=RowChoices, **dict.fromkeys(SETTING_NAMES, _ANYTHING))
    Row = create_model("Row", __base__=RowChoices, name=(Text | None, None), **dict.fromkeys(_OF_A_ROW, _ANYTHING))
    Grid = create_model("Grid", __base__=Written, **dict.fromkeys([*RowChoices.model_fields, *_OF_A_ROW], _VALUES))


class ExperimentFile(SpecFile):
    """What the spec file of an experiment may say."""

    corpus: Annotated[CorpusFiles | None, BeforeValidator(_files)] = None
    preset: Annotated[str, AfterValidator(_preset)] = "best"
    settings: Annotated[Settings, AsWritten] | None = None
    grid: Annotated[Grid, AsWritten] | None = None
    rows: list[Annotated[Row, AsWritten]] | None = Field(default=None, description="of rows")
    seeds: Seeds = Field(default=1, validate_default=True)


@dataclass(frozen=True, slots=True)
class PlannedRun(Run):
    """One run: a row of the table with one seed.

    `train` False leaves the encoder as it came.
    """

    LATER: ClassVar[Mapping[str, Any]] = {"max_tokens": None, "accumulate": 1}
    GONE: ClassVar[Mapping[str, Any]] = {"anchor": 0.0, "negatives": "unlabelled", "hide": 0.0, "reviewed": 0}

    settings: TrainingSettings
    train: bool = True

    @property
    def seed(self) -> int:
        """The seed of the run's training."""
        return self.settings.seed


def parse_spec(content: Mapping[str, Any], seeds: int | None = None) -> Study:
    """The experiment that a spec's content describes; `seeds` in place of the number that it names.

    Raises ValueError that names what is unknown or wrong, and the allowed names.
    """
    file = check(ExperimentFile, content)
    base = {"preset": file.preset, **(file.settings or {})}
    runs: dict[str, PlannedRun] = {}
    seeds_taken = file.seeds if seeds is None else seeds_of(seeds)
    demand_few(len(file.rows or [{}]), *map(len, (file.grid or {}).values()), len(seeds_taken))
    for order, (row, values) in enumerate(_rows(file)):
        for seed in seeds_taken:
            run = _run(row, order, base | values, seed)
            runs.setdefault(run.key("", run.encoder), run)  # a row that repeats another one is left out
    corpus = {} if file.corpus is None else file.corpus.model_dump(exclude_unset=True)
    return Study(file.name, file.heading, tuple(runs.values()), corpus)


def _rows(file: ExperimentFile) -> list[tuple[str, dict[str, Any]]]:
    """Every named row with every combination of the grid, the grid's first name changing slowest."""
    grid = file.grid or {}
    found = []
    for row in file.rows or [{}]:
        own = {name: value for name, value in row.items() if name != "name"}
        for chosen in product(*grid.values()):
            point = dict(zip(grid, chosen, strict=True))
            title = [str(row["name"])] if row.get("name") else [_named(name, value) for name, value in own.items()]
            title += [_named(name, value) for name, value in point.items()]
            found.append((", ".join(title) or "as set", own | point))
    return found


def _named(name: str, value: Any) -> str:
    text = f"{name.replace('_', ' ')} {value}"
    match name:
        case "train":
            text = "fine-tuned" if value else "not fine-tuned"
        case "encoder":
            text = str(value).rstrip("/").rpartition("/")[2]
        case "query":
            text = "article query" if value in (None, ARTICLE_QUERY) else written_query(value)
        case "preset" | "loss":
            text = str(value)
        case "negatives_per_key" if value is None:
            text = "all negatives"
    return text


def _run(row: str, order: int, values: Mapping[str, Any], seed: int) -> PlannedRun:
    own = check(RowChoices, {name: value for name, value in values.items() if name in RowChoices.model_fields})
    settings = {name: setting_of(name, value) for name, value in values.items() if name in SETTING_NAMES}
    run = PlannedRun(
        row=row,
        order=order,
        encoder=own.encoder,
        settings=replace(PRESETS[own.preset], **(settings | {"seed": seed})),
        train=own.train,
    )
    if run.train:
        return run
    # An encoder as it came knows nothing of losses, margins and the like, nor of a seed.
    kept = {name: getattr(run.settings, name) for name in ("query", "pooling", "token_start", "max_tokens")}
    needed = seed if run.settings.has_query_token else 0
    return replace(run, settings=TrainingSettings(**kept, seed=needed))
