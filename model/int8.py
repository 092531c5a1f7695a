"""Encoders in whole numbers of 8 bits on a CPU: an encoder's transformer as an ONNX file, run by ONNX Runtime.

The weights of its products are whole numbers of 8 bits, with a scale for each row; activations become such numbers as
they come (dynamic quantisation). All else stays float32. The packages are optional: requirements-int8.txt.

The vectors are near those of float32, yet near enough for the order of the first sentences of few articles alone. So
the whole weights encode the sentences that come first again, and all queries.
"""

import contextlib
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Transformer
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput

from model.encoder import encode, load
from model.files import INT8_FILE
from model.proposing.first_again import WHOLE_BELOW, first_of

INPUTS = ("input_ids", "attention_mask")
OPSET = 17


class NoInt8(RuntimeError):
    """This encoder cannot be computed in 8 bits here; the message says why."""


def write_int8(folder: Path) -> Path:
    """Writes an encoder's transformer in 8 bits beside its weights, as INT8_FILE in its folder.

    Raises NoInt8 without the packages, for an encoder of several transformers, and for one that ONNX cannot express.
    """
    try:
        from onnxruntime.quantization import QuantType, quantize_dynamic  # noqa: PLC0415 (an optional requirement)
    except ImportError as error:
        raise NoInt8("8 bits need ONNX Runtime: pip install -r requirements-int8.txt") from error
    encoder = load(folder, "cpu", most_tokens=None)
    target = folder / INT8_FILE
    target.parent.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=folder.parent, prefix="partial-") as scratch:
        whole = Path(scratch) / "float32.onnx"
        _export(_transformer_of(encoder).model, whole)
        quantize_dynamic(whole, target, ["MatMul"], weight_type=QuantType.QInt8, per_channel=True)
    return target


@dataclass(frozen=True, slots=True)
class Int8Encoder:
    """An encoder in 8 bits, and the same with its whole weights, which computes in float32."""

    small: SentenceTransformer
    whole: SentenceTransformer

    def encode(self, texts: Sequence[str], *, queries: Sequence[str] = (), **settings: Any) -> np.ndarray:
        """As `model.encoder.encode`: the queries by the whole weights, the sentences in 8 bits."""
        asked = encode(self.whole, [], queries=queries, mixed_precision=False)
        return np.concatenate([asked, encode(self.small, texts, **settings)])

    def encode_articles(
        self,
        texts: Sequence[str],
        owners: np.ndarray,
        queries: Mapping[int, str],
        *,
        progress: Callable[[int], None] = lambda done: None,
    ) -> np.ndarray:
        """Embeddings of the sentences of articles, float32, shape (sentences, dimension).

        Those that 8 bits put first by the cosine to their article's query, and all of short articles, are of the whole
        weights. owners: the article of each sentence, shape (sentences,). `progress` gets the number of sentences done.
        """
        numbers, lengths = np.unique(owners, return_counts=True)
        long: list[int] = numbers[lengths >= WHOLE_BELOW].tolist()
        is_long = np.isin(owners, long)
        in_8_bits = np.flatnonzero(is_long).tolist()
        again: list[int] = np.flatnonzero(~is_long).tolist()
        vectors = np.zeros((len(texts), self.whole.get_embedding_dimension()), dtype=np.float32)
        vectors[in_8_bits] = encode(self.small, [texts[i] for i in in_8_bits], progress=progress)
        asked = self._asked({queries[number] for number in long})
        for number in long:
            own = np.flatnonzero(owners == number)
            again += own[first_of(vectors[own], asked[queries[number]])].tolist()
        vectors[again] = encode(self.whole, [texts[i] for i in again], mixed_precision=False)
        progress(len(texts))
        return vectors

    def _asked(self, queries: Collection[str]) -> dict[str, np.ndarray]:
        texts = sorted(queries)
        return dict(zip(texts, self.encode([], queries=texts), strict=True))


def load_int8(folder: Path) -> Int8Encoder:
    """The encoder of a folder, its transformer computed in 8 bits by one thread a call. Raises NoInt8, OSError."""
    try:
        from onnxruntime import InferenceSession, SessionOptions  # noqa: PLC0415 (an optional requirement)
    except ImportError as error:
        raise NoInt8("8 bits need ONNX Runtime: pip install -r requirements-int8.txt") from error
    encoder = load(folder, "cpu", most_tokens=None)
    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # each core encodes a batch of its own
    session = InferenceSession(str(folder / INT8_FILE), options, providers=["CPUExecutionProvider"])
    transformer = _transformer_of(encoder)
    transformer.model = Int8Transformer(session, transformer.model.config)
    return Int8Encoder(encoder, load(folder, "cpu", most_tokens=None))


def same_first(scores: Sequence[np.ndarray], others: Sequence[np.ndarray], k: int = 5) -> float:
    """In which share of articles both scores put the same k sentences first, in the same order; 1.0 without articles.

    scores, others: an array of shape (sentences,) for each article; equal scores keep the order of the article.
    """
    first = [[np.argsort(-own, kind="stable")[:k].tolist() for own in side] for side in (scores, others)]
    same = [one == other for one, other in zip(*first, strict=True)]
    return float(np.mean(same)) if same else 1.0


class Int8Transformer(nn.Module):  # type: ignore[misc]  # (the checker does not read torch)
    """Stands in for the transformer of an encoder."""

    device = torch.device("cpu")

    def __init__(self, session: Any, config: Any) -> None:
        super().__init__()
        self.session = session
        self.config = config

    def forward(self, input_ids: Tensor, attention_mask: Tensor, **_: object) -> BaseModelOutput:
        """The vectors of the tokens, shape (rows, tokens, width)."""
        given = dict(zip(INPUTS, (input_ids.numpy(), attention_mask.numpy()), strict=True))
        return BaseModelOutput(last_hidden_state=torch.from_numpy(self.session.run(None, given)[0]))


def _transformer_of(encoder: SentenceTransformer) -> Transformer:
    found = [module for module in encoder.modules() if isinstance(module, Transformer)]
    if len(found) != 1 or not isinstance(found[0].model, PreTrainedModel):
        raise NoInt8("only an encoder of one transformer can be computed in 8 bits")
    return found[0]


class _Vectors(nn.Module):  # type: ignore[misc]  # (the checker does not read torch)
    """The transformer from two tensors to one."""

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """The vectors of the tokens."""
        return self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state


def _export(model: PreTrainedModel, path: Path) -> None:
    """Writes a transformer as ONNX, for any number of rows and tokens. Raises NoInt8."""
    model.set_attn_implementation("eager")
    example = torch.ones(2, 8, dtype=torch.long)
    axes = {name: {0: "rows", 1: "tokens"} for name in (*INPUTS, "vectors")}
    with warnings.catch_warnings(), contextlib.redirect_stdout(None):
        warnings.simplefilter("ignore")  # of a trace with fixed sizes, of which there are none
        try:
            torch.onnx.export(
                _Vectors(model).eval(),
                (example, torch.ones_like(example)),
                str(path),
                input_names=list(INPUTS),
                output_names=["vectors"],
                dynamic_axes=axes,
                opset_version=OPSET,
                dynamo=False,
            )
        except (RuntimeError, ValueError, TypeError, ImportError) as error:  # torch's own errors are RuntimeErrors
            raise NoInt8(f"this encoder cannot be written as ONNX: {error}") from error
