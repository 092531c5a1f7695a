"""Transformers in whole numbers of 8 bits on a CPU: written as an ONNX file, run by ONNX Runtime.

The weights of their products are whole numbers of 8 bits, with a scale for each row; activations become such numbers as
they come (dynamic quantisation). All else stays float32. The packages are optional: requirements-int8.txt.
"""

import contextlib
import warnings
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput

OPSET = 17
VECTORS = "vectors"


class NoInt8(RuntimeError):
    """This model cannot be computed in 8 bits here; the message says why."""


def write_transformer(transformer: PreTrainedModel, inputs: Sequence[str], target: Path) -> None:
    """Writes a transformer in 8 bits that takes these inputs, whole numbers of shape (rows, tokens).

    Raises NoInt8 without the packages, and for one that ONNX cannot express.
    """
    try:
        from onnxruntime.quantization import QuantType, quantize_dynamic  # noqa: PLC0415 (an optional requirement)
    except ImportError as error:
        raise _packages_missing() from error
    target.parent.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=target.parent, prefix="partial-") as scratch:
        whole = Path(scratch) / "float32.onnx"
        export(transformer, inputs, whole)
        quantize_dynamic(whole, target, ["MatMul"], weight_type=QuantType.QInt8, per_channel=True)


def export(transformer: PreTrainedModel, inputs: Sequence[str], path: Path) -> None:
    """Writes a transformer as ONNX in float32, for any number of rows and tokens. Raises NoInt8."""
    transformer.set_attn_implementation("eager")
    example = torch.ones(2, 8, dtype=torch.long)
    axes = {name: {0: "rows", 1: "tokens"} for name in (*inputs, VECTORS)}
    with warnings.catch_warnings(), contextlib.redirect_stdout(None):
        warnings.simplefilter("ignore")  # of a trace with fixed sizes, of which there are none
        try:
            torch.onnx.export(
                _Vectors(transformer, inputs).eval(),
                tuple(example.clone() for _ in inputs),
                str(path),
                input_names=list(inputs),
                output_names=[VECTORS],
                dynamic_axes=axes,
                opset_version=OPSET,
                dynamo=False,
            )
        except (RuntimeError, ValueError, TypeError, ImportError) as error:  # torch's own errors are RuntimeErrors
            raise NoInt8(f"this transformer cannot be written as ONNX: {error}") from error


class Int8Transformer(nn.Module):  # type: ignore[misc]  # (the checker does not read torch)
    """Stands in for a transformer: computes what `path` holds, by one thread a call. config: that of the transformer.

    Raises NoInt8 without the package, OSError for a file that it cannot read.
    """

    device = torch.device("cpu")

    def __init__(self, path: Path, config: Any) -> None:
        try:
            from onnxruntime import InferenceSession, SessionOptions  # noqa: PLC0415 (an optional requirement)
            from onnxruntime.capi.onnxruntime_pybind11_state import (  # noqa: PLC0415 (so is this)
                Fail,
                InvalidGraph,
                InvalidProtobuf,
                NoSuchFile,
                NotImplemented,
            )
        except ImportError as error:
            raise _packages_missing() from error
        super().__init__()
        options = SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # each core takes a batch of its own
        try:
            self.session = InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except (Fail, InvalidGraph, InvalidProtobuf, NoSuchFile, NotImplemented) as error:
            raise OSError(f"{path.name} cannot be read: {error}") from error
        self.inputs = [each.name for each in self.session.get_inputs()]
        self.config = config

    def forward(self, **given: Tensor) -> BaseModelOutput:
        """The vectors of the tokens, shape (rows, tokens, width)."""
        taken = {name: given[name].numpy() for name in self.inputs}
        return BaseModelOutput(last_hidden_state=torch.from_numpy(self.session.run(None, taken)[0]))


def _packages_missing() -> NoInt8:
    return NoInt8("8 bits need ONNX Runtime: pip install -r requirements-int8.txt")


class _Vectors(nn.Module):  # type: ignore[misc]  # (the checker does not read torch)
    """A transformer from the tensors that it takes, in order, to one."""

    def __init__(self, transformer: PreTrainedModel, inputs: Sequence[str]) -> None:
        super().__init__()
        self.transformer = transformer
        self.inputs = tuple(inputs)

    def forward(self, *taken: Tensor) -> Tensor:
        """The vectors of the tokens."""
        return self.transformer(**dict(zip(self.inputs, taken, strict=True))).last_hidden_state
