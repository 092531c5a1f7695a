"""Experiments as people write them: a YAML file becomes rows of a table, each run once for every seed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BeforeValidator, Field

from annotate.experiments.corpora import DATABASE, PARTS, VALIDATION_SHARE, check_share
from annotate.experiments.spec_files import Run, Seeds, SpecFile, Study, Text, demand_few, made, named, seeds_of
from annotate.retraining.setting_values import ARTICLE_QUERY, SETTING_NAMES, setting_of, written_query
from model.checked_settings import checked, names_of
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


@checked
class CorpusFiles:
    """The corpus of an experiment that does not use the articles in the database."""

    train: Text | None = None
    validation: Text | None = None
    test: Text | None = None
    limit: Annotated[Any, AfterValidator(_limit)] = None
    validation_share: Annotated[float, AfterValidator(check_share)] = VALIDATION_SHARE


@checked
class RowChoices:
    """What a row may set in addition to the settings of the training, which TrainingSettings checks."""

    preset: Annotated[str, AfterValidator(_preset)] = "best"
    encoder: Text = EMBEDDED
    train: bool = True


_CHOICES = names_of(RowChoices)
_OF_A_ROW = (*_CHOICES, *(name for name in SETTING_NAMES if name != "seed"))


def _corpus(written: Any) -> dict[str, Any]:
    """Nothing for the database."""
    if written is None or written == DATABASE:
        return {}
    if not isinstance(written, Mapping):
        raise ValueError(f"corpus is {written!r}; it must be {DATABASE}, or name files as {', '.join(PARTS)}")
    made(CorpusFiles, "corpus", written)
    return dict(written)


def _settings(written: Any) -> dict[str, Any]:
    return named("settings", written, (*_CHOICES, *SETTING_NAMES))


def _grid(written: Any) -> dict[str, Any]:
    found = named("grid", written, _OF_A_ROW)
    for name, values in found.items():
        if not isinstance(values, list) or not values:
            raise ValueError(f"grid: {name} is {values!r}; it must be a list of values")
    return found


def _table(written: Any) -> list[dict[str, Any]]:
    if not isinstance(written, list | None):
        raise ValueError(f"rows is {written!r}; it must be a list of rows")
    return [named("rows", row, ("name", *_OF_A_ROW)) for row in written or [{}]]


@checked
class ExperimentFile(SpecFile):
    """What the spec file of an experiment may say. The values of settings, grid and rows stay as they were written:
    rows are named after them."""

    corpus: Annotated[dict[str, Any], BeforeValidator(_corpus)] = Field(default={})
    preset: Annotated[str, AfterValidator(_preset)] = "best"
    settings: Annotated[dict[str, Any], BeforeValidator(_settings)] = Field(default={})
    grid: Annotated[dict[str, list[Any]], BeforeValidator(_grid)] = Field(default={})
    rows: Annotated[list[dict[str, Any]], BeforeValidator(_table)] = Field(default=[{}])
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
    file = made(ExperimentFile, "the spec", content)
    base = {"preset": file.preset, **file.settings}
    runs: dict[str, PlannedRun] = {}
    seeds_taken = file.seeds if seeds is None else seeds_of(seeds)
    demand_few(len(file.rows), *map(len, file.grid.values()), len(seeds_taken))
    for order, (row, values) in enumerate(_rows(file)):
        for seed in seeds_taken:
            run = _run(row, order, base | values, seed)
            runs.setdefault(run.key("", run.encoder), run)  # a row that repeats another one is left out
    return Study(file.name, file.heading, tuple(runs.values()), file.corpus)


def _rows(file: ExperimentFile) -> list[tuple[str, dict[str, Any]]]:
    """Every named row with every combination of the grid, the grid's first name changing slowest."""
    found = []
    for row in file.rows:
        own = {name: value for name, value in row.items() if name != "name"}
        for chosen in product(*file.grid.values()):
            point = dict(zip(file.grid, chosen, strict=True))
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
    own = RowChoices(**{name: value for name, value in values.items() if name in _CHOICES})
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
