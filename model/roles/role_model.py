"""All looks together: the roles of the sentences of abstracts and of full texts. Imports torch."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from model.files import sha256_of
from model.roles.context import ContextReader
from model.roles.encoder_scores import EncoderScores
from model.roles.model_folder import MANIFEST, BadRoleModel, files_of, manifest
from model.roles.neighbour_scores import NeighbourScorer
from model.roles.shares import WORDS_ONLY, Shares, mixed, placed, with_neighbours
from model.roles.text_scores import CountedTerms, TextScorer
from model.sentence_roles import ROLES, in_parts
from model.sentence_words import cites
from model.vectors import unit

Progress = Callable[[str, int, int], None]
Project = Callable[[TextScorer], np.ndarray]
# How much a function vector counts next to the scores of the words, for the reader of an abstract's order. Chosen on
# abstracts of roles_trials_train that a model of the package's abstracts had not seen.
FUNCTION = 6.0


@dataclass(frozen=True, eq=False)
class RoleModel:
    """What reads roles. `neighbours`, shape (16, 5): log odds from the scores of the sentence before, of the sentence
    and of the one behind, and the intercepts. `projection`, shape (terms, d): from the terms of a
    sentence to its function vector, d 0 where none was learnt. `metadata`: what it was trained on. `encoder`: what a
    fine-tuned encoder says; None where only words are read. `shares`: how much each of them counts."""

    scorer: TextScorer
    around: NeighbourScorer
    context: ContextReader
    neighbours: np.ndarray
    projection: np.ndarray
    metadata: dict[str, Any]
    encoder: EncoderScores | None = None
    shares: Shares = WORDS_ONLY

    @property
    def version(self) -> str:
        """Twelve digits of a hash over its files."""
        return str(self.metadata["version"])

    def of_abstracts(self, abstracts: Sequence[Sequence[str]]) -> list[np.ndarray]:
        """Probabilities of the roles by abstract, shape (sentences, 5) each, rows that sum to 1."""
        words, encoder = self.both_of_abstracts(abstracts)
        if encoder is None:
            return words
        return [mixed(*both, self.shares.abstracts) for both in zip(words, encoder, strict=True)]

    def both_of_abstracts(self, abstracts: Sequence[Sequence[str]]) -> tuple[list[np.ndarray], list[np.ndarray] | None]:
        """Probabilities of the roles by abstract, shape (sentences, 5) each: by the words, and by any encoder."""
        features = self.scorer.features([sentence for abstract in abstracts for sentence in abstract])
        lengths = [len(abstract) for abstract in abstracts]
        ends = np.cumsum(lengths)[:-1]
        scores = self.around(features, lengths)
        words = self.context(np.split(_with_functions(scores, features, self.projection), ends))
        return words, self.encoder.of_abstracts(abstracts, np.split(scores, ends)) if self.encoder else None

    def of_article(self, sentences: Sequence[str], parts: Sequence[str], in_abstract: Sequence[bool]) -> np.ndarray:
        """Probabilities of the roles in one article, shape (n, 5). parts: n keys of roles.EXPECTED, by the headings.

        The abstract is read as a whole; elsewhere the sentence, its neighbours, its part and whether it cites count.
        """
        if not len(sentences):
            return np.zeros((0, len(ROLES)))
        abstract = np.array(in_abstract, dtype=bool)
        found = self._by_words(_between_neighbours(self.scorer(sentences)))
        if self.encoder is not None:
            found = mixed(found, softmax(self.encoder.of_sentences(sentences), axis=1), self.shares.sentences)
        if abstract.any():
            found[abstract] = self.of_abstracts([[sentences[int(at)] for at in np.flatnonzero(abstract)]])[0]
        citing = np.array([cites(text) for text in sentences]) & ~abstract
        return in_parts(found, parts, citing)

    def vectors(
        self, sentences: Sequence[str], roles: np.ndarray | None = None, places: np.ndarray | None = None
    ) -> np.ndarray:
        """Function vectors of sentences, shape (n, dimension), float32, for cosines: sentences of one function have
        similar ones.

        roles: their probabilities by context, shape (n, 5); places: where each stands in its abstract, from 0 to 1, nan
        elsewhere, shape (n,). None for single sentences, which are read by themselves.
        """
        shares = self.shares
        lengths = [shares.role, shares.words, *([shares.encoder] if self.encoder else []), shares.place]
        parts = self.parts(sentences, self.of_sentences(sentences) if roles is None else roles, places)
        return np.hstack([length * part for length, part in zip(lengths, parts, strict=True)]).astype(np.float32)

    def parts(self, sentences: Sequence[str], roles: np.ndarray, places: np.ndarray | None) -> list[np.ndarray]:
        """The parts of function vectors, of length 1 or 0: role, words, encoder where there is one, place."""
        encoder = []
        if self.encoder is not None:
            encoder = [with_neighbours(unit(self.encoder.functions(sentences)), places, self.shares.around)]
        return [np.sqrt(roles), self._words(sentences), *encoder, placed(places, len(sentences))]

    def of_sentences(self, sentences: Sequence[str]) -> np.ndarray:
        """Probabilities of the roles of sentences by themselves, shape (n, 5)."""
        words, encoder = self.both_of_sentences(sentences)
        return words if encoder is None else mixed(words, encoder, self.shares.sentences)

    def both_of_sentences(self, sentences: Sequence[str]) -> tuple[np.ndarray, np.ndarray | None]:
        """Probabilities of the roles of single sentences, (n, 5): by the words, and by the encoder if there is one."""
        padded = np.pad(self.scorer(sentences), ((0, 0), (len(ROLES), len(ROLES))))
        return self._by_words(padded), softmax(self.encoder.of_sentences(sentences), axis=1) if self.encoder else None

    def _words(self, sentences: Sequence[str]) -> np.ndarray:
        if not len(sentences):
            return np.zeros((0, self.projection.shape[1]), dtype=np.float32)
        return unit(self.scorer.features(sentences) @ self.projection)

    def _by_words(self, scores: np.ndarray) -> np.ndarray:
        """Roles of sentences that are no abstract, shape (n, 5); scores: the words' scores of each and around it."""
        return np.asarray(softmax(scores @ self.neighbours[:-1] + self.neighbours[-1], axis=1))

    @classmethod
    def fit(
        cls,
        articles: Sequence[tuple[Sequence[str], np.ndarray]],
        metadata: dict[str, Any],
        seed: int = 0,
        progress: Progress = lambda stage, done, total: None,
        project: Project = lambda scorer: np.zeros((len(scorer.terms), 0), dtype=np.float32),
    ) -> tuple[Self, list[np.ndarray]]:
        """Learns from abstracts: sentences in order, and the places of their roles in ROLES, negative where unknown.

        project: gives the projection of the terms of a scorer. Also returns, by abstract, the words' scores of each
        sentence, (n, 5), by scorers that had not seen it.
        """
        progress("learning the words of roles", 0, 0)
        lengths = [len(sentences) for sentences, _ in articles]
        roles = np.concatenate([np.asarray(given, dtype=np.int64) for _, given in articles])
        owner = np.repeat(np.arange(len(articles)), lengths)
        texts = [sentence for sentences, _ in articles for sentence in sentences]
        counted = CountedTerms(texts)
        scorer, unseen = TextScorer.fit(counted, roles, owner, seed)
        ends = np.cumsum(lengths)[:-1]
        rows = np.concatenate([_between_neighbours(part) for part in np.split(unseen, ends)])[roles >= 0]
        plain = LogisticRegression(max_iter=300).fit(rows, roles[roles >= 0])
        progress("learning the sentences around", 0, 0)
        around, unseen = NeighbourScorer.fit(counted.weighed_by, roles, lengths, seed)
        reading = partial(progress, "learning the order of roles")
        projection = project(scorer)
        read = _with_functions(unseen, scorer.features(texts), projection)
        context = ContextReader.fit(np.split(read, ends), np.split(roles, ends), seed, reading)
        made = cls(
            scorer,
            around,
            context,
            np.vstack([plain.coef_.T, plain.intercept_]).astype(np.float32),
            projection,
            metadata,
        )
        return made, np.split(unseen, ends)

    def save(self, folder: Path) -> None:
        """Writes the model into an empty folder, with the SHA-256 of each file."""
        self.scorer.save(folder)
        self.around.save(folder)
        self.context.save(folder)
        self.shares.save(folder)
        np.save(folder / "neighbours.npy", self.neighbours)
        np.save(folder / "projection.npy", self.projection.astype(np.float16))
        if self.encoder is not None:
            self.encoder.save(folder)
        files = {name: sha256_of(folder / name) for name in files_of(folder)}
        version = hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()[:12]
        self.metadata.update(version=version, roles=list(ROLES), files=files)
        (folder / MANIFEST).write_text(json.dumps(self.metadata))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Reads what `save` wrote. Raises BadRoleModel where a file is missing or another one than was written."""
        metadata = manifest(folder)
        try:
            for name in sorted({*files_of(folder), *metadata["files"]}):
                if sha256_of(folder / name) != metadata["files"][name]:
                    raise BadRoleModel(f"{name} of the model of roles is damaged")
        except (OSError, KeyError, TypeError) as error:
            raise BadRoleModel(f"the model of roles cannot be read: {error}") from error
        neighbours = np.load(folder / "neighbours.npy", allow_pickle=False)
        projection = np.load(folder / "projection.npy", allow_pickle=False).astype(np.float32)
        return cls(
            TextScorer.load(folder),
            NeighbourScorer.load(folder),
            ContextReader.load(folder),
            neighbours,
            projection,
            metadata,
            EncoderScores.load(folder),
            Shares.load(folder),
        )


def _with_functions(scores: np.ndarray, features: Any, projection: np.ndarray) -> np.ndarray:
    """The scores of sentences (n, 5) and behind them their function vectors (n, d)."""
    return np.hstack([scores, FUNCTION * unit(features @ projection)]).astype(np.float32)


def _between_neighbours(scores: np.ndarray) -> np.ndarray:
    """The scores of each sentence between its neighbours' scores, shape (n, 15)."""
    padded = np.pad(scores, ((1, 1), (0, 0)))
    return np.hstack([padded[:-2], scores, padded[2:]])
