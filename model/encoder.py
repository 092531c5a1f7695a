"""Sentence encoders: loading, saving, forward passes with padding, and encoding."""

import contextlib
import gc
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import cast

import numpy as np
import torch
from safetensors import SafetensorError
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Router
from torch.nn.attention import SDPBackend, sdpa_kernel
from transformers import PreTrainedModel, PreTrainedTokenizerBase, PreTrainedTokenizerFast
from transformers.tokenization_utils_base import PaddingStrategy, TruncationStrategy
from transformers.utils import logging as transformers_logging

from model.devices import ahead, autocast, best_device, by_cores, joined, limit_for, on, parted
from model.prompts import Prompts, Side, prompts_named
from model.row_batches import token_batches
from model.streaming import Batch, streamed

# Batches are cut by tokens, not by sentences: short sentences fill a batch as well as long ones do.
# 4,096 is where MiniLM's throughput on two cores levels off; a GPU takes more.
BATCH_TOKENS = {"cpu": 4_096, "cuda": 131_072}
# The number of texts that are tokenised and padded at once while a GPU computes with the ones before.
SLAB_TEXTS = 16_384
# Where texts are cut unless somebody says otherwise: hardly a sentence is longer.
MAX_TOKENS = 256
# cuDNN's attention is left out: it compiles a plan for each new shape, and each batch has its own.
KERNELS = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
# transformers computes DeBERTa's masks with numbers that bfloat16 does not have: it fails with an error.
FLOAT32_ONLY = ("deberta",)
# Lengths are rounded up: oneDNN compiles a kernel, and keeps it, for every new shape of a product.
PAD_MULTIPLE = 8
# Texts, or their token ids as `tokenize` gives them: who encodes texts again and again makes their tokens once.
Texts = Sequence[str] | Sequence[list[int]]
# Its bars would write over the progress of the job around them.
transformers_logging.disable_progress_bar()


def mixed_precision_of(encoder: SentenceTransformer, *, enabled: bool) -> contextlib.AbstractContextManager[object]:
    """A context of mixed precision for one encoder; none for architectures that compute only in float32."""
    kinds = {module.config.model_type for module in encoder.modules() if isinstance(module, PreTrainedModel)}
    return autocast(encoder.device, enabled=enabled and not kinds.intersection(FLOAT32_ONLY))


def limit_of(encoder: SentenceTransformer) -> int | None:
    """The most tokens that the encoder has positions for; None where it sets no limit, as with relative positions."""
    found = []
    for module in encoder.modules():
        positions = getattr(module, "position_embeddings", None)
        if isinstance(positions, torch.nn.Embedding):
            unused = 0 if positions.padding_idx is None else positions.padding_idx + 1  # of RoBERTa and its kin
            found.append(positions.num_embeddings - unused)
        elif isinstance(module, PreTrainedModel):
            most = getattr(module.config, "max_position_embeddings", None)
            found += [most] if isinstance(most, int) and most > 0 else []
    return min(found, default=None)


def cut_at(encoder: SentenceTransformer, tokens: int) -> None:
    """Has texts cut at this many tokens from now on, or at the encoder's last position if that is less; saved with
    it."""
    encoder.max_seq_length = min(tokens, limit_of(encoder) or tokens)


def load(source: str | Path, device: str | None = None, *, most_tokens: int | None = MAX_TOKENS) -> SentenceTransformer:
    """A Sentence Transformer from a folder or hub id, safetensors only, no code of the model's own run.

    Its weights are float32, even if stored as another type: a step of training is smaller than half precision can hold.
    Texts are cut where its files say, at its last position, or at `most_tokens` where that is less; None leaves it to
    the files. A plain transformer without pooling gets mean pooling. Raises OSError where it cannot be had.
    """
    try:
        encoder = SentenceTransformer(
            str(source),
            device=device or best_device(),
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True, "dtype": torch.float32},
        )
    except SafetensorError as error:
        raise OSError(f"{source}: its weights cannot be read ({error})") from error
    if not isinstance(encoder.tokenizer, PreTrainedTokenizerBase):
        raise OSError(f"{source}: is no transformer with a tokenizer")
    if encoder.tokenizer.vocab_size <= len(encoder.tokenizer.all_special_ids):
        raise OSError(f"{source}: has no tokenizer; every word would be unknown")  # transformers makes up an empty one
    cut_at(encoder, min(filter(None, (encoder.max_seq_length, most_tokens)), default=MAX_TOKENS))
    return encoder


