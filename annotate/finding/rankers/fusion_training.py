"""Training of the fusion: what each stage's score counts for, learnt from judged questions, measured by
cross-validation over questions."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from safetensors.numpy import save_file

from annotate.finding.find import ranked
from annotate.finding.library import Library
from annotate.finding.rankers.judged_questions import Judged, NothingToLearn, folds_of
from annotate.finding.rankers.serving import NAMES, REL, out_of_fold, scores_of
from annotate.finding.stages import CANDIDATES, STAGES
from annotate.jobs.monitor import Monitor
from annotate.registry.versions import in_use, keep, verified_folder
from db.tables import ModelVersion
from db.values import Kind
from model.evaluation.retrieval_scores import compared, means_of, measured
from model.finding.fusion import fit_weights, standardised

UNTRAINED = tuple(name for name, stage in STAGES.items() if stage.on)
FOLDS = 5
# Cross-validation is done with several divisions, since with few questions one of them says little.
DIVISIONS = 3
Scored = tuple[np.ndarray, np.ndarray]  # standardised scores and grades of a question's candidates


def train_fusion(judged: Judged, library: Library, monitor: Monitor, seed: int = 0) -> ModelVersion:
    """Learns the weights from all questions and keeps them as a version, with cross-validated measures.

    A REL version in use is weighed too, by its scores of cross-validation where it has them for these questions: what
    it says of questions that it was trained on would count for too much. Of verdicts it learns from judged articles
    alone. Raises NothingToLearn, NotRanked.
    """
    if len(judged.questions) < FOLDS:
        raise NothingToLearn(f"{len(judged.questions)} judged questions; {FOLDS} are needed at least")
    rel = in_use(Kind.REL)
    odds = out_of_fold(verified_folder(rel)) if rel else {}
    if not all(odds.get(number) for number in judged.questions):
        rel = None
    orders: dict[str, Sequence[str]] = {}
    scored: dict[str, Scored] = {}
    for done, (number, question) in enumerate(judged.questions.items(), start=1):
        found = ranked(question, library, UNTRAINED).keys
        orders[number] = judged.counted(number, found)
        keys = found[:CANDIDATES]
        scores = scores_of(question, library, keys)
        if rel is not None:
            own = odds[number]
            lowest = min(own.values())
            scores = np.concatenate([scores, [[own.get(key, lowest)] for key in keys]], axis=1)
        known = set(judged.counted(number, keys))
        counted = np.array([key in known for key in keys], dtype=bool)
        grades = np.array([max(0, judged.grades[number].get(key, 0)) for key in keys], dtype=np.float64)
        scored[number] = (standardised(scores)[counted], grades[counted])
        monitor.proceed("scoring candidates", done, len(judged.questions))
    weights = fit_weights(list(scored.values()))
    metrics = _cross_validated(judged, orders, scored, seed)
    return keep(
        Kind.FUSION,
        lambda folder: save_file({"weights": weights}, folder / "weights.safetensors"),
        monitor,
        settings={
            "weights": weights.tolist(),
            "scores": [*NAMES, *([REL] if rel else [])],
            REL: rel.name if rel else None,
        },
        trained_on=judged.trained_on,
        metrics=metrics,
        parent=rel,
    )


def _cross_validated(
    judged: Judged, orders: Mapping[str, Sequence[str]], scored: Mapping[str, Scored], seed: int
) -> dict[str, Any]:
    """Means over questions and divisions of both orders' measures; p of the difference in nDCG@10."""
    before = {number: measured(list(keys), judged.grades[number]) for number, keys in orders.items()}
    after: dict[str, list[dict[str, float]]] = {number: [] for number in orders}
    for division in range(DIVISIONS):
        for part in folds_of(list(scored), FOLDS, seed + division):
            weights = fit_weights([scored[number] for number in scored if number not in set(part)])
            for number in part:
                keys = list(orders[number])
                order = np.argsort(-(scored[number][0] @ weights), kind="stable")
                found = [keys[place] for place in order] + keys[len(order) :]
                after[number].append(measured(found, judged.grades[number]))
    weighed = [means_of(every) for every in after.values()]
    told = compared({"untrained": list(before.values()), "weighed": weighed}, after="weighed", before="untrained")
    return told | {"folds": FOLDS, "divisions": DIVISIONS}
