"""What a training's next step depends on, as a checkpoint keeps it: weights, optimiser, random generators."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from model.training.checkpoints import State


@dataclass(frozen=True, slots=True)
class Motion:
    """Everything that decides the next step of a training: the encoder, its optimiser, and the random generators."""

    encoder: SentenceTransformer
    optimiser: torch.optim.Optimizer
    generators: Sequence[np.random.Generator]

    def state(self) -> State:
        """The whole training as a checkpoint keeps it; torch's own random generators, too."""
        optimiser = self.optimiser.state_dict()["state"]
        moments = {f"{number}.{name}": value for number, own in optimiser.items() for name, value in own.items()}
        on_gpu = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
        tensors = {
            **prefixed("weights.", self.encoder.state_dict()),
            **prefixed("optimiser.", moments),
            **prefixed("random.", {str(n): value for n, value in enumerate([torch.get_rng_state(), *on_gpu])}),
        }
        values = {
            "generators": [_plain(generator.bit_generator.state) for generator in self.generators],
        }
        return State(tensors, values)

    def restore(self, state: State) -> None:
        """Goes back to the state; the optimiser is to be one of the same parameters."""
        self.encoder.load_state_dict(under("weights.", state.tensors))
        own: dict[int, dict[str, torch.Tensor]] = {}
        for name, value in under("optimiser.", state.tensors).items():
            number, _, kind = name.partition(".")
            own.setdefault(int(number), {})[kind] = value
        self.optimiser.load_state_dict(self.optimiser.state_dict() | {"state": own})
        for generator, kept in zip(self.generators, state.values["generators"], strict=True):
            generator.bit_generator.state = _arrays(kept)
        random = under("random.", state.tensors)
        torch.set_rng_state(random["0"])
        if len(random) > 1:
            torch.cuda.set_rng_state_all([random[str(n)] for n in range(1, len(random))])


def prefixed(prefix: str, tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The tensors with this in front of their names."""
    return {prefix + name: tensor for name, tensor in tensors.items()}


def under(prefix: str, tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The tensors whose names begin with the prefix, by their names without it."""
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def _plain(state: Any) -> Any:
    """The state of a generator as JSON can hold it; arrays of unsigned 64-bit integers become {"uint64": [...]}."""
    if isinstance(state, Mapping):
        return {name: _plain(value) for name, value in state.items()}
    return {"uint64": state.tolist()} if isinstance(state, np.ndarray) else state


def _arrays(state: Any) -> Any:
    """The state of a generator from its form in JSON, the inverse of `_plain`."""
    if not isinstance(state, Mapping):
        return state
    if set(state) == {"uint64"}:
        return np.array(state["uint64"], dtype=np.uint64)
    return {name: _arrays(value) for name, value in state.items()}
