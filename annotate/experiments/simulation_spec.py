"""Simulations as people write them: a YAML file becomes replays of a corpus, by strategy, reading and seed."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from annotate.experiments.corpora import DATABASE
from annotate.experiments.spec_files import Run, Seeds, SpecFile, Study, Text, demand_few, made, seeds_of
from model.active_learning.acquisition import STRATEGIES
from model.checked_settings import ByText, checked

SPECS = Path(__file__).parent / "simulation_specs"
# The articles come from the files of the command line.
GIVEN_FILES = "files"
EVERY = "all"
FULL = "full"
PROPOSALS = "proposals"
RANDOM = "random"
WITH_TRIAGE = " with triage"
MOST_PROPOSALS = 1_000
SETTINGS = ("seed_articles", "articles", "batch", "random_share", "learn_at_once", "evaluate")


class Evaluate(StrEnum):
    """Which articles a replay's ARP is measured on."""

    HELD_OUT = "held-out"
    REST = "rest"


@dataclass(frozen=True, slots=True)
class Replay(Run):
    """One replay: a strategy hands out articles, an oracle labels them, the head learns.

    proposals: sentences judged of an article, None: all. articles: stop after this number, None: read
    the whole pool. seed_articles: read in full first, the same ones by lot for all replays of a seed. random_share: of
    the articles handed out by lot. learn_at_once: proposals are ranked again after each verdict. triage: the strategy
    chooses among articles that matter.
    """

    LATER: ClassVar[Mapping[str, Any]] = {"triage": False}

    strategy: str
    seed: int
    proposals: int | None = None
    seed_articles: int = 5
    articles: int | None = None
    batch: int = 1
    random_share: float = 0.0
    learn_at_once: bool = True
    evaluate: Evaluate = Evaluate.HELD_OUT
    triage: bool = False


def _names(written: Any) -> Any:
    if not isinstance(written, list | None):
        raise ValueError(f"corpus: files is {written!r}; it must be a list of names")
    return written


@checked
class SimulationCorpus:
    """The corpus of a simulation that does not use the whole database."""

    files: Annotated[list[str] | None, BeforeValidator(_names)] = None
    limit: int | None = Field(default=None, ge=1, le=1_000_000)


def _corpus(written: Any) -> dict[str, Any]:
    """Nothing for the database."""
    if written is None or written == DATABASE:
        return {}
    if written == GIVEN_FILES:
        return {GIVEN_FILES: []}
    if not isinstance(written, Mapping):
        raise ValueError(f"corpus is {written!r}; it must be {DATABASE}, {GIVEN_FILES}, or name files and a limit")
    made(SimulationCorpus, "corpus", written)
    return {name: value for name, value in written.items() if value is not None}


def _strategies(written: Any) -> Any:
    found = [*STRATEGIES] if written == EVERY else written
    if not isinstance(found, list) or not found:
        raise ValueError(f"strategies is {written!r}; it must be {EVERY}, or a list of {', '.join(STRATEGIES)}")
    for name in found:
        if name not in [*STRATEGIES]:
            raise ValueError(f"strategies: {name} is none of {', '.join(STRATEGIES)}")
    return found


def _triage(written: Any) -> list[bool]:
    found = written if isinstance(written, list) else [written]
    if not found or not all(isinstance(one, bool) for one in found):
        raise ValueError(f"triage is {written!r}; it must be true, false, or a list of both")
    return list(dict.fromkeys(found))


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


@checked
class SimulationFile(SpecFile):
    """What the spec file of a simulation may say; of the values for all replays, those left out are Replay's."""

    corpus: Annotated[dict[str, Any], BeforeValidator(_corpus)] = Field(default={})
    encoder: Text | None = None
    strategies: Annotated[list[str], BeforeValidator(_strategies)] = Field(default=EVERY, validate_default=True)
    readings: Annotated[list[int | None], BeforeValidator(_readings)] = Field(default=[FULL], validate_default=True)
    triage: Annotated[list[bool], BeforeValidator(_triage)] = Field(default=[False])
    seeds: Seeds = Field(default=5, validate_default=True)
    seed_articles: int | None = Field(default=None, ge=0, le=10_000)
    articles: int | None = Field(default=None, ge=1, le=1_000_000)
    batch: int | None = Field(default=None, ge=1, le=1_000)
    random_share: float | None = Field(default=None, ge=0, le=1)
    learn_at_once: bool | None = None
    evaluate: ByText[Evaluate] | None = None


def parse_spec(content: Mapping[str, Any], seeds: int | None = None) -> Study:
    """The simulation that a spec's content describes; `seeds` in place of the number that it names.

    Raises ValueError that names what is unknown or wrong, and the allowed names.
    """
    file = made(SimulationFile, "the spec", content)
    settings = {name: value for name in SETTINGS if (value := getattr(file, name)) is not None}
    runs: dict[Replay, None] = {}
    seeds_taken = file.seeds if seeds is None else seeds_of(seeds)
    demand_few(len(file.strategies), len(file.triage), len(file.readings), len(seeds_taken))
    for order, (strategy, triage, proposals) in enumerate(product(file.strategies, file.triage, file.readings)):
        if triage and strategy == RANDOM:  # the lot stays a lot
            continue
        own = settings if proposals else settings | {"learn_at_once": True}  # in an article read in full it is nothing
        row = f"{STRATEGIES[strategy].label}{WITH_TRIAGE * triage}, {reading_name(proposals)}"
        for seed in seeds_taken:
            runs[Replay(row, order, file.encoder or "", strategy, seed, proposals, triage=triage, **own)] = None
    return Study(file.name, file.heading, tuple(runs), file.corpus)


def reading_name(proposals: int | None) -> str:
    """How an article is read, in words."""
    return "read in full" if proposals is None else f"{proposals} proposals"
