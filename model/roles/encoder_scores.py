"""The third look at a role: a fine-tuned encoder reads the sentences, in addition to their words' scores.

Imports torch.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import numpy as np
from safetensors.numpy import load_file, save_file
from sentence_transformers import SentenceTransformer
from sklearn.linear_model import LogisticRegression

from model.encoder import encode, load, save
from model.roles.context import ContextReader
from model.roles.model_folder import ENCODER_FOLDER
from model.sentence_roles import ROLES

MOST_TOKENS = 64  # of a sentence
NETWORKS, EPOCHS = 2, 5  # the vectors tell more than the words' scores do, and are learnt sooner
DIMENSION = 128  # of function vectors, of the 384 of MiniLM
MOST_APART = 20_000  # sentences from which roles without an order are learnt
MOST_ABSTRACTS = 4_000  # from which the order is learnt: to encode them is most of the work
_KEPT = 4096  # vectors, six megabytes: an article is asked for twice, for roles and for vectors
_MAPPING = "mapping.safetensors"


@dataclass(eq=False)
class EncoderScores:
    """A fine-tuned encoder and what reads its vectors of d numbers.

    `mapping`, shape (d, k): to function vectors, which keep most of their cosines. `apart`, shape (d + 1, 5): to log
    odds of the roles of a sentence by itself, the intercepts last. `reader`: of the vectors of an abstract in order,
    with what the words say.
    """

    encoder: SentenceTransformer
    mapping: np.ndarray
    apart: np.ndarray
    reader: ContextReader
    _kept: dict[str, np.ndarray] = field(default_factory=dict)

    def of_sentences(self, sentences: Sequence[str]) -> np.ndarray:
        """Log odds of the roles of sentences by themselves, shape (n, 5)."""
        return np.asarray(self._vectors(sentences) @ self.apart[:-1] + self.apart[-1])

    def functions(self, sentences: Sequence[str]) -> np.ndarray:
        """Function vectors, shape (n, k)."""
        return np.asarray(self._vectors(sentences) @ self.mapping)

    def of_abstracts(self, abstracts: Sequence[Sequence[str]], scores: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Probabilities of the roles by abstract, shape (sentences, 5) each; scores: what the words say, as long."""
        return self.reader(self._with_scores(abstracts, scores))

    def _with_scores(self, abstracts: Sequence[Sequence[str]], scores: Sequence[np.ndarray]) -> list[np.ndarray]:
        vectors = self._vectors([sentence for abstract in abstracts for sentence in abstract])
        apart = np.split(vectors, np.cumsum([len(abstract) for abstract in abstracts])[:-1])
        return [np.hstack(both) for both in zip(scores, apart, strict=True)]

    def _vectors(self, sentences: Sequence[str]) -> np.ndarray:
        """The encoder's vectors, each with mean 0 and variance 1, shape (n, d); the last ones are kept."""
        new = [sentence for sentence in dict.fromkeys(sentences) if sentence not in self._kept]
        found = dict(zip(new, evened(encode(self.encoder, new, unit=False)), strict=True)) if new else {}
        if not len(sentences):
            return np.zeros((0, len(self.mapping)), dtype=np.float32)
        rows = np.stack([found[one] if one in found else self._kept[one] for one in sentences])
        if len(found) <= _KEPT:
            self._kept |= found
        for old in list(self._kept)[: max(0, len(self._kept) - _KEPT)]:
            del self._kept[old]
        return rows

    @classmethod
    def fit(
        cls,
        encoder: SentenceTransformer,
        abstracts: Sequence[tuple[Sequence[str], np.ndarray]],
        scores: Sequence[np.ndarray],
        seed: int,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> Self:
        """Learns to read the vectors of an encoder that is fine-tuned already.

        abstracts: sentences in order, and the places of their roles, negative where unknown; MOST_ABSTRACTS of them
        are drawn. scores: by abstract, what words say of each sentence, (n, 5), by scorers that had not seen it.
        """
        rng = np.random.default_rng(seed)
        drawn = rng.permutation(len(abstracts))[:MOST_ABSTRACTS]
        abstracts, scores = [abstracts[at] for at in drawn], [scores[at] for at in drawn]
        width = int(encoder.get_embedding_dimension() or 0)
        nothing = np.zeros((width + 1, len(ROLES)), dtype=np.float32)
        made = cls(encoder, nothing[:-1], nothing, ContextReader([]))
        rows = made._with_scores([sentences for sentences, _ in abstracts], scores)
        roles = np.concatenate([given for _, given in abstracts])
        known = rng.permutation(np.flatnonzero(roles >= 0))[:MOST_APART]
        vectors = np.concatenate(rows)[known, len(ROLES) :]
        # The directions in which the vectors are longest, DIMENSION of them, or all where these are fewer.
        _, found = np.linalg.eigh(vectors.T.astype(np.float64) @ vectors)
        made.mapping = np.ascontiguousarray(found[:, ::-1][:, :DIMENSION], dtype=np.float32)
        regression = LogisticRegression(max_iter=200, C=0.01).fit(vectors, roles[known])
        made.apart = np.vstack([regression.coef_.T, regression.intercept_]).astype(np.float32)
        made.reader = ContextReader.fit(
            rows, [given for _, given in abstracts], seed, progress, networks=NETWORKS, epochs=EPOCHS
        )
        return made

    def save(self, folder: Path) -> None:
        """Writes its files below a folder of its own."""
        within = folder / ENCODER_FOLDER
        save(self.encoder, within)
        self.reader.save(within)
        save_file({"mapping": self.mapping, "apart": self.apart}, within / _MAPPING)

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """Reads the encoder and its networks from a model's folder; None where the model reads only words."""
        within = folder / ENCODER_FOLDER
        if not within.is_dir():
            return None
        arrays = load_file(within / _MAPPING)
        encoder = load(within, "cpu", most_tokens=MOST_TOKENS)
        return cls(encoder, arrays["mapping"], arrays["apart"], ContextReader.load(within))


def evened(vectors: np.ndarray) -> np.ndarray:
    """Each row with mean 0 and variance 1."""
    apart = vectors - vectors.mean(axis=1, keepdims=True)
    return np.asarray(apart / np.maximum(apart.std(axis=1, keepdims=True), 1e-6), dtype=np.float32)
