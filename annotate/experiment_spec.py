"""Experiments as people write them: a YAML file becomes rows of a table, each run once for every seed."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from annotate.corpora import DATABASE, PARTS
from annotate.setting_values import ARTICLE_QUERY, SETTING_NAMES, setting_of, written_query
from model.settings import PRESETS, TrainingSettings

SPECS = Path(__file__).parent / "specs"
SPEC_FIELDS = ("name", "title", "corpus", "preset", "settings", "grid", "rows", "seeds")
CORPUS_FIELDS = (*PARTS, "limit", "validation_share")
# What a row may set beside the settings of the training.
ROW_FIELDS = ("encoder", "train", "hide", "reviewed")
EMBEDDED = "embedded"
# Part of every run's key: raise it where a change of the code changes what the same settings lead to.
METHOD = 1


@dataclass(frozen=True, slots=True)
class Run:
    """One run: a row of the table with one seed.

    `train` False leaves the encoder as it came; `hide` is the share of the training key labels made unlabelled;
    `reviewed` the number of best-ranked sentences of each training article that count as seen by an expert.
    """

    row: str
    order: int
    encoder: str
    settings: TrainingSettings
    train: bool = True
    hide: float = 0.0
    reviewed: int = 0

    @property
    def described(self) -> dict[str, Any]:
        """What is stored as the settings of the run: JSON-able values, with the row and its place."""
        own = {name: getattr(self, name) for name in ("row", "order", "train", "hide", "reviewed")}
        return own | json.loads(json.dumps(asdict(self.settings)))

    def key(self, corpus_sha256: str, encoder_identity: str) -> str:
        """A hash of all that the result depends on."""
        values = {name: value for name, value in self.described.items() if name not in ("row", "order")}
        content = [METHOD, corpus_sha256, encoder_identity, values]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Spec:
    """An experiment: where its articles come from, and its runs, row by row and seed by seed."""

    name: str
    title: str
    corpus: Mapping[str, Any] | None
    runs: Sequence[Run]


def shipped_specs() -> dict[str, Path]:
    """The spec files that come with Keyline, by name."""
    return {path.stem: path for path in sorted(SPECS.glob("*.yaml"))}


def read_spec(path: Path) -> dict[str, Any]:
    """The content of a spec file or, by its name alone, of a shipped one; its files are looked for beside it.

    Raises ValueError where there is no such file or it is no YAML.
    """
    found = path if path.is_file() else shipped_specs().get(path.name.removesuffix(".yaml"))
    if found is None:
        raise ValueError(f"no spec file {path}; shipped are {', '.join(shipped_specs())}")
    try:
        content = yaml.safe_load(found.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(f"{found.name} is no YAML: {' '.join(str(error).split())}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{found.name} holds no settings")
    content.setdefault("name", found.stem)
    if isinstance(content.get("corpus"), dict):
        beside = {part: str((found.parent / content["corpus"][part]).resolve()) for part in _parts(content["corpus"])}
        content["corpus"] = content["corpus"] | beside
    return content


def _parts(corpus: Mapping[str, Any]) -> list[str]:
    return [part for part in PARTS if corpus.get(part)]


def parse_spec(content: Mapping[str, Any], seeds: int | None = None) -> Spec:
    """The experiment that a spec's content describes; `seeds` in place of the number that it names.

    Raises ValueError that names what is unknown or wrong, and what is allowed.
    """
    _check_names("the spec", content, SPEC_FIELDS)
    name = content.get("name")
    if not isinstance(name, str) or not name.strip():
        raise ValueError("the spec has no name")
    preset = content.get("preset", "best")
    if preset not in PRESETS:
        raise ValueError(f"preset {preset!r} is none of {', '.join(PRESETS)}")
    base = content.get("settings") or {}
    _check_names("settings", base, ("preset", *ROW_FIELDS, *SETTING_NAMES))
    runs: dict[str, Run] = {}
    rows = [*_rows(content)]
    for order, (row, values) in enumerate(rows):
        for seed in _seeds(content.get("seeds", 1) if seeds is None else seeds):
            run = _run(row, order, {"preset": preset} | base | values, seed)
            runs.setdefault(run.key("", run.encoder), run)  # a row that repeats another one is left out
    return Spec(name.strip(), str(content.get("title") or name), _corpus(content.get("corpus")), tuple(runs.values()))


def _check_names(where: str, given: Any, allowed: Sequence[str]) -> None:
    if not isinstance(given, Mapping):
        raise ValueError(f"{where}: {given!r} is no list of names with values")
    if unknown := [str(name) for name in given if name not in allowed]:
        raise ValueError(f"{where}: {unknown[0]} is none of {', '.join(allowed)}")


def _corpus(corpus: Any) -> Mapping[str, Any] | None:
    """None stands for the database."""
    if corpus in (None, DATABASE):
        return None
    if not isinstance(corpus, Mapping):
        raise ValueError(f"corpus is {corpus!r}; it must be {DATABASE}, or name files as {', '.join(PARTS)}")
    _check_names("corpus", corpus, CORPUS_FIELDS)
    return corpus


def _seeds(seeds: Any) -> list[int]:
    found = list(range(seeds)) if type(seeds) is int else seeds
    if not isinstance(found, list) or not found or not all(type(seed) is int for seed in found):
        raise ValueError(f"seeds is {seeds!r}; it must be a number of at least 1, or a list of whole numbers")
    return found


def _rows(content: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Every named row with every combination of the grid, the grid's first name changing slowest."""
    names = ("preset", *ROW_FIELDS, *(name for name in SETTING_NAMES if name != "seed"))
    rows, grid = content.get("rows") or [{}], content.get("grid") or {}
    _check_names("grid", grid, names)
    for name, values in grid.items():
        if not isinstance(values, list) or not values:
            raise ValueError(f"grid: {name} is {values!r}; it must be a list of values")
    if not isinstance(rows, list):
        raise ValueError("rows is no list")
    found = []
    for row in rows:
        _check_names("rows", row, ("name", *names))
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
        case "hide" if isinstance(value, int | float):
            text = f"{value:.0%} hidden"
        case "encoder":
            text = str(value).rstrip("/").rpartition("/")[2]
        case "query":
            text = "article query" if value in (None, ARTICLE_QUERY) else written_query(value)
        case "preset" | "loss" | "negatives":
            text = str(value)
        case "negatives_per_key" if value is None:
            text = "all negatives"
    return text


