"""How ranking models are trained: REL on pairs of judged questions, EXT and ABS on words that articles are asked for.

Imports torch.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import scipy
import torch

from annotate.finding.encoding import Encoder
from annotate.finding.find import Order, ranked
from annotate.finding.library import Document, Library
from annotate.finding.question import marks_of
from annotate.finding.rankers.judged_questions import Judged, NothingToLearn, Pair, folds_of, pairs_of, sentences_of
from annotate.finding.rankers.ranker_versions import AlreadyLearnt, learnt_from
from annotate.finding.rankers.reading import Inputs, Words
from annotate.finding.stages import CANDIDATES, STAGES
from annotate.jobs.job_process import noted, scratch
from annotate.jobs.monitor import Monitor
from annotate.proposing.encoder_versions import proposing_version
from annotate.registry.kinds import OF_FIND
from annotate.registry.versions import keep, verified_folder, version_named
from db.tables import ModelVersion
from db.values import Kind
from model.evaluation.retrieval_scores import compared, measured
from model.finding.abstracting import AbstractingModel, Beam, DecoderShape
from model.finding.extraction import ExtractionModel, extraction_loss, targets_of, worded
from model.finding.fusion import in_order
from model.finding.pseudo_queries import MESH, MESH_PREFIX, mesh_word, terms_of, vocabulary_of
from model.finding.ranker_files import load_ranker, save_ranker
from model.finding.ranker_settings import RankerSettings
from model.finding.reader import Reader, laid_out, load_reader, reader_of_encoder, words_of
from model.finding.relevance import RelevanceModel, negative_weight, weighted_loss
from model.finding.rounds import Task, train_rounds
from model.training.checkpoints import Checkpoints
from model.training.curve import Step


@dataclass(frozen=True, slots=True)
class Asked:
    """A training as it was asked for. `parent`: the version to go on from, else the proposing encoder."""

    stage: Kind
    judged: Judged
    settings: RankerSettings
    monitor: Monitor
    parent: ModelVersion | None = None
    folds: int = 0

    def reader(self) -> Reader:
        """What the training begins with: the network of the parent, or the encoder that proposes."""
        if self.parent is not None:
            return load_reader(verified_folder(self.parent))
        return reader_of_encoder(verified_folder(proposing_version()))

    def trained_on(self) -> dict[str, Any]:
        """The facts about the training that are stored with the version."""
        first = self.parent.name if self.parent else proposing_version().name
        return self.judged.trained_on | {"begun_with": first}

    def keep(
        self,
        save: Callable[[Path], None],
        metrics: Mapping[str, Any],
        learnt: dict[str, Any],
        settings: dict[str, Any] | None = None,
    ) -> ModelVersion:
        """Keeps what was trained as a version; `learnt` and `settings` are told with what is told of every training."""
        self.monitor.report("saving the new version")
        return keep(
            self.stage,
            save,
            self.monitor,
            settings=asdict(self.settings) | (settings or {}),
            trained_on=self.trained_on() | learnt,
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


def parent_of(name: str | None, stage: Kind) -> ModelVersion | None:
    """The version that a training of a stage goes on from. Raises ValueError where it cannot."""
    if name is None:
        return None
    found, stages = version_named(name, *OF_FIND), (Kind.EXT,) if stage is Kind.ABS else (Kind.REL, Kind.EXT)
    if found.kind not in stages:
        raise ValueError(f"{name} is a version of {found.kind}; this training goes on from {' or '.join(stages)}")
    return found


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
    learnt = {"pairs": curve.pop("pairs")}
    return asked.keep(lambda folder: save_ranker(model, folder, {}), metrics | curve, learnt, {"folds": asked.folds})


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
    if asked.parent is not None and asked.parent.kind == Kind.REL:
        model = cast(RelevanceModel, load_ranker(verified_folder(asked.parent))[0])
    else:
        model = RelevanceModel(asked.reader())
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


# Held out: this share of the documents, and never more than 100, since ABS writes a word at a time.
HELD_OUT, MOST_HELD_OUT = 0.1, 100
LEAST_DOCUMENTS = 4
TEXT = "text"  # the facet of a question without facets
BEAM = Beam()


@dataclass(frozen=True, slots=True)
class Wanted:
    """A document and the words it is asked for, by facet, in the order in which they were asked."""

    document: Document
    words: Mapping[str, Sequence[str]]

    @property
    def all(self) -> set[str]:
        """Of all facets."""
        return {word for own in self.words.values() for word in own}


def wanted_of(judged: Judged, most: int, seed: int) -> tuple[list[Wanted], list[Wanted]]:
    """(to learn from, held out): relevant documents with all that was asked of them. Raises NothingToLearn."""
    asked: dict[str, dict[str, list[str]]] = {}
    for number, question in judged.questions.items():
        texts = {name: " ".join(each.asked for each in own) for name, own in question.facets.items()}
        texts |= {TEXT: question.text} if question.text else {}
        for key in judged.relevant(number):
            for name, text in texts.items():
                asked.setdefault(key, {}).setdefault(name, []).extend(terms_of(text))
    keys = sorted(asked)
    if len(keys) < LEAST_DOCUMENTS:
        raise NothingToLearn(f"{len(keys)} relevant documents; {LEAST_DOCUMENTS} are needed at least")
    order = [keys[i] for i in np.random.default_rng(seed).permutation(len(keys))][:most]
    every = [
        Wanted(judged.documents[key], {name: list(dict.fromkeys(own)) for name, own in asked[key].items()})
        for key in order
    ]
    held = min(MOST_HELD_OUT, max(1, round(len(every) * HELD_OUT)))
    return every[held:], every[:held]


def train_extraction(asked: Asked, _: Library) -> ModelVersion:
    """Trains EXT and keeps it as a version, with its recall and precision of words on the documents held out."""
    settings = asked.settings
    learnt, held = wanted_of(asked.judged, settings.most_pairs, settings.seed)
    torch.manual_seed(settings.seed)
    model = ExtractionModel(asked.reader())
    limit = model.reader.longest(settings.max_tokens)
    articles = [worded(model.reader, sentences_of(each.document), limit) for each in learnt]
    targets = [targets_of(article, each.all) for article, each in zip(articles, learnt, strict=True)]
    weight = negative_weight([target for own in targets for target in own])

    def loss_of(batch: np.ndarray) -> torch.Tensor:
        rows = batch.tolist()
        odds, mask = model([articles[i].laid for i in rows])
        return extraction_loss(odds, mask, [targets[i] for i in rows], weight)

    task = Task(model, [len(each) for each in articles], loss_of, fresh=[model.head])
    curve = asked.train(task, "whole", "training")
    metrics = {**curve, "negative_weight": weight, **_measured(asked, Words(model, limit), held, lambda each: each.all)}
    return asked.keep(lambda folder: save_ranker(model, folder, {}), metrics, {"documents": len(learnt)})


def train_abstracting(asked: Asked, _: Library) -> ModelVersion:
    """Trains ABS, which begins with the network of EXT where one is the parent, and keeps it as a version."""
    settings = asked.settings
    learnt, held = wanted_of(asked.judged, settings.most_pairs, settings.seed)
    examples = [(each, name, own) for each in learnt for name, own in _facets_of(each).items() if own]
    facets = sorted({name for _, name, _ in examples})
    asked.monitor.report("choosing what can be written")
    vocabulary = vocabulary_of(
        facets,
        [*(each.document.whole for each in learnt), *(" ".join(own) for _, name, own in examples if name != MESH)],
        [word for _, name, own in examples if name == MESH for word in own],
        settings.vocabulary,
    )
    # Unit vectors of the words by the encoder that proposes; a MeSH word is read as the name of its term.
    mesh = {mesh_word(term): term.rpartition(":")[2] for each in learnt for term in each.document.mesh}
    texts = [mesh.get(word, word) if word.startswith(MESH_PREFIX) else word for word in vocabulary.words]
    vectors = Encoder().texts(texts, lambda done: asked.monitor.report("encoding words", done, len(texts)))
    torch.manual_seed(settings.seed)
    shape = DecoderShape(layers=settings.layers, width=settings.width, between=4 * settings.width)
    model = AbstractingModel(asked.reader(), vocabulary, torch.from_numpy(vectors), shape)
    limit = model.reader.longest(settings.max_tokens)
    laid = {each.document.key: worded(model.reader, sentences_of(each.document), limit).laid for each, _, _ in examples}
    inputs = [laid[each.document.key] for each, _, _ in examples]
    written = [vocabulary.written(name, own)[: BEAM.most_words + 2] for _, name, own in examples]

    def loss_of(batch: np.ndarray) -> torch.Tensor:
        rows = batch.tolist()
        loss: torch.Tensor = model([inputs[i] for i in rows], [written[i] for i in rows])
        return loss

    task = Task(model, [len(each) for each in inputs], loss_of, fresh=model.decoder_parts)
    curve = asked.train(task, "whole", "training")
    words = Words(model, limit, BEAM)
    recalled = _measured(asked, words, held, lambda each: {word for own in _facets_of(each).values() for word in own})
    metrics = {**curve, "facets": facets, "words": len(vocabulary.words), **recalled}
    about = {"beam": asdict(BEAM)}
    return asked.keep(lambda folder: save_ranker(model, folder, about), metrics, {"documents": len(learnt)})


def _facets_of(each: Wanted) -> dict[str, Sequence[str]]:
    """The facets of the question and, where the document has MeSH terms, these as a further facet."""
    mesh = list(dict.fromkeys(mesh_word(term) for term in each.document.mesh))
    return {**each.words, **({MESH: mesh} if mesh else {})}


def _measured(
    asked: Asked, words: Words, held: Sequence[Wanted], of: Callable[[Wanted], set[str]]
) -> dict[str, float | int]:
    """Recall and precision of the words that are given for documents held out, means over documents."""
    given = words.words(
        [each.document for each in held], lambda done: asked.monitor.report("measuring", done, len(held))
    )
    pairs = [(set(own), of(each)) for own, each in zip(given, held, strict=True)]
    return {
        "held_out_documents": len(held),
        "recall": round(float(np.mean([len(own & truth) / max(1, len(truth)) for own, truth in pairs])), 4),
        "precision": round(float(np.mean([len(own & truth) / max(1, len(own)) for own, truth in pairs])), 4),
        "words_given": round(float(np.mean([len(own) for own, _ in pairs])), 2),
    }


TRAINED = {
    Kind.REL: train_relevance,
    Kind.EXT: train_extraction,
    Kind.ABS: train_abstracting,
}
