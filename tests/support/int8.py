"""An encoder that is as far from its whole weights as one in 8 bits, without ONNX Runtime; and an article to rank."""

from itertools import islice, product
from pathlib import Path

import torch
from torch import nn

from model.encoder import load
from model.int8 import Int8Encoder

THINGS = ("gene", "protein", "mouse", "human", "cancer", "growth", "assay", "line", "buffer")
DONE = ("deleted", "edited", "known", "measured", "incubated", "increased", "removed", "generated", "reported")
# Long enough that an encoder in 8 bits encodes only its first sentences again.
LONG = tuple(f"The {thing} was {done} in TP53 cells." for thing, done in islice(product(THINGS, DONE), 80))


def rough(files: Path) -> Int8Encoder:
    """The encoder of a folder, beside it the same with weights a little off: a cosine of .99 between their vectors."""
    whole, small = (load(files, "cpu", most_tokens=None) for _ in range(2))
    roughened(small)
    return Int8Encoder(small, whole)


def roughened(network: nn.Module) -> None:
    """Sets the weights a little off."""
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weights in network.parameters():
            weights.add_(0.1 * weights.std() * torch.randn(weights.shape, generator=generator))
