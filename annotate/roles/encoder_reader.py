"""The other kind of version: a fine-tuned encoder in addition to the words. Imports torch."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from sentence_transformers import SentenceTransformer

from annotate.roles.lessons import Lesson, classes_of
from model.encoder import load
from model.files import embedded_encoder, manifest_of
from model.roles.encoder_scores import MOST_TOKENS, EncoderScores
from model.roles.role_model import RoleModel
from model.training.roles.encoder_fitting import first_layers, fit_function_encoder
from model.training.settings import MetricLoss

EMBEDDED = "embedded"
LAYERS = 3  # of the six of MiniLM: those behind them know less of what a sentence does (docs/roles.md)
# Sentences that the encoder is tuned on, drawn by lot where there are more: 70 to 150 a second with one thread.
TUNED_ON = 40_000
FEW = 5_000  # this many or fewer are seen twice
Report = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class EncoderChoice:
    """An encoder (`embedded`, a folder or a hub id), how many layers are kept (0: all), most sentences to tune on, and
    by which loss."""

    source: str
    layers: int = LAYERS
    tuned_on: int = TUNED_ON
    loss: str = MetricLoss.SOFTMAX

    def __post_init__(self) -> None:
        """Raises ValueError for less than one sentence, or an unknown loss."""
        if self.loss not in set(MetricLoss):
            raise ValueError(f"loss is {self.loss!r}; it must be one of {', '.join(MetricLoss)}")
        if self.tuned_on < 1:
            raise ValueError(f"an encoder is tuned on one sentence at least, not on {self.tuned_on}")


def loaded(choice: EncoderChoice) -> SentenceTransformer:
    """The encoder as it is before it is tuned.

    Raises OSError where it cannot be had, DamagedModel, and ValueError for layers that it has not.
    """
    source = Path(choice.source).expanduser()
    found = embedded_encoder() if choice.source == EMBEDDED else source if source.is_dir() else None
    if found is not None:
        manifest_of(found)
    try:
        encoder = load(found or choice.source, most_tokens=MOST_TOKENS)
    except OSError as error:
        raise OSError(f"{choice.source}: cannot be had ({error})") from error
    first_layers(encoder, choice.layers)
    return encoder


def with_encoder(
    model: RoleModel,
    encoder: SentenceTransformer,
    choice: EncoderChoice,
    taught: Sequence[Lesson],
    scores: Sequence[np.ndarray],
    seed: int,
    report: Report,
) -> RoleModel:
    """The model with an encoder in addition to the words.

    The encoder, as it was `loaded`, is fine-tuned on sentences that were taught and their classes; what reads its
    vectors learns from their abstracts, with what the words say of them, `scores`.
    """
    texts, classes = classes_of(taught)
    chosen = np.random.default_rng(seed).permutation(len(texts))[: choice.tuned_on]
    numbers = np.unique(classes[chosen], return_inverse=True)[1]
    epochs = 2 if len(chosen) <= FEW else 1
    tuning = partial(report, "tuning the encoder")
    fit_function_encoder(encoder, [texts[at] for at in chosen], numbers, MetricLoss(choice.loss), epochs, seed, tuning)
    encoder.to("cpu")
    abstracts = [(lesson.sentences, lesson.roles) for lesson in taught]
    read = EncoderScores.fit(encoder, abstracts, scores, seed, partial(report, "learning to read it"))
    return replace(model, encoder=read)
