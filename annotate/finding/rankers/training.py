"""How REL is trained, on pairs of judged questions. Imports torch."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy
import torch

from annotate.finding.find import Order, ranked
from annotate.finding.library import Library
from annotate.finding.question import marks_of
from annotate.finding.rankers.judged_questions import Judged, Pair, folds_of, pairs_of
from annotate.finding.rankers.ranker_versions import AlreadyLearnt, learnt_from
from annotate.finding.rankers.reading import Inputs
from annotate.finding.stages import CANDIDATES, STAGES
from annotate.jobs.job_process import noted, scratch
from annotate.jobs.monitor import Monitor
from annotate.proposing.encoder_versions import proposing_version
from annotate.registry.versions import keep, verified_folder
from db.tables import ModelVersion
from db.values import Kind
from model.evaluation.retrieval_scores import compared, measured
from model.finding.fusion import in_order
from model.finding.ranker_files import load_ranker, save_ranker
from model.finding.ranker_settings import RankerSettings
from model.finding.reader import laid_out, reader_of_encoder, words_of
from model.finding.relevance import RelevanceModel, negative_weight, weighted_loss
from model.finding.rounds import Task, train_rounds
from model.training.checkpoints import Checkpoints
from model.training.curve import Step


@dataclass(frozen=True, slots=True)
class Asked:
    """A training as it was asked for. `parent`: the version to go on from, else the proposing encoder."""

    judged: Judged
    settings: RankerSettings
    monitor: Monitor
    parent: ModelVersion | None = None
    folds: int = 0

    def model(self) -> RelevanceModel:
        """What the training begins with: the parent, or a model on top of the encoder that proposes."""
        if self.parent is not None:
            return load_ranker(verified_folder(self.parent))
        return RelevanceModel(reader_of_encoder(verified_folder(proposing_version())))

    def trained_on(self) -> dict[str, Any]:
        """The facts about the training that are stored with the version."""
        first = self.parent.name if self.parent else proposing_version().name
        return self.judged.trained_on | {"begun_with": first}

    def keep(self, model: RelevanceModel, pairs: int, metrics: Mapping[str, Any]) -> ModelVersion:
        """Keeps what was trained, on so many pairs, as a version."""
        self.monitor.report("saving the new version")
        return keep(
            Kind.REL,
            partial(save_ranker, model),
            self.monitor,
            settings=asdict(self.settings) | {"folds": self.folds},
            trained_on=self.trained_on() | {"pairs": pairs},
            metrics=metrics,
            parent=self.parent,
        )

    def train(self, task: Task, part: str, shown: str) -> dict[str, Any]:
        """Trains with progress, cancellation and checkpoints of its own for each `part` of the job; returns the number
        of steps, and the mean loss at the beginning and at the end."""
        what = {"settings": asdict(self.settings), "part": part, "trained_on": self.trained_on()}
        steps = train_rounds(
            task,
            self.settings,
            on_step=partial(self._report, shown),
            checkpoints=Checkpoints(scratch(self.monitor.job_id) / part, what),
        )
        return {"steps": len(steps), "first_loss": round(steps[0].loss, 5), "last_loss": round(steps[-1].loss, 5)}

    def _report(self, shown: str, step: Step) -> None:
        numbers = {"loss": round(step.loss, 5), "pairs_per_second": round(step.pairs_per_second, 1)}
        self.monitor.proceed(shown, step.step, step.steps, **numbers, seconds_left=round(step.seconds_left, 1))


# What REL's candidates come from, and what it is fused with.
UNTRAINED = tuple(name for name, stage in STAGES.items() if stage.on)
Orders = Mapping[str, Sequence[str]]
Scores = Mapping[str, float]


def train_relevance(asked: Asked, library: Library) -> ModelVersion:
    """Trains REL on all questions and keeps it as a version. With folds each question is first ranked by a model that
    was trained on the other folds: these measures are stored with the version."""
    metrics: dict[str, Any] = {}
    if asked.folds:
        _refuse_learnt_before(asked)
        asked.monitor.report("looking for candidates")
        found = {number: ranked(question, library, UNTRAINED) for number, question in asked.judged.questions.items()}
        scores = _out_of_fold(asked, library, {number: order.keys for number, order in found.items()})
        metrics = cross_validated(asked.judged, found, scores)
    model, curve = _trained(asked, asked.judged, library, "whole", "training")
    return asked.keep(model, curve.pop("pairs"), metrics | curve)


def _refuse_learnt_before(asked: Asked) -> None:
    """Raises AlreadyLearnt where what the folds begin with has seen questions that they hold out."""
    if asked.parent is None:
        return
    learnt, questions = learnt_from(asked.parent), asked.judged.questions
    if seen := sum(mark in learnt for mark in marks_of(questions.values())):
        raise AlreadyLearnt(
            f"{asked.parent.name} has learnt from {seen} of these {len(questions)} questions: train without folds, or "
            "begin with another version"
        )


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
    model = asked.model()
    task = task_of(model, pairs, judged, settings.max_tokens)
    return model, {"pairs": len(pairs), **asked.train(task, part, shown)}


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
    return compared(values)