def save(encoder: SentenceTransformer, folder: Path) -> None:
    """Writes the encoder as safetensors."""
    encoder.save_pretrained(str(folder), create_model_card=False, safe_serialization=True)


def prompts_of(encoder: SentenceTransformer) -> Prompts:
    """The words that the encoder wants before queries and before sentences."""
    return prompts_named(encoder.prompts, encoder.default_prompt_name)


def tokenizer_of(encoder: SentenceTransformer, side: Side) -> PreTrainedTokenizerBase:
    """The tokenizer of queries or of sentences; most encoders have one for both."""
    first = encoder[0]
    if isinstance(first, Router):
        first = first.sub_modules[side if side in first.sub_modules else first.default_route][0]
    return first.tokenizer


def sides_apart(encoder: SentenceTransformer) -> bool:
    """Whether queries and sentences cannot share a pass.

    They take different ways through the encoder, or it pools without the words of the prompt.
    """
    return any(isinstance(module, Router) or not getattr(module, "include_prompt", True) for module in encoder)


def tokenize(encoder: SentenceTransformer, texts: Texts, side: Side = Side.DOCUMENT) -> Sequence[list[int]]:
    """Token ids of each text behind the prompt of its side, with special tokens, cut at the encoder's length."""
    if not texts or not isinstance(texts[0], str):
        return cast("Sequence[list[int]]", texts)
    prompt, tokenizer = prompts_of(encoder).of(side), tokenizer_of(encoder, side)
    words = [prompt + text for text in cast("Sequence[str]", texts)]
    most = encoder.max_seq_length
    if isinstance(tokenizer, PreTrainedTokenizerFast):  # a third of the time goes where the rest of its answer is made
        tokenizer.set_truncation_and_padding(
            PaddingStrategy.DO_NOT_PAD, TruncationStrategy.LONGEST_FIRST, most, 0, None, None
        )
        with _uncollected():
            return [found.ids for found in tokenizer.backend_tokenizer.encode_batch_fast(words)]
    ids: list[list[int]] = tokenizer(words, truncation=True, max_length=most, verbose=False)["input_ids"]
    return ids


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Keeps the garbage collector from all that is loaded while many lists are made: to look through it takes four
    times as long."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def padded(
    encoder: SentenceTransformer, rows: Sequence[list[int]], side: Side = Side.DOCUMENT
) -> tuple[np.ndarray, np.ndarray]:
    """Token ids as one batch: input_ids and attention_mask, shape (rows, longest, rounded up)."""
    lengths = np.array([len(row) for row in rows])
    longest = int(lengths.max())
    rounded = -(-longest // PAD_MULTIPLE) * PAD_MULTIPLE
    # An encoder may have no positions beyond its length.
    length = rounded if rounded <= encoder.max_seq_length else longest
    tokenizer = tokenizer_of(encoder, side)
    mask = np.arange(length) < lengths[:, None]
    if tokenizer.padding_side == "left":
        mask = mask[:, ::-1]
    ids = np.full(mask.shape, tokenizer.pad_token_id or 0, dtype=np.int64)
    ids[mask] = np.fromiter(chain.from_iterable(rows), np.int64)
    return ids, mask.astype(np.int64)


def pad(encoder: SentenceTransformer, rows: Sequence[list[int]], side: Side = Side.DOCUMENT) -> dict[str, torch.Tensor]:
    """Token ids as one batch of tensors on the encoder's device: input_ids and attention_mask, as `padded`."""
    arrays = padded(encoder, rows, side)
    ids, mask = parted(joined(arrays, encoder.device), [array.shape for array in arrays], encoder.device)
    return {"input_ids": ids, "attention_mask": mask}


def forward(
    encoder: SentenceTransformer, features: dict[str, torch.Tensor], side: Side = Side.DOCUMENT
) -> torch.Tensor:
    """Sentence embeddings of a padded batch of one side, shape (rows, dimension), with gradients where they are on."""
    if not sides_apart(encoder):
        found: dict[str, torch.Tensor] = encoder(features)
    else:
        found = encoder({**features, "prompt_length": _prompt_length(encoder, side)}, task=str(side))
    return found["sentence_embedding"]


def _prompt_length(encoder: SentenceTransformer, side: Side) -> int:
    """How many tokens at the beginning of each row are the prompt's, with the special one before it."""
    prompt = prompts_of(encoder).of(side)
    tokenizer = tokenizer_of(encoder, side)
    ids = tokenizer(prompt, verbose=False)["input_ids"] if prompt else []
    return len(ids) - (bool(ids) and ids[-1] in tokenizer.all_special_ids)


def encode(
    encoder: SentenceTransformer,
    texts: Texts,
    *,
    queries: Texts = (),
    progress: Callable[[int], None] = lambda done: None,
    mixed_precision: bool = True,
    unit: bool = True,
) -> np.ndarray:
    """Embeddings of the queries and, behind them, of the sentences, each behind the encoder's prompt of its side.

    Of length 1 unless `unit` is false, float32, shape (queries + texts, dimension). `progress` gets the number done. On
    a CPU each core takes batches of its own. A GPU works while other batches come and go; those that do not fit into
    its memory are halved.
    """
    encoder.eval()
    result = np.zeros((len(queries) + len(texts), encoder.get_embedding_dimension()), dtype=np.float32)

    def embedded(features: dict[str, torch.Tensor], side: Side) -> torch.Tensor:
        with torch.inference_mode(), mixed_precision_of(encoder, enabled=mixed_precision):
            vectors = forward(encoder, features, side).float()
            return torch.nn.functional.normalize(vectors, dim=1) if unit else vectors

    run = _encode_on_cpu if encoder.device.type == "cpu" else _encode_on_gpu
    done = 0
    with on(encoder.device), sdpa_kernel(KERNELS):
        for places, vectors in run(encoder, texts, queries, embedded):
            result[places] = vectors
            done += len(places)
            progress(done)
    return result


Embedded = Callable[[dict[str, torch.Tensor], Side], torch.Tensor]


def _encode_on_cpu(
    encoder: SentenceTransformer, texts: Texts, queries: Texts, embedded: Embedded
) -> Iterator[tuple[list[int], np.ndarray]]:
    """(places, vectors) of each batch; each core takes batches of its own."""
    tokens = [*tokenize(encoder, queries, Side.QUERY), *tokenize(encoder, texts)]

    def embed(batch: list[int]) -> tuple[list[int], np.ndarray]:
        side = Side.QUERY if batch[0] < len(queries) else Side.DOCUMENT
        return batch, embedded(pad(encoder, [tokens[i] for i in batch], side), side).numpy()

    # One after the other, where they cannot share a batch.
    starts = [0, len(queries)] if sides_apart(encoder) else [0]
    batches = []
    for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True):
        own = token_batches([len(row) for row in tokens[start:end]], BATCH_TOKENS["cpu"])
        batches += [[start + i for i in batch] for batch in own]
    yield from by_cores(embed, batches)


