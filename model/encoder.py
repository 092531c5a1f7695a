"""Sentence encoders: loading, saving and encoding, on CUDA or CPU, in bfloat16 where the hardware has it."""

import contextlib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Router
from transformers import PreTrainedModel, PreTrainedTokenizerBase
from transformers.utils import logging as transformers_logging

from model.prompts import Prompts, Side, prompts_named

# Batches are cut by tokens, not by sentences: short sentences fill a batch as well as long ones do.
# 4,096 is where MiniLM's throughput on two cores levels off; a GPU takes more.
BATCH_TOKENS = {"cpu": 4_096, "cuda": 65_536}
# Where texts are cut unless somebody says otherwise: hardly a sentence is longer.
MAX_TOKENS = 256
# transformers computes DeBERTa's masks with numbers that bfloat16 does not have: it fails with an error.
FLOAT32_ALONE = ("deberta",)
# Lengths are rounded up: oneDNN compiles a kernel, and keeps it, for every new shape of a product.
PAD_MULTIPLE = 8
# A forward pass of at least this many tokens keeps the cores busy. Once a pass has so many, rows that are shorter than
# CHUNK_FILL of its longest begin a pass of their own; rows are looked at in groups of CHUNK_ROWS.
CHUNK_TOKENS = {"cpu": 768, "cuda": 65_536}
CHUNK_FILL = 0.75
CHUNK_ROWS = 8

# Its bars would write over the progress of the job around them.
transformers_logging.disable_progress_bar()


def best_device() -> str:
    """cuda where there is one, else cpu."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def bfloat16_pays(device: str) -> bool:
    """Whether bfloat16 matrix products run in hardware on this device; emulated ones are slower than float32.

    A GPU before Ampere emulates them: there everything stays in float32, which needs no scaling of gradients.
    """
    if device == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    flags = _cpu_flags()
    return "avx512_bf16" in flags or "amx_bf16" in flags


def _cpu_flags() -> frozenset[str]:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("flags"):
                return frozenset(line.split(":", 1)[1].split())
    return frozenset()


def autocast(device: str, *, enabled: bool = True) -> contextlib.AbstractContextManager[object]:
    """Mixed precision in bfloat16 where it pays, nothing otherwise."""
    if enabled and bfloat16_pays(device):
        mixed: contextlib.AbstractContextManager[object] = torch.autocast(device_type=device, dtype=torch.bfloat16)
        return mixed
    return contextlib.nullcontext()


def mixed_precision_of(encoder: SentenceTransformer, *, enabled: bool) -> contextlib.AbstractContextManager[object]:
    """The same for one encoder: some architectures compute in float32 alone."""
    kinds = {module.config.model_type for module in encoder.modules() if isinstance(module, PreTrainedModel)}
    return autocast(encoder.device.type, enabled=enabled and not kinds.intersection(FLOAT32_ALONE))


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
    """Has texts cut at so many tokens from now on, or at what the encoder has positions for; saved with it."""
    encoder.max_seq_length = min(tokens, limit_of(encoder) or tokens)


def load(source: str | Path, device: str | None = None, *, most_tokens: int | None = MAX_TOKENS) -> SentenceTransformer:
    """A Sentence Transformer from a folder or hub id, safetensors only, no code of the model's own run.

    Its weights are float32 whatever they are stored as: a step of training is smaller than half precision can hold.
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


def token_batches(lengths: Sequence[int], limit: int) -> list[list[int]]:
    """Indices in batches of like length whose padded size stays within `limit` tokens, longest first."""
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    batches: list[list[int]] = []
    for index in order:
        if batches and lengths[batches[-1][0]] * (len(batches[-1]) + 1) <= limit:
            batches[-1].append(index)
        else:
            batches.append([index])
    return batches


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


def tokenize(encoder: SentenceTransformer, texts: Sequence[str], side: Side = Side.DOCUMENT) -> list[list[int]]:
    """Token ids of each text behind the prompt of its side, with special tokens, cut at the encoder's length."""
    prompt = prompts_of(encoder).of(side)
    ids: list[list[int]] = tokenizer_of(encoder, side)(
        [prompt + text for text in texts],
        truncation=True,
        max_length=encoder.max_seq_length,
        padding=False,
        verbose=False,
    )["input_ids"]
    return ids


