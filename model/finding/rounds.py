"""The loop that trains a ranking model: batches of like length, AdamW, checkpoints."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np
import torch
from torch import Tensor, nn

from model.devices import autocast
from model.finding.ranker_settings import RankerSettings
from model.training.checkpoints import Checkpoints, State
from model.training.clock import TrainingClock
from model.training.curve import Step
from model.training.pairs import batches_by_length
from model.training.quick import dropout_of, quick_attention
from model.training.steps import decayed, learning_rate_factor, set_rates
from model.training.training_state import Motion, prefixed, under


@dataclass(frozen=True, slots=True)
class Task:
    """A learning task: a model, how long each example is (tokens), and the loss of some of them by index.

    `fresh` are parts of the model that begin without knowledge and learn at the settings' `fresh_rate`.
    """

    model: nn.Module
    lengths: Sequence[int]
    loss_of: Callable[[np.ndarray], Tensor]
    fresh: Sequence[nn.Module] = ()


def train_rounds(
    task: Task,
    settings: RankerSettings,
    *,
    on_step: Callable[[Step], None] = lambda step: None,
    checkpoints: Checkpoints | None = None,
) -> list[Step]:
    """Trains the model in place and returns the curve. `on_step` may raise to stop it. With `checkpoints` it goes on
    from the latest one, given the same task. Raises Diverged."""
    torch.manual_seed(settings.seed)
    noise = np.random.Generator(np.random.SFC64(settings.seed))
    run = _Run(task, settings, np.random.default_rng(settings.seed), noise, on_step, checkpoints)
    with quick_attention(task.model), dropout_of(task.model, noise, enabled=settings.dropout):
        run.train()
    task.model.eval()
    return run.history


@dataclass(slots=True)
class _Run:
    task: Task
    settings: RankerSettings
    generator: np.random.Generator
    noise: np.random.Generator
    on_step: Callable[[Step], None]
    checkpoints: Checkpoints | None
    history: list[Step] = field(default_factory=list)
    done: int = 0
    epoch: int = 1
    steps: int = 0
    ahead: list[np.ndarray] = field(default_factory=list)
    clock: TrainingClock = field(default_factory=TrainingClock)

    def train(self) -> None:
        self.ahead = self._epoch()
        self.steps = self.settings.epochs * len(self.ahead)
        motion = self._motion()
        state = self.checkpoints.latest() if self.checkpoints else None
        if state is not None:
            motion.restore(state)
            self._restore(state)
        while True:
            self._rest_of_epoch(motion)
            if self.epoch == self.settings.epochs:
                break
            self.epoch += 1
            self.ahead = self._epoch()

    def _rest_of_epoch(self, motion: Motion) -> None:
        model = self.task.model
        device = next(model.parameters()).device.type
        model.train()
        self.clock.resume()
        while self.ahead:
            batch = self.ahead.pop(0)
            with autocast(device, enabled=self.settings.mixed_precision):
                loss = self.task.loss_of(batch)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            set_rates(motion.optimiser, learning_rate_factor(self.done, self.steps, self.settings.warmup_steps))
            motion.optimiser.step()
            motion.optimiser.zero_grad(set_to_none=True)
            self.done += 1
            self.clock.add(len(batch), loss)
            self._report()
            if self.checkpoints and self.checkpoints.due():
                self.checkpoints.save(self.done, self._state(motion))
                self.clock.resume()

    def _motion(self) -> Motion:
        """AdamW with the fresh parts at a rate of their own; biases and norms are not decayed."""
        fresh = {id(weights) for part in self.task.fresh for weights in part.parameters()}
        rates = (self.settings.learning_rate, self.settings.fresh_rate)
        groups = [
            {"params": chosen, "weight_decay": decay, "lr": rate, "full_rate": rate}
            for weights, decay in zip(decayed(self.task.model), (self.settings.weight_decay, 0.0), strict=True)
            for rate, is_fresh in zip(rates, (False, True), strict=True)
            if (chosen := [own for own in weights if (id(own) in fresh) == is_fresh])
        ]
        return Motion(self.task.model, torch.optim.AdamW(groups, fused=True), (self.generator, self.noise))

    def _epoch(self) -> list[np.ndarray]:
        return list(batches_by_length(self.task.lengths, self.settings.batch_size, self.generator))

    def _report(self) -> None:
        loss = self.clock.read(self.done)
        left = self.clock.seconds / self.done * (self.steps - self.done)
        step = Step(self.done, self.steps, loss, self.clock.speed(), left)
        self.history.append(step)
        self.on_step(step)

    def _state(self, motion: Motion) -> State:
        moved = motion.state()
        ahead = {str(number): torch.from_numpy(batch) for number, batch in enumerate(self.ahead)}
        values = {
            "done": self.done,
            "epoch": self.epoch,
            "history": [[type(step).__name__, asdict(step)] for step in self.history],
            "clock": [self.clock.mean, self.clock.pairs, self.clock.seconds],
        }
        return State(moved.tensors | prefixed("ahead.", ahead), moved.values | values)

    def _restore(self, state: State) -> None:
        values = state.values
        self.done, self.epoch = values["done"], values["epoch"]
        self.history = [Step(**stored) for _, stored in values["history"]]
        self.clock.mean, self.clock.pairs, self.clock.seconds = values["clock"]
        ahead = under("ahead.", state.tensors)
        self.ahead = [ahead[str(number)].numpy() for number in range(len(ahead))]
