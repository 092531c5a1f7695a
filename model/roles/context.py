"""The second look at a role: the scores of all sentences of an abstract in order, by a recurrent network.

Two directions of gated units (Cho et al. 2014) over the scores of the words and where each sentence stands. Imports
torch.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

from model.sentence_roles import ROLES, UNLABELLED

UNITS = 48
EPOCHS = 10
LEAST_STEPS = 300  # of few abstracts, more epochs
BATCH = 64
RATE = 3e-3
DROPPED = 0.2
NETWORKS = 3  # their mean is taken: the third of a point that one draw costs
MOST_SCORE = 3.0
PLACES = 9  # numbers that tell where a sentence stands


def with_places(scores: np.ndarray) -> np.ndarray:
    """The scores of one abstract, shape (n, k), followed by where each sentence stands, (n, k + PLACES)."""
    n = len(scores)
    at = np.arange(n)
    places = [at / max(n, 1), (at + 1) / max(n, 1), at == 0, at == 1, at == n - 1, at == n - 2]
    places += [np.full(n, min(n, 30) / 15), at / 10, (n - 1 - at) / 10]
    return np.column_stack([np.clip(scores, -MOST_SCORE, MOST_SCORE), *places]).astype(np.float32)


class Network(torch.nn.Module):
    """Gated units in both directions, and one linear layer over what they and the input say."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.units = torch.nn.GRU(inputs, UNITS, bidirectional=True, batch_first=True)
        self.dropout = torch.nn.Dropout(DROPPED)
        self.output = torch.nn.Linear(2 * UNITS + inputs, len(ROLES))

    def forward(self, rows: Tensor, lengths: Tensor) -> Tensor:
        """Log odds, shape (articles, longest, 5), of padded rows (articles, longest, inputs)."""
        packed = pack_padded_sequence(rows, lengths, batch_first=True, enforce_sorted=False)
        hidden, _ = pad_packed_sequence(self.units(packed)[0], batch_first=True, total_length=rows.shape[1])
        odds: Tensor = self.output(torch.cat([self.dropout(hidden), rows], dim=-1))
        return odds


class ContextReader:
    """Networks that see the whole abstract."""

    def __init__(self, networks: Sequence[Network]) -> None:
        self._networks = list(networks)

    def __call__(self, abstracts: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Probabilities of the roles by abstract, shape (sentences, 5) each, from the scores of its sentences.

        Networks of models of before know only the first columns.
        """
        columns = self._networks[0].units.input_size - PLACES
        found = [np.zeros((len(scores), len(ROLES)), dtype=np.float32) for scores in abstracts]
        order = sorted((i for i in range(len(abstracts)) if len(abstracts[i])), key=lambda i: len(abstracts[i]))
        with one_thread(), torch.inference_mode():
            for start in range(0, len(order), BATCH):
                batch = order[start : start + BATCH]
                inputs, lengths = _padded([with_places(abstracts[i][:, :columns]) for i in batch])
                each = torch.stack([torch.softmax(network(inputs, lengths), -1) for network in self._networks])
                mean = each.mean(0)
                for row, i in enumerate(batch):
                    found[i] = mean[row, : len(abstracts[i])].numpy()
        return found

    @classmethod
    def fit(
        cls,
        abstracts: Sequence[np.ndarray],
        roles: Sequence[np.ndarray],
        seed: int,
        progress: Callable[[int, int], None] = lambda done, total: None,
        *,
        networks: int | None = None,
        epochs: int | None = None,
    ) -> Self:
        """Learns from scores (n, k) that were given by scorers which had not seen the abstract, and its roles (n,).

        `networks` and `epochs` are NETWORKS and EPOCHS unless they are given.
        """
        made = []
        inputs = [with_places(scores) for scores in abstracts]
        for number in range(networks or NETWORKS):
            made.append(_fit_one(inputs, roles, seed + number, epochs or EPOCHS))
            progress(number + 1, networks or NETWORKS)
        return cls(made)

    def save(self, folder: Path) -> None:
        """Writes its one file."""
        tensors = {
            f"{number}.{name}": tensor.contiguous()
            for number, network in enumerate(self._networks)
            for name, tensor in network.state_dict().items()
        }
        save_file(tensors, folder / "context.safetensors")

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Reads the networks from a model's folder."""
        tensors = load_file(folder / "context.safetensors")
        numbers = sorted({int(name.partition(".")[0]) for name in tensors})
        networks = []
        for number in numbers:
            own = {name.partition(".")[2]: t for name, t in tensors.items() if name.startswith(f"{number}.")}
            network = Network(own["units.weight_ih_l0"].shape[1])
            network.load_state_dict(own)
            networks.append(network.eval())
        return cls(networks)


@contextmanager
def one_thread() -> Iterator[None]:
    """Lets torch compute in one thread: with these small arrays a second one waits most of the time, at full load. On
    two busy cores ten steps took 0.14 s of processor time with one and 8.5 s with two."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _padded(rows: Sequence[np.ndarray]) -> tuple[Tensor, Tensor]:
    lengths = torch.tensor([len(row) for row in rows])
    return pad_sequence([torch.from_numpy(row) for row in rows], batch_first=True), lengths


def _fit_one(inputs: Sequence[np.ndarray], roles: Sequence[np.ndarray], seed: int, least_epochs: int) -> Network:
    rng = np.random.default_rng(seed)
    with one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = Network(inputs[0].shape[1])
        optimiser = torch.optim.Adam(network.parameters(), RATE)
        epochs = max(least_epochs, -(-LEAST_STEPS * BATCH // len(inputs)))
        for epoch in range(epochs):
            for group in optimiser.param_groups:
                group["lr"] = RATE * (1 - epoch / epochs)
            for batch in _batches([len(row) for row in inputs], rng):
                given, lengths = _padded([inputs[i] for i in batch])
                wanted = pad_sequence(
                    [torch.from_numpy(roles[i]) for i in batch], batch_first=True, padding_value=UNLABELLED
                )
                found = network(given, lengths)
                loss = torch.nn.functional.cross_entropy(found.flatten(0, 1), wanted.flatten(), ignore_index=UNLABELLED)
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
    return network.eval()


def _batches(lengths: Sequence[int], rng: np.random.Generator) -> list[list[int]]:
    """Abstracts of like length together, in another order each time."""
    order = np.argsort(np.array(lengths) + rng.random(len(lengths)), kind="stable").tolist()
    groups = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
    rng.shuffle(groups)
    return groups
