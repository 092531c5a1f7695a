"""Fine-tuning of a sentence encoder on pairs of a query and a labelled sentence."""

import copy
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from model.encoder import autocast, forward, pad, tokenize
from model.losses import LOSSES
from model.settings import TrainingSettings

# Sentences are sorted by length within this many batches: hardly any padding, and still a fresh order each epoch.
SORTED_BATCHES = 50


class Diverged(RuntimeError):
    """The loss is no number any more: weights that would embed nothing are not kept."""


@dataclass(frozen=True, slots=True)
class Step:
    """One optimiser step as it is reported; loss is the running mean of the last steps."""

    step: int
    steps: int
    loss: float
    pairs_per_second: float
    seconds_left: float


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The validation score (higher is better) after an epoch."""

    epoch: int
    step: int
    score: float


def batches_of(lengths: Sequence[int], batch_size: int, generator: np.random.Generator) -> Iterator[np.ndarray]:
    """Every index once, in batches of like length, in a random order."""
    order = generator.permutation(len(lengths))
    pool = batch_size * SORTED_BATCHES
    batches = []
    for start in range(0, len(order), pool):
        chunk = sorted(order[start : start + pool], key=lambda i: lengths[i])
        batches += [np.array(chunk[i : i + batch_size]) for i in range(0, len(chunk), batch_size)]
    for index in generator.permutation(len(batches)):
        yield batches[index]


def learning_rate_factor(step: int, steps: int, warmup: int) -> float:
    """Linear warm-up, then linear decay to 0; the warm-up never takes more than a tenth of a short run."""
    warmup = min(warmup, max(1, steps // 10))
    return (step + 1) / warmup if step < warmup else max(0.0, (steps - step) / max(1, steps - warmup))


def fine_tune(
    encoder: SentenceTransformer,
    queries: Sequence[str],
    sentences: Sequence[str],
    labels: Sequence[int],
    settings: TrainingSettings,
    *,
    on_step: Callable[[Step], None] = lambda step: None,
    validate: Callable[[SentenceTransformer], float] | None = None,
) -> list[Step | Checkpoint]:
    """Trains the encoder in place on (query, sentence, label), in step, and returns the curve.

    With `validate`, the weights of the best epoch are kept. The untrained encoder takes part as epoch 0, so that
    training never makes the validation score worse. Raises Diverged, and ValueError unless there are sentences of
    both classes.
    """
    if len(set(labels)) < 2:
        raise ValueError("training needs key sentences and others")
    generator = np.random.default_rng(settings.seed)
    torch.manual_seed(settings.seed)
    tokens = tokenize(encoder, sentences)
    lengths = [len(row) for row in tokens]
    number = {query: index for index, query in enumerate(dict.fromkeys(queries))}
    query_tokens = tokenize(encoder, list(number))
    query_of = np.array([number[query] for query in queries])
    steps = settings.epochs * math.ceil(len(sentences) / settings.batch_size)
    optimiser, schedule = _optimiser(encoder, settings, steps)
    targets = torch.tensor(labels, dtype=torch.float32, device=encoder.device)
    keeper = _BestWeights(encoder, validate)
    history: list[Step | Checkpoint] = []
    keeper.check(0, 0, history)
    started, done, mean_loss = time.monotonic(), 0, math.nan
    for epoch in range(1, settings.epochs + 1):
        encoder.train()
        for batch in batches_of(lengths, settings.batch_size, generator):
            used, which = np.unique(query_of[batch], return_inverse=True)
            rows = [*(query_tokens[i] for i in used), *(tokens[i] for i in batch)]
            loss = _step(encoder, rows, torch.as_tensor(which, device=encoder.device), targets[batch], settings)
            if not math.isfinite(loss):
                raise Diverged(f"the loss of step {done + 1} is {loss}; a lower learning rate may help")
            torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            optimiser.zero_grad(set_to_none=True)
            done += 1
            mean_loss = loss if math.isnan(mean_loss) else 0.9 * mean_loss + 0.1 * loss
            seconds = time.monotonic() - started
            speed = min(done * settings.batch_size, len(sentences) * settings.epochs) / seconds
            history.append(Step(done, steps, mean_loss, speed, seconds / done * (steps - done)))
            on_step(history[-1])
        keeper.check(epoch, done, history)
    keeper.restore()
    encoder.eval()
    return history


def _step(
    encoder: SentenceTransformer,
    rows: Sequence[list[int]],
    which: torch.Tensor,
    labels: torch.Tensor,
    settings: TrainingSettings,
) -> float:
    """One forward and backward pass over the batch's distinct queries, each encoded once, and its sentences.

    `which` says, for each sentence, which of the queries at the head of `rows` is its own.
    """
    with autocast(encoder.device.type):
        embeddings = forward(encoder, pad(encoder, rows))
    unit = torch.nn.functional.normalize(embeddings.float(), dim=1)
    sentences, queries = unit[-len(labels) :], unit[: -len(labels)]
    loss = LOSSES[settings.loss]((sentences * queries[which]).sum(dim=1), labels, settings.margin)
    loss.backward()
    return float(loss.detach())


def _optimiser(
    encoder: SentenceTransformer, settings: TrainingSettings, steps: int
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
    named = [(name, p) for name, p in encoder.named_parameters() if p.requires_grad]
    plain = ("bias", "LayerNorm.weight", "layer_norm.weight")
    optimiser = torch.optim.AdamW(
        [
            {"params": [p for name, p in named if not name.endswith(plain)], "weight_decay": settings.weight_decay},
            {"params": [p for name, p in named if name.endswith(plain)], "weight_decay": 0.0},
        ],
        lr=settings.learning_rate,
        fused=True,
    )
    factor = lambda step: learning_rate_factor(step, steps, settings.warmup_steps)  # noqa: E731
    return optimiser, torch.optim.lr_scheduler.LambdaLR(optimiser, factor)


class _BestWeights:
    """Keeps the weights of the best validation score."""

    def __init__(self, encoder: SentenceTransformer, validate: Callable[[SentenceTransformer], float] | None) -> None:
        self.encoder = encoder
        self.validate = validate
        self.best = -math.inf
        self.weights: dict[str, torch.Tensor] | None = None

    def check(self, epoch: int, step: int, history: list[Step | Checkpoint]) -> None:
        if self.validate is None:
            return
        score = self.validate(self.encoder)
        history.append(Checkpoint(epoch, step, score))
        # Of equal scores the later one is kept: it has seen more labels.
        if score >= self.best:
            self.best = score
            self.weights = copy.deepcopy(self.encoder.state_dict())

    def restore(self) -> None:
        if self.weights is not None:
            self.encoder.load_state_dict(self.weights)
