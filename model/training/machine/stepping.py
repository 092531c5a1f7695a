"""The gradients of steps: prepared by a thread while a GPU computes, in parts where its memory is too small."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from model.devices import ahead, in_memory
from model.encoder import tokenize
from model.labelled import LabelledArticle
from model.prompts import Side
from model.training.machine.helpers import Helpers
from model.training.machine.parts import backward_in_parts
from model.training.machine.sharing import backward_shared
from model.training.pairs import SentenceTable, table_of
from model.training.settings import TrainingSettings
from model.training.steps import Prepared, prepared, step_loss

# Steps that are prepared before they are asked for. On a CPU the thread would take the cores from the work.
STEPS_AHEAD = 2

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Stepper:
    """Computes the gradients of steps of rows of one table.

    `parts`: in how many passes, at least, a device computes a step, one after the other; more once a step was too large
    for a GPU's memory. 1 keeps all passes of a step in memory. `helpers` compute shares of each step, if there are any.
    """

    encoder: SentenceTransformer
    settings: TrainingSettings
    table: SentenceTable
    queries: Sequence[list[int]]
    tokens: Mapping[int, list[int]]
    noise: np.random.Generator
    parts: int = 1
    helpers: Helpers | None = None

    @property
    def passes(self) -> int:
        """In how many passes, at least, a step is computed by all devices together."""
        return self.parts * (self.settings.gpus if self.helpers else 1)

    def prepared(self, batches: Sequence[np.ndarray]) -> Iterator[Prepared]:
        """Steps of these rows, in order."""
        yield from ahead(self._prepared, batches, 0 if self.encoder.device.type == "cpu" else STEPS_AHEAD)

    def _prepared(self, rows: np.ndarray) -> Prepared:
        return prepared(self.encoder, self.settings, self.table, self.queries, self.tokens, rows, self.passes)

    def backward(self, step: Prepared) -> torch.Tensor:
        """Adds the gradients of a step to the weights'; returns its loss, which nobody waits for.

        Raises torch.OutOfMemoryError where not even single rows fit.
        """
        while True:
            if step.parts != self.passes:  # prepared before another one was too large
                step = self._prepared(step.rows)
            last = self.passes >= len(step.rows) + step.queries
            loss = in_memory(partial(self._backward, step), last=last)
            if loss is not None:
                return loss
            self.parts *= 2
            _log.warning("a step is too large for the GPU's memory: from now on in %d parts", self.parts)
            self.encoder.zero_grad(set_to_none=True)  # of the parts that were done

    def _backward(self, step: Prepared) -> torch.Tensor:
        if self.helpers:
            return backward_shared(self.helpers, step, kept=self.parts == 1)
        if self.parts > 1:
            return backward_in_parts(self.encoder, self.settings, step, self.noise)
        loss = step_loss(self.encoder, self.settings, step)
        loss.backward()
        return loss

    def words(self, judged: Sequence[LabelledArticle]) -> set[int]:
        """Token ids of all that a training encodes: of the table, of the articles that it is judged by, and padding."""
        validation = table_of(judged)
        others = tokenize(self.encoder, validation.queries, Side.QUERY) if judged else []
        others += tokenize(self.encoder, validation.sentences) if judged else []
        padding = [[word for word in (self.encoder.tokenizer.pad_token_id,) if word is not None]]
        return {word for rows in (self.queries, self.tokens.values(), others, padding) for row in rows for word in row}
