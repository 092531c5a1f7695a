"""Experiments as people write them: a YAML file becomes rows of a table, each run once for every seed."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from annotate import spec_files
from annotate.corpora import DATABASE, PARTS
from annotate.setting_values import ARTICLE_QUERY, SETTING_NAMES, setting_of, written_query
from annotate.spec_files import check_names, name_of, number_of, seeds_of, truth_of
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
    return spec_files.shipped(SPECS)


def read_spec(path: Path) -> dict[str, Any]:
    """The content of a spec file or, by its name alone, of a shipped one; its files are looked for beside it.

    Raises ValueError where there is no such file or it is no YAML.
    """
    content, found = spec_files.read_spec(path, SPECS)
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
    check_names("the spec", content, SPEC_FIELDS)
    name = name_of(content)
    preset = content.get("preset", "best")
    if preset not in PRESETS:
        raise ValueError(f"preset {preset!r} is none of {', '.join(PRESETS)}")
    base = content.get("settings") or {}
    check_names("settings", base, ("preset", *ROW_FIELDS, *SETTING_NAMES))
    runs: dict[str, Run] = {}
    rows = [*_rows(content)]
    for order, (row, values) in enumerate(rows):
        for seed in seeds_of(content.get("seeds", 1) if seeds is None else seeds):
            run = _run(row, order, {"preset": preset} | base | values, seed)
            runs.setdefault(run.key("", run.encoder), run)  # a row that repeats another one is left out
    return Spec(name, str(content.get("title") or name), _corpus(content.get("corpus")), tuple(runs.values()))


def _corpus(corpus: Any) -> Mapping[str, Any] | None:
    """None stands for the database."""
    if corpus in (None, DATABASE):
        return None
    if not isinstance(corpus, Mapping):
        raise ValueError(f"corpus is {corpus!r}; it must be {DATABASE}, or name files as {', '.join(PARTS)}")
    check_names("corpus", corpus, CORPUS_FIELDS)
    return corpus


def _rows(content: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Every named row with every combination of the grid, the grid's first name changing slowest."""
    names = ("preset", *ROW_FIELDS, *(name for name in SETTING_NAMES if name != "seed"))
    rows, grid = content.get("rows") or [{}], content.get("grid") or {}
    check_names("grid", grid, names)
    for name, values in grid.items():
        if not isinstance(values, list) or not values:
            raise ValueError(f"grid: {name} is {values!r}; it must be a list of values")
    if not isinstance(rows, list):
        raise ValueError("rows is no list")
    found = []
    for row in rows:
        check_names("rows", row, ("name", *names))
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
        train=truth_of("train", values.get("train", True)),
        hide=number_of("hide", values.get("hide", 0.0), 0.99),
        reviewed=int(number_of("reviewed", values.get("reviewed", 0), 1_000)),
    )
    if run.train:
        return run
    # An encoder as it came knows nothing of losses, margins and the like, nor of a seed unless labels are hidden.
    kept = {name: getattr(run.settings, name) for name in ("query", "pooling", "token_start")}
    needed = seed if run.hide or run.settings.has_query_token else 0
    return replace(run, settings=TrainingSettings(**kept, seed=needed), reviewed=0)
