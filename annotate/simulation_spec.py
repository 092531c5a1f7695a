"""Simulations as people write them: a YAML file becomes replays of a corpus, by strategy, reading and seed."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import product
from pathlib import Path
from typing import Any

from annotate import spec_files
from annotate.corpora import DATABASE
from annotate.spec_files import check_names, name_of, number_of, seeds_of, truth_of
from model.acquisition import STRATEGIES

SPECS = Path(__file__).parent / "specs_simulation"
# The articles come from the files of the command line.
GIVEN_FILES = "files"
EVERY = "all"
FULL = "full"
PROPOSALS = "proposals"
SETTINGS = ("seed_articles", "articles", "batch", "random_share", "learn_at_once", "evaluate")
SPEC_FIELDS = ("name", "title", "corpus", "encoder", "strategies", "readings", "seeds", *SETTINGS)
CORPUS_FIELDS = (GIVEN_FILES, "limit")
MOST_PROPOSALS = 1_000
# Part of every key: raise it where a change of the code (strategies, head, replay) changes what the same settings give.
METHOD = 1


class Evaluate(StrEnum):
    """Which articles a replay's ARP is measured on."""

    HELD_OUT = "held-out"
    REST = "rest"


@dataclass(frozen=True, slots=True)
class Replay:
    """One replay: a strategy hands out articles, an oracle labels them, the head learns.

    proposals: so many of an article's sentences are judged, None: all of them. articles: stop after so many, None: read
    the whole pool. seed_articles: read in full first, the same ones by lot for all replays of a seed. random_share: of
    the articles handed out by lot. learn_at_once: proposals are ranked anew after each verdict.
    """

    row: str
    order: int
    encoder: str
    strategy: str
    seed: int
    proposals: int | None = None
    seed_articles: int = 5
    articles: int | None = None
    batch: int = 1
    random_share: float = 0.0
    learn_at_once: bool = True
    evaluate: Evaluate = Evaluate.HELD_OUT

    @property
    def described(self) -> dict[str, Any]:
        """What is stored as the settings of the run: JSON-able values, with the row and its place."""
        return {name: value for name, value in asdict(self).items() if name != "encoder"} | {
            "evaluate": str(self.evaluate)
        }

    def key(self, rows_sha256: str) -> str:
        """A hash of all that the result depends on; the rows' covers corpus and encoder."""
        values = {name: value for name, value in self.described.items() if name not in ("row", "order")}
        return hashlib.sha256(json.dumps([METHOD, rows_sha256, values], sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Simulation:
    """A simulation: where its articles come from, and its replays, row by row and seed by seed.

    files: None for the database; empty where the command line has to name them. encoder: None for the one that
    proposes (database) or the embedded one (files).
    """

    name: str
    title: str
    files: Sequence[str] | None
    limit: int | None
    encoder: str | None
    runs: Sequence[Replay]


def shipped_specs() -> dict[str, Path]:
    """The spec files that come with Keyline, by name."""
    return spec_files.shipped(SPECS)


def read_spec(path: Path) -> dict[str, Any]:
    """The content of a spec file or, by its name alone, of a shipped one; its files are looked for beside it.

    Raises ValueError where there is no such file or it is no YAML.
    """
    content, found = spec_files.read_spec(path, SPECS)
    corpus = content.get("corpus")
    if isinstance(corpus, dict) and isinstance(corpus.get(GIVEN_FILES), list):
        beside = [str((found.parent / str(name)).resolve()) for name in corpus[GIVEN_FILES]]
        content["corpus"] = corpus | {GIVEN_FILES: beside}
    return content


def parse_spec(content: Mapping[str, Any], seeds: int | None = None) -> Simulation:
    """The simulation that a spec's content describes; `seeds` in place of the number that it names.

    Raises ValueError that names what is unknown or wrong, and what is allowed.
    """
    check_names("the spec", content, SPEC_FIELDS)
    name = name_of(content)
    files, limit = _corpus(content.get("corpus"))
    encoder = content.get("encoder")
    settings = _settings(content)
    grid = product(_strategies(content.get("strategies", EVERY)), _readings(content.get("readings", [FULL])))
    runs: dict[Replay, None] = {}
    for order, (strategy, proposals) in enumerate(grid):
        own = settings if proposals else settings | {"learn_at_once": True}  # in an article read in full it is nothing
        row = f"{STRATEGIES[strategy].label}, {reading_name(proposals)}"
        for seed in seeds_of(content.get("seeds", 5) if seeds is None else seeds):
            given = {"row": row, "order": order, "strategy": strategy, "proposals": proposals, "seed": seed}
            runs[Replay(encoder=str(encoder or ""), **given, **own)] = None
    title = str(content.get("title") or name)
    return Simulation(name, title, files, limit, None if encoder is None else str(encoder), tuple(runs))


def reading_name(proposals: int | None) -> str:
    """How an article is read, in words."""
    return "read in full" if proposals is None else f"{proposals} proposals"


def _settings(content: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    bounds = {"seed_articles": (0, 10_000), "batch": (1, 1_000), "articles": (1, 1_000_000)}
    for name, (low, high) in bounds.items():
        if content.get(name) is not None:
            if type(content[name]) is not int:
                raise ValueError(f"{name} is {content[name]!r}; it must be a whole number")
            found[name] = int(number_of(name, content[name], high, low))
    if "random_share" in content:
        found["random_share"] = number_of("random_share", content["random_share"], 1)
    if "learn_at_once" in content:
        found["learn_at_once"] = truth_of("learn_at_once", content["learn_at_once"])
    evaluate = content.get("evaluate", Evaluate.HELD_OUT)
    if evaluate not in [*Evaluate]:
        raise ValueError(f"evaluate is {evaluate!r}; it must be {' or '.join(Evaluate)}")
    return found | {"evaluate": Evaluate(evaluate)}


def _strategies(written: Any) -> list[str]:
    found = [*STRATEGIES] if written == EVERY else written
    if not isinstance(found, list) or not found:
        raise ValueError(f"strategies is {written!r}; it must be {EVERY}, or a list of {', '.join(STRATEGIES)}")
    for name in found:
        if name not in STRATEGIES:
            raise ValueError(f"strategies: {name} is none of {', '.join(STRATEGIES)}")
    return found


def _readings(written: Any) -> list[int | None]:
    if not isinstance(written, list) or not written:
        raise ValueError(f"readings is {written!r}; it must be a list of {FULL} and {PROPOSALS} with their number")
    return [_reading(str(reading)) for reading in written]


def _reading(written: str) -> int | None:
    if written == FULL:
        return None
    word, _, number = written.partition(" ")
    if word != PROPOSALS or not number.isdigit() or not 1 <= int(number) <= MOST_PROPOSALS:
        raise ValueError(
            f"the reading {written!r} is neither {FULL} nor {PROPOSALS} with a number from 1 to {MOST_PROPOSALS}"
        )
    return int(number)


def _corpus(written: Any) -> tuple[Sequence[str] | None, int | None]:
    if written in (None, DATABASE):
        return None, None
    if written == GIVEN_FILES:
        return (), None
    if not isinstance(written, Mapping):
        raise ValueError(f"corpus is {written!r}; it must be {DATABASE}, {GIVEN_FILES}, or name files and a limit")
    check_names("corpus", written, CORPUS_FIELDS)
    files, limit = written.get(GIVEN_FILES), written.get("limit")
    if files is not None and (not isinstance(files, list) or not all(isinstance(name, str) for name in files)):
        raise ValueError(f"corpus: files is {files!r}; it must be a list of names")
    return files, limit