def pad(encoder: SentenceTransformer, rows: Sequence[list[int]], side: Side = Side.DOCUMENT) -> dict[str, torch.Tensor]:
    """Token ids as one batch: input_ids and attention_mask, shape (rows, longest, rounded up)."""
    longest = max(map(len, rows))
    rounded = -(-longest // PAD_MULTIPLE) * PAD_MULTIPLE
    # An encoder may have no positions beyond its length.
    length = rounded if rounded <= encoder.max_seq_length else longest
    padded = tokenizer_of(encoder, side).pad(
        {"input_ids": list(rows)}, return_tensors="pt", padding="max_length", max_length=length
    )
    names = ("input_ids", "attention_mask")
    if encoder.device.type == "cuda":  # copied while the GPU works on what it has
        return {name: padded[name].pin_memory().to(encoder.device, non_blocking=True) for name in names}
    return {name: padded[name].to(encoder.device) for name in names}


def forward(
    encoder: SentenceTransformer, features: dict[str, torch.Tensor], side: Side = Side.DOCUMENT
) -> torch.Tensor:
    """Sentence embeddings of a padded batch of one side, shape (rows, dimension), with gradients where they are on."""
    if not sides_apart(encoder):
        return encoder(features)["sentence_embedding"]
    return encoder({**features, "prompt_length": _prompt_length(encoder, side)}, task=str(side))["sentence_embedding"]


def _prompt_length(encoder: SentenceTransformer, side: Side) -> int:
    """How many tokens at the beginning of each row are the prompt's, with the special one before it."""
    prompt = prompts_of(encoder).of(side)
    tokenizer = tokenizer_of(encoder, side)
    ids = tokenizer(prompt, verbose=False)["input_ids"] if prompt else []
    return len(ids) - (bool(ids) and ids[-1] in tokenizer.all_special_ids)


def forward_in_chunks(encoder: SentenceTransformer, rows: Sequence[list[int]], queries: int = 0) -> torch.Tensor:
    """Embeddings of these token ids, in order, with gradients where they are on, with little padding.

    The first `queries` rows are those of queries. Rows of like length go through the encoder together; a new pass
    begins where padding would cost more than the pass.
    """
    if sides_apart(encoder) and 0 < queries < len(rows):
        asked = forward_in_chunks(encoder, rows[:queries], queries)
        return torch.cat([asked, forward_in_chunks(encoder, rows[queries:])])
    side = Side.QUERY if queries else Side.DOCUMENT
    order = sorted(range(len(rows)), key=lambda i: -len(rows[i]))
    enough = CHUNK_TOKENS[encoder.device.type]
    chunks: list[list[int]] = []
    for start in range(0, len(order), CHUNK_ROWS):
        group = order[start : start + CHUNK_ROWS]
        longest = len(rows[chunks[-1][0]]) if chunks else 0
        full = not chunks or len(chunks[-1]) * longest >= enough
        if full and (not chunks or len(rows[group[0]]) < CHUNK_FILL * longest):
            chunks.append(group)
        else:
            chunks[-1] += group
    parts = [forward(encoder, pad(encoder, [rows[i] for i in chunk], side), side) for chunk in chunks]
    back = np.argsort([i for chunk in chunks for i in chunk])
    return torch.cat(parts)[torch.as_tensor(back, device=parts[0].device)]


def encode(
    encoder: SentenceTransformer,
    texts: Sequence[str],
    *,
    queries: Sequence[str] = (),
    progress: Callable[[int], None] = lambda done: None,
    mixed_precision: bool = True,
    unit: bool = True,
) -> np.ndarray:
    """Embeddings of the queries and, behind them, of the sentences, each behind the encoder's prompt of its side.

    Of length 1 unless `unit` is false, float32, shape (queries + texts, dimension). `progress` gets the number done. On
    a CPU each core takes batches of its own: two passes with one thread each ran 1.2 times as fast as one with two.
    """
    encoder.eval()
    device = encoder.device.type
    tokens = tokenize(encoder, queries, Side.QUERY) if queries else []
    tokens += tokenize(encoder, texts) if texts else []
    result = np.zeros((len(tokens), encoder.get_embedding_dimension()), dtype=np.float32)

    def embed(batch: list[int]) -> int:
        side = Side.QUERY if batch[0] < len(queries) else Side.DOCUMENT
        with torch.inference_mode(), mixed_precision_of(encoder, enabled=mixed_precision):
            vectors = forward(encoder, pad(encoder, [tokens[i] for i in batch], side), side).float()
            result[batch] = (torch.nn.functional.normalize(vectors, dim=1) if unit else vectors).cpu().numpy()
        return len(batch)

    # One after the other, where they cannot share a batch.
    starts = [0, len(queries)] if sides_apart(encoder) else [0]
    batches = []
    for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True):
        own = token_batches([len(row) for row in tokens[start:end]], BATCH_TOKENS[device])
        batches += [[start + i for i in batch] for batch in own]
    workers = min(torch.get_num_threads(), len(batches)) if device == "cpu" else 1
    with contextlib.ExitStack() as stack:
        run: Callable[..., Iterable[int]] = map
        if workers > 1:
            pool = ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,))
            stack.callback(pool.shutdown, cancel_futures=True)
            run = pool.map
        done = 0
        for count in run(embed, batches):
            done += count
            progress(done)
    return result
