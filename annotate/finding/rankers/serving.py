"""The trained stage at work: the version in use ranks the candidates of a question. Torch is imported when it does."""

import threading
from collections.abc import Sequence

import scipy

from annotate.finding.library import Library, Ranking
from annotate.finding.question import NotRanked, Question
from annotate.finding.rankers.reading import Inputs, load_inputs
from annotate.project.memory import Latest
from annotate.project.release import PROGRAM
from annotate.registry.versions import in_use, verified_folder
from db.tables import ModelVersion
from db.values import Kind
from model.files import DamagedModel
from model.finding.fusion import best_first

# The lock is for the threads of the app.
_lock = threading.RLock()
_loaded: Latest[Inputs] = Latest()


def rank_by_relevance(question: Question, library: Library, keys: Sequence[str]) -> Ranking:
    """Candidates by the probability that they answer the question. Raises NotRanked where no version can be used."""
    version = in_use(Kind.REL)
    if version is None:
        raise NotRanked(f"no model of rel is in use: {PROGRAM} find train rel, then find use NAME")
    documents = library.documents(keys)
    here = [key for key in keys if key in documents]
    with _lock:
        odds = _inputs_of(version).relevance(question.asked, [documents[key] for key in here])
    return best_first(here, scipy.special.expit(odds))


def _inputs_of(version: ModelVersion) -> Inputs:
    def load() -> Inputs:
        try:
            return load_inputs(verified_folder(version), int(version.settings["max_tokens"]))
        except (DamagedModel, OSError, ValueError) as error:
            raise NotRanked(f"the model {version.name} cannot be used: {error}") from error

    return _loaded.at(version.id, load)
