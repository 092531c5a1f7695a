"""The other kind of version: a fine-tuned encoder beside the words. Imports torch."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from model.encoder import load
from model.files import embedded_encoder, manifest_of
from model.functions.choosing import choose_shares
from model.functions.encoder_scores import MOST_TOKENS, EncoderScores
from model.functions.role_model import RoleModel
from model.training.functions.encoder_fitting import first_layers, fit_function_encoder
from model.training.settings import MetricLoss

EMBEDDED = "embedded"
LAYERS = 3  # of the six of MiniLM: those behind them know less of what a sentence does (docs/functions.md)
# Sentences that the encoder is tuned on, and how often at most it sees one: 70 a second with one thread.
MOST_TUNED, MOST_EPOCHS = 12_000, 2
ASIDE = 10  # one of so many abstracts is not learnt from: by these the shares are chosen
Report = Callable[[str, int, int], None]


class Lesson(NamedTuple):
    """An abstract: its sentences, and places of their roles and functions, negative where unknown."""

    sentences: Sequence[str]
    roles: np.ndarray
    functions: Sequence[int]


@dataclass(frozen=True, slots=True)
class EncoderChoice:
    """Which encoder: `embedded`, a folder or a hub id; and how many of its first layers are kept, 0 for all."""

    source: str
    layers: int = LAYERS


def held_aside(lessons: Sequence[Lesson], seed: int) -> tuple[list[Lesson], list[Lesson]]:
    """Those to learn from, and those to choose the shares by."""
    drawn = set(np.random.default_rng(seed).permutation(len(lessons))[: max(1, len(lessons) // ASIDE)].tolist())
    taught = [lesson for number, lesson in enumerate(lessons) if number not in drawn]
    return taught, [lessons[number] for number in sorted(drawn)]


def with_encoder(
    model: RoleModel,
    choice: EncoderChoice,
    taught: Sequence[Lesson],
    scores: Sequence[np.ndarray],
    sentences: tuple[Sequence[str], np.ndarray],
    aside: Sequence[Lesson],
    loss: MetricLoss,
    seed: int,
    report: Report,
) -> RoleModel:
    """The model with an encoder beside the words.

    The encoder is fine-tuned on `sentences` and their classes; what reads its vectors learns from the abstracts that
    were taught, with what the words say of them, `scores`; how much it counts is chosen by those held aside. Raises
    OSError where the encoder cannot be had, DamagedModel, and ValueError for layers that it has not.
    """
    source = Path(choice.source).expanduser()
    found = embedded_encoder() if choice.source == EMBEDDED else source if source.is_dir() else None
    if found is not None:
        manifest_of(found)
    encoder = load(found or choice.source, most_tokens=MOST_TOKENS)
    first_layers(encoder, choice.layers)
    texts, classes = sentences
    chosen = np.random.default_rng(seed).permutation(len(texts))[:MOST_TUNED]
    numbers = np.unique(classes[chosen], return_inverse=True)[1]
    epochs = max(1, min(MOST_EPOCHS, MOST_TUNED // len(chosen)))
    told: Callable[[int, int], None] = lambda done, total: report("tuning the encoder", done, total)  # noqa: E731 (a line is enough)
    mapping = fit_function_encoder(encoder, [texts[at] for at in chosen], numbers, loss, epochs, seed, told)
    encoder.to("cpu")
    abstracts = [(lesson.sentences, lesson.roles) for lesson in taught]
    read = EncoderScores.fit(
        encoder, mapping, abstracts, scores, seed, lambda done, total: report("learning to read it", done, total)
    )
    report("choosing how much it counts", 0, 0)
    both = replace(model, encoder=read)
    return replace(both, shares=choose_shares(both, aside, seed))
