"""The trained stages at work: versions in use rank the candidates of a question. Torch is imported when one does."""

import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy

import db.finding.read_texts
from annotate.finding.library import Document, Library, Ranking
from annotate.finding.question import NotRanked, Question
from annotate.finding.rankers.reading import Inputs, Words, load_model
from annotate.project.home import read
from annotate.project.memory import Memory
from annotate.project.release import PROGRAM
from annotate.registry.versions import in_use, verified_folder
from db.tables import ModelVersion
from db.values import Kind
from model.files import DamagedModel
from model.finding.fusion import best_first
from model.finding.pseudo_queries import merged, rouge_recall, symmetric_s_cos, terms_of

# One model a stage and database. The lock is for the threads of the app.
_lock = threading.RLock()
_loaded: Memory[str, tuple[int, Any]] = Memory()


def rank_by_relevance(question: Question, library: Library, keys: Sequence[str]) -> Ranking:
    """Candidates by the probability that they answer the question. Raises NotRanked."""
    version = _serving(Kind.REL)
    documents = library.documents(keys)
    here = [key for key in keys if key in documents]
    return best_first(here, scipy.special.expit(relevance_by(version, question, [documents[key] for key in here])))


def relevance_by(version: ModelVersion, question: Question, documents: Sequence[Document]) -> np.ndarray:
    """Log odds by a REL version, float32[documents]. Raises NotRanked where its files cannot be used."""
    with _lock:
        inputs: Inputs = model_of(version)
        return inputs.relevance(question.asked, documents)


def rank_by_asked_words(question: Question, library: Library, keys: Sequence[str]) -> Ranking:
    """Candidates by ROUGE-1 recall of the question in their pseudo-queries. Raises NotRanked."""
    found = _pseudo_queries(library.documents(keys), Kind.EXT)
    asked = terms_of(question.asked)
    return best_first(list(found), [rouge_recall(asked, words) for words in found.values()])


def rank_by_written_words(question: Question, library: Library, keys: Sequence[str]) -> Ranking:
    """Candidates by the symmetric s_cos of the question with their pseudo-queries. Raises NotRanked."""
    with _lock:
        vectors = model_of(_serving(Kind.ABS)).vectors
    found = _pseudo_queries(library.documents(keys), Kind.ABS)
    asked = terms_of(question.asked)
    return best_first(list(found), [symmetric_s_cos(asked, words, vectors) for words in found.values()])


def _serving(stage: Kind) -> ModelVersion:
    found = in_use(stage)
    if found is None:
        raise NotRanked(f"no model of {stage} is in use: {PROGRAM} find train {stage}, then find use NAME")
    return found


def model_of(version: ModelVersion) -> Any:
    """The loaded model of a version. Raises NotRanked where its files are damaged."""
    memo = _loaded.here()
    kept = memo.get(version.kind)
    if kept is None or kept[0] != version.id:
        try:
            loaded = load_model(verified_folder(version), int(version.settings["max_tokens"]))
        except (DamagedModel, OSError, KeyError, ValueError) as error:
            raise NotRanked(f"the model {version.name} cannot be used: {error}") from error
        memo[version.kind] = kept = (version.id, loaded)
    return kept[1]


def _pseudo_queries(documents: Mapping[str, Document], stage: Kind) -> dict[str, list[str]]:
    """The words of EXT and ABS by key, this stage's first. Raises NotRanked unless a version of it serves."""
    others = [version for each in (Kind.EXT, Kind.ABS) if each is not stage and (version := in_use(each))]
    parts = [words_by(version, documents) for version in (_serving(stage), *others)]
    return {key: merged(*(own[key] for own in parts if key in own)) for key in documents}


def words_by(version: ModelVersion, documents: Mapping[str, Document]) -> dict[str, list[str]]:
    """The words of documents by key: those that are stored; of documents that are no stored articles read now, which
    takes a while. Stored articles that no job has read yet are left out."""
    stored = {each.article_id: key for key, each in documents.items() if each.article_id is not None}
    with read() as session:
        rows = db.finding.read_texts.made_of(session, version.id, list(stored))
    found: dict[str, list[str]] = {stored[number]: json.loads(own) for number, own in rows.items()}
    outside = {key: each for key, each in documents.items() if each.article_id is None}
    if outside:
        with _lock:
            model: Words = model_of(version)
            found |= dict(zip(outside, model.words(list(outside.values())), strict=True))
    return found
