"""A copy of a REL version that computes in 8 bits on a CPU: a version of its own, so that it is chosen by a person and
another can be chosen again. Imports torch.

The first candidates of each question are scored by its whole weights, see `Int8Relevance`.
"""

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from annotate.finding.find import ranked
from annotate.finding.judged.files import read_documents, read_questions
from annotate.finding.library import Library
from annotate.finding.memory import MemoryLibrary
from annotate.finding.question import Question
from annotate.finding.rankers.judged_questions import asked_questions
from annotate.finding.rankers.reading import Inputs
from annotate.finding.rankers.relevance_training import UNTRAINED, fused_with
from annotate.finding.rankers.versions import Trained, files_of, keep, version_named, versions
from annotate.finding.stages import CANDIDATES
from annotate.finding.stored import StoredLibrary
from annotate.jobs.job_files import scratch
from annotate.jobs.monitor import Monitor
from annotate.proposing.int8 import ENOUGH_ALIKE, NotAlike
from db.tables import RetrievalModel
from model.devices import bfloat16_pays
from model.evaluation.metrics import same_first
from model.files import INT8_FILE
from model.finding.faceted_text import Laid
from model.finding.ranker_files import load_relevance, load_relevance_int8, write_relevance_int8
from model.finding.relevance import FIRST, relevance_of

ENDING = "-int8"
LEAST_QUESTIONS, MOST_QUESTIONS = 20, 200


class TooFewQuestions(ValueError):
    """Too few to tell whether the copy ranks as the other does; the message says how many there are."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Both models on the same candidates: of how many questions, the share in which the order of the first five stays
    as in float32, by REL alone and fused with the stages that need no training, and how many times as fast the copy
    was, on this machine as busy as it was."""

    questions: int
    same_first_five: float
    same_first_five_fused: float
    times_as_fast: float


def add_int8(payload: dict[str, Any], monitor: Monitor) -> RetrievalModel:
    """Makes and keeps the copy of the version `int8_of`, where it ranks as that does: the candidates of the questions
    that people asked last, or of the files `docs` and `queries`.

    Raises NoInt8, and NotAlike where the first five change in too many questions; ValueError where there is such a
    copy, TooFewQuestions; DamagedModel, Cancelled.
    """
    version = version_named(payload["int8_of"])
    copy = version.name + ENDING
    if version.stage != Trained.REL:
        raise ValueError(f"{version.name} is a version of {version.stage}; only one of rel can compute in 8 bits")
    if INT8_FILE in version.manifest:
        raise ValueError(f"{version.name} computes in 8 bits already")
    if copy in {each.name for each in versions()}:
        raise ValueError(f"there is a version {copy} already")
    monitor.report("writing it in 8 bits")
    made = scratch(monitor.job_id) / copy
    shutil.rmtree(made, ignore_errors=True)
    shutil.copytree(files_of(version), made)
    write_relevance_int8(made)
    found = _measured(made, int(version.settings["max_tokens"]), *_questions(payload, monitor), monitor)
    if min(found.same_first_five, found.same_first_five_fused) < ENOUGH_ALIKE:
        raise NotAlike(
            f"in 8 bits the first five stay the same in {found.same_first_five:.1%} of {found.questions} questions, "
            f"and with the other stages in {found.same_first_five_fused:.1%}; {ENOUGH_ALIKE:.0%} are needed, so "
            f"{version.name} goes on as it is"
        )
    return keep(
        Trained.REL,
        partial(shutil.copytree, made, dirs_exist_ok=True),
        monitor,
        name=copy,
        settings=version.settings,
        trained_on=version.trained_on,
        metrics={"in_8_bits": asdict(found)},
        parent=version,
    )


def _questions(payload: dict[str, Any], monitor: Monitor) -> tuple[Sequence[Question], Library]:
    """At most MOST_QUESTIONS, and what they are asked of."""
    given = [payload.get(name) for name in ("docs", "queries")]
    if not any(given):
        return asked_questions(MOST_QUESTIONS), StoredLibrary()
    if not all(given):
        raise ValueError("questions of files are documents and questions; one of both is missing")
    documents = read_documents(Path(payload["docs"]))
    questions = list(read_questions(Path(payload["queries"])).values())
    order = np.random.default_rng(0).permutation(len(questions))[:MOST_QUESTIONS]
    report = partial(monitor.report, "encoding documents")
    return [questions[i] for i in order], MemoryLibrary(documents, keep=True, progress=report)


def _measured(files: Path, limit: int, questions: Sequence[Question], library: Library, monitor: Monitor) -> Alike:
    """Both on the candidates of each question. One with few, nearly all scored by the whole weights, tells nothing."""
    whole, int8 = load_relevance(files, "cpu"), load_relevance_int8(files)
    inputs = Inputs(whole, limit)
    ways: list[Callable[[Sequence[Laid]], np.ndarray]] = [partial(relevance_of, whole), int8.odds]
    alone: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    fused: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    seconds = [0.0, 0.0]
    for done, question in enumerate(questions, start=1):
        order = ranked(question, library, UNTRAINED)
        candidates = library.documents(order.keys[:CANDIDATES])
        keys = [key for key in order.keys[:CANDIDATES] if key in candidates]
        rows = inputs.laid(question.asked, [candidates[key] for key in keys]) if len(keys) > 2 * FIRST else []
        for side, score in enumerate(ways if rows else []):
            begun = time.perf_counter()
            odds = score(rows)
            seconds[side] += time.perf_counter() - begun
            # Its usual way says how long it takes, float32 what comes first: bfloat16 changes that as well.
            if not side and bfloat16_pays("cpu"):
                odds = relevance_of(whole, rows, mixed_precision=False)
            together = fused_with(order, dict(zip(keys, odds.tolist(), strict=True)))
            alone[side].append(odds)
            fused[side].append(np.array(list(together.values())))
        monitor.report("comparing both", done, len(questions))
        monitor.stop_if_cancelled()
    if len(alone[0]) < LEAST_QUESTIONS:
        raise TooFewQuestions(
            f"{len(alone[0])} questions with more than {2 * FIRST} candidates; {LEAST_QUESTIONS} are needed at least: "
            "name files of documents and questions, such as those that the model was trained on"
        )
    return Alike(len(alone[0]), same_first(*alone), same_first(*fused), round(seconds[0] / seconds[1], 2))
