"""Both looks together: the roles of the sentences of abstracts and of full texts."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from model.functions.context import ContextReader
from model.functions.neighbour_scores import NeighbourScorer
from model.functions.roles import ROLES, in_parts
from model.functions.text_scores import TextScorer
from model.functions.words import cites
from model.vectors import unit

_MANIFEST = "roles.json"
_FILES = ("terms.txt", "terms.npy", "around.npy", "neighbours.npy", "projection.npy", "context.safetensors")
# How much more the role counts than the words, where both are there; chosen on the validation parts.
ROLE_WEIGHT = 1.5
Progress = Callable[[str, int, int], None]


class BadRoleModel(RuntimeError):
    """The files of the model are not those that were written."""


@dataclass(frozen=True, eq=False)
class RoleModel:
    """What reads roles. `neighbours`, shape (16, 5): log odds from the scores of the sentence before, of the sentence
    and of the one behind, and the intercepts. `projection`, shape (terms, d): from the terms of a
    sentence to its function vector, d 0 where none was learnt. `told`: what it was trained on."""

    scorer: TextScorer
    around: NeighbourScorer
    context: ContextReader
    neighbours: np.ndarray
    projection: np.ndarray
    told: dict[str, Any]

    @property
    def version(self) -> str:
        """Twelve digits of a hash over its files."""
        return str(self.told["version"])

    def of_abstracts(self, abstracts: Sequence[Sequence[str]]) -> list[np.ndarray]:
        """Probabilities of the roles by abstract, shape (sentences, 5) each, rows that sum to 1."""
        features = self.scorer.features([sentence for abstract in abstracts for sentence in abstract])
        lengths = [len(abstract) for abstract in abstracts]
        return self.context(np.split(self.around(features, lengths), np.cumsum(lengths)[:-1]))

    def of_article(self, sentences: Sequence[str], parts: Sequence[str], in_abstract: Sequence[bool]) -> np.ndarray:
        """The same of one article, shape (n, 5). parts: n keys of roles.EXPECTED, by the headings.

        The abstract is read as a whole; elsewhere the sentence, its neighbours, its part and whether it cites count.
        """
        if not len(sentences):
            return np.zeros((0, len(ROLES)))
        features = self.scorer.features(sentences)
        scores = self.scorer.scores_of(features)
        abstract = np.array(in_abstract, dtype=bool)
        found = _softmax(_beside(scores) @ self.neighbours[:-1] + self.neighbours[-1])
        if abstract.any():
            found[abstract] = self.context([self.around(features[abstract], [int(abstract.sum())])])[0]
        citing = np.array([cites(text) for text in sentences]) & ~abstract
        return in_parts(found, parts, citing)

    def vectors(self, sentences: Sequence[str], roles: np.ndarray | None = None) -> np.ndarray:
        """Function vectors of sentences, shape (n, 5 + d), float32, for cosines: what sentences of a function share.

        roles: their probabilities by context, shape (n, 5); None for single sentences, which the words alone tell.
        """
        if not len(sentences):
            return np.zeros((0, len(ROLES) + self.projection.shape[1]), dtype=np.float32)
        features = self.scorer.features(sentences)
        if roles is None:
            alone = np.pad(self.scorer.scores_of(features), ((0, 0), (len(ROLES), len(ROLES))))
            roles = _softmax(alone @ self.neighbours[:-1] + self.neighbours[-1])
        words = unit(features @ self.projection)
        return np.hstack([ROLE_WEIGHT * np.sqrt(roles), words]).astype(np.float32)

    @classmethod
    def fit(
        cls,
        articles: Sequence[tuple[Sequence[str], np.ndarray]],
        told: dict[str, Any],
        seed: int = 0,
        progress: Progress = lambda stage, done, total: None,
    ) -> Self:
        """Learns from abstracts: sentences in order, and the places of their roles in ROLES, negative where unknown."""
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 (takes a second)

        progress("learning the words of roles", 0, 0)
        lengths = [len(sentences) for sentences, _ in articles]
        roles = np.concatenate([np.asarray(given, dtype=np.int64) for _, given in articles])
        owner = np.repeat(np.arange(len(articles)), lengths)
        texts = [sentence for sentences, _ in articles for sentence in sentences]
        scorer, unseen = TextScorer.fit(texts, roles, owner, seed)
        ends = np.cumsum(lengths)[:-1]
        beside = np.concatenate([_beside(part) for part in np.split(unseen, ends)])[roles >= 0]
        plain = LogisticRegression(max_iter=300).fit(beside, roles[roles >= 0])
        progress("learning the sentences around", 0, 0)
        around, unseen = NeighbourScorer.fit(scorer.features(texts), roles, lengths, seed)
        context = ContextReader.fit(
            np.split(unseen, ends),
            np.split(roles, ends),
            seed,
            lambda done, total: progress("learning the order of roles", done, total),
        )
        return cls(
            scorer,
            around,
            context,
            np.vstack([plain.coef_.T, plain.intercept_]).astype(np.float32),
            np.zeros((len(scorer.terms), 0), dtype=np.float32),
            told,
        )

    def save(self, folder: Path) -> None:
        """Writes the model into an empty folder, with the SHA-256 of each file."""
        self.scorer.save(folder)
        self.around.save(folder)
        self.context.save(folder)
        np.save(folder / "neighbours.npy", self.neighbours)
        np.save(folder / "projection.npy", self.projection.astype(np.float16))
        files = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in _FILES}
        version = hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()[:12]
        self.told.update(version=version, roles=list(ROLES), files=files)
        (folder / _MANIFEST).write_text(json.dumps(self.told))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Reads what `save` wrote. Raises BadRoleModel where a file is missing or another one than was written."""
        told = manifest(folder)
        try:
            for name in _FILES:
                if hashlib.sha256((folder / name).read_bytes()).hexdigest() != told["files"][name]:
                    raise BadRoleModel(f"{name} of the model of roles is damaged")
        except (OSError, KeyError, TypeError) as error:
            raise BadRoleModel(f"the model of roles cannot be read: {error}") from error
        neighbours = np.load(folder / "neighbours.npy", allow_pickle=False)
        projection = np.load(folder / "projection.npy", allow_pickle=False).astype(np.float32)
        around = NeighbourScorer.load(folder)
        return cls(TextScorer.load(folder), around, ContextReader.load(folder), neighbours, projection, told)


def manifest(folder: Path) -> dict[str, Any]:
    """What the model of a folder was trained on, and its version; empty where there is none, or one of another form."""
    try:
        told: dict[str, Any] = json.loads((folder / _MANIFEST).read_text())
    except (OSError, ValueError):
        return {}
    same = told.get("roles") == list(ROLES) and set(told.get("files", ())) == set(_FILES)
    return told if same else {}


def _beside(scores: np.ndarray) -> np.ndarray:
    """The scores of each sentence between those of its neighbours, shape (n, 15)."""
    padded = np.pad(scores, ((1, 1), (0, 0)))
    return np.hstack([padded[:-2], scores, padded[2:]])


def _softmax(odds: np.ndarray) -> np.ndarray:
    raised = np.exp(odds - odds.max(axis=1, keepdims=True, initial=-np.inf)) if len(odds) else odds
    return np.asarray(raised / raised.sum(axis=1, keepdims=True)) if len(odds) else odds