def _run(row: str, order: int, values: Mapping[str, Any], seed: int) -> Run:
    if values["preset"] not in PRESETS:
        raise ValueError(f"preset {values['preset']!r} is none of {', '.join(PRESETS)}")
    settings = {name: setting_of(name, value) for name, value in values.items() if name in SETTING_NAMES}
    run = Run(
        row=row,
        order=order,
        encoder=str(values.get("encoder", EMBEDDED)),
        settings=replace(PRESETS[values["preset"]], **(settings | {"seed": seed})),
        train=_truth(values.get("train", True)),
        hide=_number("hide", values.get("hide", 0.0), 0.99),
        reviewed=int(_number("reviewed", values.get("reviewed", 0), 1_000)),
    )
    if run.train:
        return run
    # An encoder as it came knows nothing of losses, margins and the like, nor of a seed unless labels are hidden.
    kept = {name: getattr(run.settings, name) for name in ("query", "pooling", "token_start")}
    needed = seed if run.hide or run.settings.has_query_token else 0
    return replace(run, settings=TrainingSettings(**kept, seed=needed), reviewed=0)


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"train is {value!r}; it must be true or false")
    return value


def _number(name: str, value: Any, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= high:
        raise ValueError(f"{name} is {value!r}; it must be from 0 to {high}")
    return float(value)