def _encode_on_gpu(
    encoder: SentenceTransformer, texts: Texts, queries: Texts, embedded: Embedded
) -> Iterator[tuple[list[int], np.ndarray]]:
    """(places, vectors) of each batch; the next texts are tokenised while the GPU works."""

    def prepare(slab: tuple[int, Side, Texts]) -> list[Batch]:
        start, side, own = slab
        tokens = tokenize(encoder, own, side)
        found = []
        for rows in token_batches([len(row) for row in tokens], limit_for(BATCH_TOKENS, encoder.device)):
            arrays = padded(encoder, [tokens[i] for i in rows], side)
            found.append(Batch.of([start + i for i in rows], arrays, encoder.device, side))
        return found

    def compute(ids: torch.Tensor, mask: torch.Tensor, side: Side) -> torch.Tensor:
        return embedded({"input_ids": ids, "attention_mask": mask}, side)

    slabs: list[tuple[int, Side, Texts]] = [(0, Side.QUERY, queries)] if queries else []
    for start in range(0, len(texts), SLAB_TEXTS):
        slabs.append((len(queries) + start, Side.DOCUMENT, texts[start : start + SLAB_TEXTS]))
    batches = chain.from_iterable(ahead(prepare, slabs, depth=2, threads=2))
    yield from streamed(batches, compute, encoder.device)
