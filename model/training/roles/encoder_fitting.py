"""An encoder fine-tuned so that sentences of one function lie together."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from model.encoder import mixed_precision_of, tokenize, tokenizer_of
from model.prompts import Side
from model.training.losses import metric_loss
from model.training.packed.cut import forward_in_chunks
from model.training.settings import MetricLoss
from model.training.steps import learning_rate_factor

DIMENSION = 64  # of the vectors that a loss compares
BATCH = 64
# Of P classes and K sentences a batch, as the reference has it. K 1, where the loss has a weight for each class, is
# plain shuffling: every sentence once an epoch. So losses are compared together with their sampling
# (docs/measurements/roles.md).
PER_CLASS = {MetricLoss.SOFTMAX: 1, MetricLoss.ARCFACE: 1}
SENTENCES_OF_A_CLASS = 8
RATE = 1e-4  # of the encoder, highest: with few layers, each sentence seen once or twice
HEAD_RATE = 1e-3
WARMING = 0.06  # of all steps, in which the rates rise
MASKED = 0.1  # of the words, at random: so that the topic, or the phrase alone, does not tell the function
MOST_GRADIENT = 1.0  # the length to which gradients are cut: Devlin et al. 2019


def fit_function_encoder(
    encoder: SentenceTransformer,
    sentences: Sequence[str],
    functions: np.ndarray,
    loss: MetricLoss,
    epochs: int,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> None:
    """Trains the encoder in place.

    functions: (n,) class numbers from 0; batches are P classes of K sentences. The loss compares a linear map of the
    vectors, which is given up afterwards: the vectors before it serve better for functions without a name. The
    embeddings of the words stay as they are. With the same seed the same weights.
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    mapping = torch.nn.Linear(int(encoder.get_embedding_dimension() or 0), DIMENSION, bias=False)
    compared = metric_loss(loss, int(functions.max()) + 1, DIMENSION)
    encoder[0].auto_model.get_input_embeddings().requires_grad_(requires_grad=False)
    tuned = [each for each in encoder.parameters() if each.requires_grad]
    learnt = [*mapping.parameters(), *compared.parameters()]
    optimiser = torch.optim.AdamW([{"params": tuned, "lr": RATE}, {"params": learnt, "lr": HEAD_RATE}])
    batches = [batch for _ in range(epochs) for batch in class_batches(functions, sentences_of_a_class(loss), rng)]
    rates = partial(learning_rate_factor, steps=len(batches), warmup=max(1, round(WARMING * len(batches))))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, rates)
    tokens = tokenize(encoder, sentences)
    labels = torch.from_numpy(np.asarray(functions, dtype=np.int64)).to(encoder.device)
    encoder.train()
    for step, batch in enumerate(batches):
        progress(step, len(batches))
        with mixed_precision_of(encoder, enabled=True):
            vectors = forward_in_chunks(encoder, [_masked(encoder, tokens[at], rng) for at in batch])
        value = compared(mapping(evened(vectors.float())), labels[batch])
        optimiser.zero_grad()
        value.backward()
        torch.nn.utils.clip_grad_norm_([*tuned, *learnt], MOST_GRADIENT)
        optimiser.step()
        schedule.step()
    encoder.eval()


def sentences_of_a_class(loss: MetricLoss) -> int:
    """How many sentences of one class a batch of this loss holds."""
    return PER_CLASS.get(loss, SENTENCES_OF_A_CLASS)


def class_batches(functions: np.ndarray, per_class: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Batches of BATCH sentences for one epoch, drawn as P classes of `per_class` each; small classes come again."""
    if per_class == 1:  # every sentence once
        order = rng.permutation(len(functions))
        return [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
    members = [np.flatnonzero(functions == number) for number in range(int(functions.max()) + 1)]
    members = [rng.permutation(own) for own in members if len(own) > 1]
    classes = min(BATCH // per_class, len(members))
    found = []
    for _ in range(max(1, len(functions) // BATCH)):
        chosen = rng.choice(len(members), classes, replace=False)
        found.append(np.concatenate([rng.choice(members[one], per_class) for one in chosen]))
    return found


def evened(vectors: torch.Tensor) -> torch.Tensor:
    """Each vector with mean 0 and variance 1, as readers of the vectors see them."""
    return torch.nn.functional.layer_norm(vectors, vectors.shape[-1:], eps=1e-12)


def first_layers(encoder: SentenceTransformer, layers: int) -> None:
    """Keeps only this many of its first layers; 0 keeps all. Raises ValueError where it cannot be cut so."""
    if layers == 0:
        return
    transformer = encoder[0].auto_model
    within = getattr(getattr(transformer, "encoder", None), "layer", None)
    if not isinstance(within, torch.nn.ModuleList):
        raise ValueError(f"layers is {layers}; this encoder cannot be cut, and 0 keeps all")
    if not 0 < layers <= len(within):
        raise ValueError(f"layers is {layers}; the encoder has {len(within)}, and 0 keeps all")
    transformer.encoder.layer = within[:layers]
    transformer.config.num_hidden_layers = layers


def _masked(encoder: SentenceTransformer, row: list[int], rng: np.random.Generator) -> list[int]:
    tokenizer = tokenizer_of(encoder, Side.DOCUMENT)
    instead = tokenizer.unk_token_id if tokenizer.mask_token_id is None else tokenizer.mask_token_id
    kept = set(tokenizer.all_special_ids)
    draws = zip(row, rng.random(len(row)), strict=True)
    return [instead if drawn < MASKED and token not in kept else token for token, drawn in draws]
