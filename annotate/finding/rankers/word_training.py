"""Training of EXT and ABS: the words that articles are asked for, measured on documents held out. Imports torch."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import torch

from annotate.finding.encoding import Encoder
from annotate.finding.library import Document
from annotate.finding.rankers.judged_questions import Judged, NothingToLearn
from annotate.finding.rankers.pairs import sentences_of
from annotate.finding.rankers.reading import Words
from annotate.finding.rankers.training import Asked, curve_of
from db.tables import ModelVersion
from db.values import Kind
from model.finding.abstracting import AbstractingModel, DecoderShape
from model.finding.beam import Beam
from model.finding.extraction import ExtractionModel, extraction_loss, targets_of, worded
from model.finding.pseudo_queries import terms_of
from model.finding.ranker_files import save_ranker
from model.finding.relevance import negative_weight
from model.finding.rounds import Task
from model.finding.vocabulary import MESH, MESH_PREFIX, Vocabulary, mesh_word, vocabulary_of

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
    """(to learn from, held out): relevant documents, by lot, with what all their questions ask. Raises
    NothingToLearn."""
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


def train_extraction(asked: Asked) -> ModelVersion:
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
    curve = curve_of(asked.train(task, "whole", "training"))
    told = {**curve, "negative_weight": weight, **_measured(asked, Words(model, limit), held, lambda each: each.all)}
    return asked.keep(lambda folder: save_ranker(model, folder, {}), told, {"documents": len(learnt)})


def train_abstracting(asked: Asked) -> ModelVersion:
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
    vectors = _vectors(vocabulary, [each.document for each in learnt], asked)
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
    curve = curve_of(asked.train(task, "whole", "training"))
    words = Words(model, limit, BEAM)
    metrics = _measured(asked, words, held, lambda each: {word for own in _facets_of(each).values() for word in own})
    told = {**curve, "facets": facets, "words": len(vocabulary.words), **metrics}
    about = {"beam": asdict(BEAM)}
    return asked.keep(lambda folder: save_ranker(model, folder, about), told, {"documents": len(learnt)})


def _facets_of(each: Wanted) -> dict[str, Sequence[str]]:
    """The facets of the question and, where the document has MeSH terms, these as a further facet."""
    mesh = list(dict.fromkeys(mesh_word(term) for term in each.document.mesh))
    return {**each.words, **({MESH: mesh} if mesh else {})}


def _vectors(vocabulary: Vocabulary, documents: Sequence[Document], asked: Asked) -> np.ndarray:
    """Unit vectors of the words by the encoder that proposes, float32[words, dimension]; a MeSH word is read as the
    name of its term."""
    names = {mesh_word(term): term.rpartition(":")[2] for document in documents for term in document.mesh}
    texts = [names.get(word, word) if word.startswith(MESH_PREFIX) else word for word in vocabulary.words]
    return Encoder().texts(texts, lambda done: asked.monitor.report("encoding words", done, len(texts)))


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


TRAINED_HERE = {Kind.EXT: train_extraction, Kind.ABS: train_abstracting}
