"""Training of REL: on pairs of judged questions, measured by cross-validation over questions. Imports torch."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import scipy
import torch

from annotate.finding.find import Order, ranked
from annotate.finding.library import Library
from annotate.finding.rankers.judged_questions import Judged, folds_of
from annotate.finding.rankers.pairs import Pair, pairs_of
from annotate.finding.rankers.reading import Inputs
from annotate.finding.rankers.training import Asked, curve_of
from annotate.finding.stages import CANDIDATES, STAGES
from annotate.jobs.job_files import noted, scratch
from annotate.registry.versions import verified_folder
from db.tables import ModelVersion
from db.values import Kind
from model.evaluation.retrieval_scores import compared, measured
from model.finding.faceted_text import laid_out, words_of
from model.finding.fusion import in_order
from model.finding.ranker_files import load_ranker, save_ranker
from model.finding.relevance import RelevanceModel, negative_weight, weighted_loss
from model.finding.rounds import Task

# What REL's candidates come from, and what it is fused with.
UNTRAINED = tuple(name for name, stage in STAGES.items() if stage.on)
Orders = Mapping[str, Sequence[str]]
Scores = Mapping[str, float]


def train_relevance(asked: Asked, library: Library) -> ModelVersion:
    """Trains REL on all questions and keeps it as a version. With folds each question is first ranked by a model that
    was trained on the other folds: these measures are stored with the version, together with the scores."""
    scores: dict[str, dict[str, float]] = {}
    metrics: dict[str, Any] = {}
    if asked.folds:
        asked.monitor.report("looking for candidates")
        found = {number: ranked(question, library, UNTRAINED) for number, question in asked.judged.questions.items()}
        scores = _out_of_fold(asked, library, {number: order.keys for number, order in found.items()})
        metrics = cross_validated(asked.judged, found, scores)
    model, told = _trained(asked, asked.judged, library, "whole", "training")

    def save(folder: Path) -> None:
        save_ranker(model, folder, {})
        if scores:
            (folder / "out_of_fold.json").write_text(json.dumps(scores))

    learnt = {"pairs": told.pop("pairs")}
    return asked.keep(save, metrics | told, learnt, {"folds": asked.folds})


def _trained(
    asked: Asked, judged: Judged, library: Library, part: str, shown: str
) -> tuple[RelevanceModel, dict[str, Any]]:
    """A model trained on the questions of `judged`, and how that went."""
    settings = asked.settings
    pairs = pairs_of(
        judged,
        library.by_words,
        negatives=settings.negatives,
        most=settings.most_pairs,
        generator=np.random.default_rng(settings.seed),
    )
    torch.manual_seed(settings.seed)
    if asked.parent is not None and asked.parent.kind == Kind.REL:
        model = cast(RelevanceModel, load_ranker(verified_folder(asked.parent))[0])
    else:
        model = RelevanceModel(asked.reader(), by_cls_alone=settings.by_cls_alone)
    task = task_of(model, pairs, judged, settings.max_tokens)
    history = asked.train(task, part, shown)
    return model, {"pairs": len(pairs), **curve_of(history)}


def task_of(model: RelevanceModel, pairs: Sequence[Pair], judged: Judged, limit: int) -> Task:
    """The pairs as a task: `weighted_loss` of the model's log odds."""
    inputs = Inputs(model, limit)
    asked = list(dict.fromkeys(pair.asked for pair in pairs))
    questions = dict(zip(asked, words_of(model.reader.tokenizer, asked), strict=True))
    articles = {key: inputs.tokens(judged.documents[key]) for key in {pair.key for pair in pairs}}
    most = model.reader.longest(limit)
    laid = [laid_out(articles[pair.key], questions[pair.asked], model.reader.borders, most) for pair in pairs]
    labels = torch.tensor([pair.label for pair in pairs], device=model.device)
    weight = negative_weight([pair.label for pair in pairs])

    def loss_of(batch: np.ndarray) -> torch.Tensor:
        odds = model([laid[i] for i in batch.tolist()])
        return weighted_loss(odds.float(), labels[torch.as_tensor(batch, device=model.device)], weight)

    return Task(model, [len(row) for row in laid], loss_of, fresh=model.fresh)


def _out_of_fold(asked: Asked, library: Library, orders: Orders) -> dict[str, dict[str, float]]:
    """Log odds of each question's candidates by a model that has not seen the question."""
    found: dict[str, dict[str, float]] = {}
    parts = folds_of(list(asked.judged.questions), asked.folds, asked.settings.seed)
    for number, part in enumerate(parts, start=1):
        others = [each for each in asked.judged.questions if each not in set(part)]
        shown = f"cross-validation, part {number} of {len(parts)}"

        scores: dict[str, dict[str, float]] = {}
        if not (scratch(asked.monitor.job_id) / f"fold{number}.json").exists():  # of an earlier attempt of the job
            model, _ = _trained(asked, asked.judged.only(others), library, f"fold{number}", shown)
            scores = _scores(asked, model, library, part, orders, f"{shown}: ranking")
        found |= noted(asked.monitor.job_id, f"fold{number}", scores)
    return found


def _scores(
    asked: Asked, model: RelevanceModel, library: Library, part: Sequence[str], orders: Orders, shown: str
) -> dict[str, dict[str, float]]:
    inputs = Inputs(model, asked.settings.max_tokens)
    found = {}
    for done, number in enumerate(part, start=1):
        documents = library.documents(orders[number][:CANDIDATES])
        keys = list(documents)  # one may be gone since it was ranked
        odds = inputs.relevance(asked.judged.questions[number].asked, [documents[key] for key in keys])
        found[number] = {key: float(own) for key, own in zip(keys, odds, strict=True)}
        asked.monitor.proceed(shown, done, len(part))
    return found


def fused_with(order: Order, odds: Scores) -> dict[str, float]:
    """The scores of an order fused with REL's, log odds of some of its articles, as a search fuses them."""
    chances = {key: float(scipy.special.expit(own)) for key, own in odds.items()}
    best = max(chances.values(), default=1.0)
    return {key: score + chances.get(key, 0.0) / best for key, score in order.scores.items()}


def cross_validated(judged: Judged, found: Mapping[str, Order], scores: Mapping[str, Scores]) -> dict[str, Any]:
    """The measures, means over questions, of the untrained stages, of REL among their candidates, and of all fused as a
    search fuses them; p of the difference in nDCG@10 that fusing makes to the untrained stages. Of verdicts only judged
    articles are measured."""
    systems: dict[str, dict[str, list[str]]] = {"untrained": {}, "rel": {}, "fused": {}}
    for number, own in scores.items():
        keys = found[number].keys
        by_rel = list(in_order(own))
        systems["untrained"][number] = keys
        systems["rel"][number] = [*by_rel, *(key for key in keys if key not in own)]
        systems["fused"][number] = list(in_order(fused_with(found[number], own)))
    values = {
        name: [measured(judged.counted(number, keys), judged.grades[number]) for number, keys in orders.items()]
        for name, orders in systems.items()
    }
    return compared(values, after="fused", before="untrained")
