"""How well a search does on a judged collection, question by question, and what each stage adds."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from annotate.finding.find import ranked
from annotate.finding.library import Document, Library
from annotate.finding.question import Question
from annotate.finding.stages import STAGES, stages_named
from model.evaluation.retrieval_scores import MEASURES, Grades, in_order, means_of, measured, permutation_p, relevant_in
from model.evaluation.summary import mean_interval

# The measure whose interval is told and by which two systems are compared.
MAIN = "ndcg_at_10"
Progress = Callable[[str, int, int], None]


class NothingJudged(ValueError):
    """Questions and judgements that have nothing in common."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A system on all questions: each measure by question, in the order of `questions`, and the seconds each took.
    `scores` are its rankings' scores, by question and document."""

    stages: tuple[str, ...]
    questions: tuple[str, ...]
    values: Mapping[str, Sequence[float]]
    seconds: Sequence[float]
    scores: Mapping[str, Mapping[str, float]]
    left_out: Mapping[str, str]

    def means(self) -> dict[str, float]:
        """The mean of each measure over the questions."""
        return {name: float(np.mean(own)) for name, own in self.values.items()}


def measure(
    library: Library,
    questions: Mapping[str, Question],
    judgements: Mapping[str, Grades],
    stages: Sequence[str] | None = None,
    *,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Measured:
    """The measures of these stages on every question that has judgements. Raises NothingJudged.

    Judgements of documents that the library does not hold count as not found, as trec_eval has it.
    """
    chosen = judged_questions(questions, judgements)
    values: dict[str, list[float]] = {name: [] for name in MEASURES}
    seconds: list[float] = []
    scores: dict[str, Mapping[str, float]] = {}
    left_out: dict[str, str] = {}
    for done, (number, question) in enumerate(chosen.items(), start=1):
        started = time.perf_counter()
        order = ranked(question, library, stages)
        seconds.append(time.perf_counter() - started)
        scores[number] = order.scores
        left_out |= order.left_out
        for name, value in measured(order.keys, judgements[number]).items():
            values[name].append(value)
        progress(done, len(chosen))
    names = tuple(name for name in stages_named(stages) if name not in left_out)
    return Measured(names, tuple(chosen), values, seconds, scores, left_out)


def judged_questions(questions: Mapping[str, Question], judgements: Mapping[str, Grades]) -> dict[str, Question]:
    """The questions that have judgements. Raises NothingJudged."""
    chosen = {number: question for number, question in questions.items() if number in judgements}
    if not chosen:
        raise NothingJudged(
            f"none of the {len(judgements)} questions with judgements is among the {len(questions)} questions"
        )
    return chosen


def with_facets(questions: Mapping[str, Question], names: Sequence[str]) -> dict[str, Question]:
    """The questions reduced to these facets, `text` the free one. Raises ValueError where none has any of them."""
    found = {
        number: replace(
            question,
            text=question.text if "text" in names else "",
            facets={name: own for name, own in question.facets.items() if name in names},
        )
        for number, question in questions.items()
    }
    kept = {number: question for number, question in found.items() if question.asked}
    if not kept:
        there = sorted({name for question in questions.values() for name in question.facets})
        raise ValueError(f"no question has {', '.join(names)}; there are {', '.join(['text', *there])}")
    return kept


def evaluate(
    library: Library,
    questions: Mapping[str, Question],
    judgements: Mapping[str, Grades],
    stages: Sequence[str] | None = None,
    *,
    progress: Progress = lambda stage, done, total: None,
) -> tuple[dict[str, Any], Measured]:
    """(the measures of these stages together and in a table of the gain of each, what they were computed from).

    The first stage ranks before the clock starts, so that no question pays for the loading. Raises NothingJudged.
    """
    chosen = judged_questions(questions, judgements)
    ranked(next(iter(chosen.values())), library, stages)
    # Each finder by itself, then one stage more each time, all of them last.
    names = tuple(stages_named(stages))
    grown = [names[:count] for count in range(1, len(names) + 1)]
    finders = [(name,) for name in names if not STAGES[name].reads and not STAGES[name].builds]
    systems = [*(system for system in finders if system not in grown), *grown]
    rows = [
        measure(
            library,
            chosen,
            judgements,
            system,
            progress=partial(progress, " + ".join(STAGES[name].title for name in system)),
        )
        for system in systems
    ]
    whole = rows[-1]
    interval = mean_interval(whole.values[MAIN])
    return {
        "n": len(whole.questions),
        "questions_without_judgements": len(questions) - len(chosen),
        "relevant": sum(relevant_in(judgements[number]) for number in whole.questions),
        "stages": list(whole.stages),
        **whole.means(),
        f"{MAIN}_low": interval.low,
        f"{MAIN}_high": interval.high,
        "seconds_median": float(np.median(whole.seconds)),
        "seconds_worst": float(np.max(whole.seconds)),
        "left_out": dict(whole.left_out),
        "table": _table(rows),
    }, whole


def _table(rows: Sequence[Measured]) -> list[dict[str, Any]]:
    """One row a system; a system that holds the one before and a stage more is compared with it."""
    found = []
    for place, row in enumerate(rows):
        before = rows[place - 1] if place and row.stages[:-1] == rows[place - 1].stages else None
        compared = before and {
            "p": permutation_p(row.values[MAIN], before.values[MAIN]),
            "p_average_precision": permutation_p(row.values["average_precision"], before.values["average_precision"]),
        }
        measures = {"stages": list(row.stages), **row.means(), "seconds_median": float(np.median(row.seconds))}
        found.append(measures | (compared or {}))
    return found


def score_run(run: Mapping[str, Mapping[str, float]], judgements: Mapping[str, Grades]) -> dict[str, Any]:
    """The measures of a run over all judged questions; one that it lacks counts 0. Raises NothingJudged."""
    if not run.keys() & judgements.keys():
        raise NothingJudged("the run answers none of the questions with judgements")
    every = [measured(in_order(run.get(number, {})), grades) for number, grades in judgements.items()]
    return {"n": len(every)} | means_of(every)


def in_library(documents: Sequence[Document], judgements: Mapping[str, Grades]) -> dict[str, int]:
    """How many documents are judged, and how many of these are in the library. A TREC collection is rarely whole."""
    keys = {each.key for each in documents}
    judged = {key for grades in judgements.values() for key in grades}
    return {"judged_documents": len(judged), "judged_documents_here": len(judged & keys)}
