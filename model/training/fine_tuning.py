"""Fine-tuning of a sentence encoder on labelled articles: each sentence against a query."""

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from model.devices import bfloat16_pays, limit_for, on
from model.encoder import tokenize
from model.labelled import KEY, LabelledArticle
from model.prompts import Side
from model.training.averaging import MeanWeights
from model.training.checkpoints import Checkpoints, State
from model.training.clock import STEPS_A_READING, TrainingClock
from model.training.curve import Checkpoint, Step
from model.training.packed.half import HalfTwin
from model.training.packed.packing import packs
from model.training.packed.recorded import Recorder
from model.training.packed.stepping import Stepper
from model.training.pairs import candidates, epoch_batches, table_of
from model.training.prepare import prepare
from model.training.quick import Shrinking, dropout_of, quick_attention, small_vocabulary
from model.training.settings import TrainingSettings
from model.training.steps import Prepared, learning_rate_factor, optimiser_of, set_rates
from model.training.training_state import Motion, prefixed, under
from model.training.validation import judged_by, validation_score

# Where a run is, apart from its tensors and generators.
PLACE = ("steps", "done", "epoch", "before")


def fine_tune(
    encoder: SentenceTransformer,
    train: Sequence[LabelledArticle],
    settings: TrainingSettings,
    *,
    validation: Sequence[LabelledArticle] = (),
    on_step: Callable[[Step], None] = lambda step: None,
    on_encoded: Callable[[int], None] = lambda done: None,
    checkpoints: Checkpoints | None = None,
) -> list[Step | Checkpoint]:
    """Trains the encoder in place and returns the curve.

    `on_step` is called after each step that is reported. `on_encoded` is called after each batch that is encoded
    for validation. Either may raise to stop the training.
    With `checkpoints` it goes on from the latest one, given the same encoder, articles and settings; on a CPU the
    weights become equal to an uninterrupted run's, bit for bit.

    Where `validation` holds key sentences, the weights of the best checkpoint are kept, by at most MOST_VALIDATED
    sentences. The encoder as it came takes
    part as epoch 0, so that training never makes that score worse. Of several averaged runs the mean of such weights is
    kept, by the same rule. Raises Diverged, and ValueError unless there are sentences of both classes.
    """
    table = table_of(train)
    usable = candidates(table)
    if len(set(table.labels[usable] == KEY)) < 2:
        raise ValueError("training needs key sentences and others")
    prepare(encoder, settings)
    torch.manual_seed(settings.seed)
    judged = judged_by(validation, settings.seed)
    judged_table = table_of(judged)
    of_judged = tokenize(encoder, judged_table.queries, Side.QUERY), tokenize(encoder, judged_table.sentences)
    tokens = tokenize(encoder, [table.sentences[i] for i in usable])
    noise = np.random.Generator(np.random.SFC64(settings.seed))
    score = partial(validation_score, encoder, judged, settings.select_by, tokens=of_judged, progress=on_encoded)
    stepper = Stepper(
        encoder,
        settings,
        table,
        queries=tokenize(encoder, table.queries, Side.QUERY),
        tokens=dict(zip(usable.tolist(), tokens, strict=True)),
        noise=noise,
        parts=settings.accumulate,
    )
    run = _Run(
        encoder=encoder,
        settings=settings,
        stepper=stepper,
        generator=np.random.default_rng(settings.seed),
        validate=score if judged else None,
        on_step=on_step,
        checkpoints=checkpoints,
    )
    with (
        on(encoder.device),
        quick_attention(encoder),
        dropout_of(encoder, noise, enabled=settings.dropout),
    ):
        run.train(stepper.words(*of_judged))
    encoder.eval()
    return run.history


@dataclass(slots=True)
class _Run:
    """One fine-tuning, from the first step to the best weights."""

    encoder: SentenceTransformer
    settings: TrainingSettings
    stepper: Stepper
    generator: np.random.Generator  # draws the batches
    validate: Callable[[], float] | None
    on_step: Callable[[Step], None]
    checkpoints: Checkpoints | None
    history: list[Step | Checkpoint] = field(default_factory=list)
    best: tuple[float, dict[str, torch.Tensor] | None, float] = (-math.inf, None, 1.0)
    mean: MeanWeights = field(default_factory=MeanWeights)  # of the runs that are finished
    before: int = 0  # the steps of those
    steps: int = 0
    done: int = 0
    epoch: int = 1
    clock: TrainingClock = field(default_factory=TrainingClock)
    ahead: list[np.ndarray] = field(default_factory=list)  # batches of this epoch that are still to come

    def train(self, words: set[int]) -> None:
        """All steps of all runs, which take these words; at the end the best weights are in place."""
        runs = self.settings.averaged_runs
        with small_vocabulary(self.encoder, words) as vocabulary:
            start = copy.deepcopy(self.encoder.state_dict()) if runs > 1 else {}
            state = self.checkpoints.latest() if self.checkpoints else None
            self._train_once(vocabulary, state)
            while runs > 1:
                self.mean.add(self.encoder.state_dict(), vocabulary.factor)
                if self.mean.count == runs:
                    self._take_mean(vocabulary, start)
                    break
                self._start_again(vocabulary, start)
                self._train_once(vocabulary, None)

    def _train_once(self, vocabulary: Shrinking, state: State | None) -> None:
        """All steps of one run, or those after the state; at the end its best weights are in place."""
        settings = self.settings
        motion = self._begin(vocabulary, state)
        optimiser, twin = motion.optimiser, self._twin()

        def take(step: Prepared) -> torch.Tensor:
            optimiser.zero_grad(set_to_none=True)
            if twin:
                twin.renew()
            loss = self.stepper.backward(step)
            if twin:
                twin.hand_back()
            torch.nn.utils.clip_grad_norm_(self.encoder.parameters(), 1.0)
            optimiser.step()
            return loss.detach()

        recorder = Recorder(take, self.encoder.device)
        while True:
            self.encoder.train()
            self.clock.resume()
            for step in self.stepper.prepared(list(self.ahead)):
                factor = learning_rate_factor(self.done, self.steps, settings.warmup_steps)
                set_rates(optimiser, factor)
                loss = recorder.step(step)
                self.ahead.pop(0)
                vocabulary.step(settings.learning_rate * factor * settings.weight_decay)
                self.done += 1
                self.clock.add(len(step.rows), loss)
                self._report()
                if self._is_to_be_checked():
                    self._check(vocabulary)
                if self.checkpoints and self.checkpoints.due():
                    self.checkpoints.save(self.before + self.done, self._state(vocabulary, motion))
                    self.clock.resume()
            if self.epoch == settings.epochs:
                break
            self.epoch += 1
            self.ahead = self._batches()
        if self.best[1] is not None:
            self.encoder.load_state_dict(self.best[1])
            vocabulary.factor = self.best[2]

    def _twin(self) -> HalfTwin | None:
        """What computes the passes in bfloat16, where a GPU does so quicker than by autocast."""
        device = self.encoder.device
        wanted = self.settings.mixed_precision and device.type == "cuda" and bfloat16_pays(device)
        if not wanted or not packs(self.encoder):
            return None
        twin = HalfTwin(self.encoder)
        self.stepper.encoder, self.stepper.settings = twin.encoder, replace(self.settings, mixed_precision=False)
        return twin

    def _start_again(self, vocabulary: Shrinking, start: dict[str, torch.Tensor]) -> None:
        """Stands where the first run began, with the next seed."""
        self.encoder.load_state_dict(start)
        vocabulary.factor, self.best = 1.0, (-math.inf, None, 1.0)
        self.before, self.done, self.epoch = self.before + self.done, 0, 1
        seed = self.settings.seed + self.mean.count
        torch.manual_seed(seed)
        self.generator.bit_generator.state = np.random.default_rng(seed).bit_generator.state
        self.stepper.noise.bit_generator.state = np.random.SFC64(seed).state

    def _take_mean(self, vocabulary: Shrinking, start: dict[str, torch.Tensor]) -> None:
        """The mean of the runs in place, unless the encoder as it came scores higher on the validation articles."""
        self.encoder.load_state_dict(self.mean.tensors)
        vocabulary.factor = self.mean.factor
        if self.validate is None:
            return
        as_it_came = next(entry.score for entry in self.history if isinstance(entry, Checkpoint))
        score = self.validate()
        self.history.append(Checkpoint(self.epoch, self.before + self.done, score))
        if score < as_it_came:
            self.encoder.load_state_dict(start)
            vocabulary.factor = 1.0

    def _begin(self, vocabulary: Shrinking, state: State | None) -> Motion:
        """Stands at the first step, or where the state was taken."""
        if state is None:
            self.ahead = self._batches()
            self.steps = self.settings.epochs * len(self.ahead)
            self._check(vocabulary)
        else:
            self.steps = state.values["steps"]
        generators = self.generator, self.stepper.noise
        motion = Motion(self.encoder, optimiser_of(self.encoder, self.settings), generators)
        if state is not None:
            motion.restore(state)
            self._restore(state, vocabulary)
        return motion

    def _is_to_be_checked(self) -> bool:
        """Whether a validation follows: every `evaluate_every` steps and at the end, or after each epoch."""
        every = self.settings.evaluate_every
        if every and self.done % every == 0 and self.done < self.steps:
            return True
        return not self.ahead and (not every or self.epoch == self.settings.epochs)

    def _batches(self) -> list[np.ndarray]:
        return epoch_batches(self.stepper.table, self.stepper.tokens, self.settings, self.generator)

    def _state(self, vocabulary: Shrinking, motion: Motion) -> State:
        """All that the rest of the run depends on, and the curve so far."""
        self.clock.read(self.done)
        score, best, factor = self.best
        moved = motion.state()
        values = {
            **{name: getattr(self, name) for name in PLACE},
            "history": [[type(entry).__name__, asdict(entry)] for entry in self.history],
            "best": [score, factor],
            "vocabulary": vocabulary.factor,
            "mean": [self.mean.count, self.mean.factor],
            "clock": [self.clock.mean, self.clock.pairs, self.clock.seconds],
        }
        ahead = {str(number): torch.from_numpy(batch) for number, batch in enumerate(self.ahead)}
        tensors = prefixed("best.", best or {}) | prefixed("ahead.", ahead) | prefixed("mean.", self.mean.tensors)
        return State(moved.tensors | tensors, moved.values | values)

    def _restore(self, state: State, vocabulary: Shrinking) -> None:
        """Goes back to where the state was taken."""
        values = state.values
        for name in PLACE:
            setattr(self, name, values[name])
        kinds = {kind.__name__: kind for kind in (Step, Checkpoint)}
        self.history = [kinds[kind](**entry) for kind, entry in values["history"]]
        best, mean = (
            {name: tensor.to(self.encoder.device) for name, tensor in under(prefix, state.tensors).items()}
            for prefix in ("best.", "mean.")
        )
        self.best = (values["best"][0], best or None, values["best"][1])
        self.mean = MeanWeights(values["mean"][0], values["mean"][1], mean)
        vocabulary.factor = values["vocabulary"]
        self.clock.mean, self.clock.pairs, self.clock.seconds = values["clock"]
        ahead = under("ahead.", state.tensors)
        self.ahead = [ahead[str(number)].numpy() for number in range(len(ahead))]

    def _report(self) -> None:
        every = limit_for(STEPS_A_READING, self.encoder.device)
        if self.done % every and self.done != self.steps:
            return
        loss = self.clock.read(self.done)
        # Other seeds draw other negatives, so that the runs to come may take a few steps more or less.
        done = self.before + self.done
        steps = self.before + self.steps * (self.settings.averaged_runs - self.mean.count)
        step = Step(done, steps, loss, self.clock.speed(), self.clock.seconds / done * (steps - done))
        self.history.append(step)
        self.on_step(step)

    def _check(self, vocabulary: Shrinking) -> None:
        if self.validate is None:
            return
        score = self.validate()
        self.encoder.train()
        self.clock.resume()
        self.history.append(Checkpoint(self.epoch if self.done else 0, self.before + self.done, score))
        # Of equal scores the later one is kept: it has seen more labels.
        if score >= self.best[0]:
            self.best = (score, copy.deepcopy(self.encoder.state_dict()), vocabulary.factor)
