"""The settings of a fine-tuning, stored with the run that used them. Needs no torch: the pages show them."""

from dataclasses import replace
from enum import StrEnum

from pydantic import Field, field_validator

from model.checked_settings import ByText, bounds, checked, closed_sets
from model.proposing.query import FIRST_QUERY, QUERY_TOKEN


class Loss(StrEnum):
    """The loss of a training. Each is computed by the function of its name, in small letters, of model.training.losses.

    A new one is such a function, with its formula and source, and a line here.
    """

    CONTRASTIVE = "contrastive"
    COSINE_SIMILARITY = "cosine similarity"
    LOGISTIC = "logistic"
    LISTWISE = "listwise"  # compares the sentences of an article, so that a batch takes whole ones


class MetricLoss(StrEnum):
    """What brings sentences of one function together: the losses of the reference method (SciToricsBERT, SDP 2022).

    Each is made by `metric_loss` of model.training.losses.
    """

    SOFTMAX = "softmax"
    TRIPLET = "triplet"
    ARCFACE = "arcface"
    MULTI_SIMILARITY = "multi-similarity"
    NT_XENT = "nt-xent"


class Pooling(StrEnum):
    """How token vectors become one sentence vector; OWN keeps what the encoder came with."""

    OWN = "own"
    MEAN = "mean"
    CLS = "cls"
    MAX = "max"


class TokenStart(StrEnum):
    """What the vector of the fresh token [QUERY] begins as, where that is the query."""

    ZEROS = "zeros"
    RANDOM = "random"


class SelectBy(StrEnum):
    """The validation score by which the best checkpoint is kept."""

    AVERAGE_PRECISION = "average precision"  # over all pairs, the best of cosine, dot, Euclidean, Manhattan
    R_PRECISION = "R-precision"  # mean over articles, by cosine


Number = float | int  # kept as it was written: runs of experiments are known by a hash of it


@checked
class TrainingSettings:
    """How to fine-tune. The defaults are the reference method's.

    `query` is compared with every sentence; None stands for each article's own, made from its document labels. It may
    be the name of one of the topic's, which is put in its place before training begins (`named_query`).
    `negatives_per_key` None takes every negative. `evaluate_every` counts steps; 0 evaluates after each epoch. Texts
    are cut at `max_tokens` tokens, or at what the encoder can read where that is less; None leaves it as it came.
    `mixed_precision` takes bfloat16 where the hardware has it. A step is computed in `accumulate` parts, one after the
    other: the gradient stays the same. With `averaged_runs` above 1 this number of trainings begin with the same
    weights, each with the next seed. The mean of their weights is kept.
    """

    query: str | None = FIRST_QUERY
    token_start: ByText[TokenStart] = TokenStart.ZEROS
    pooling: ByText[Pooling] = Pooling.OWN
    max_tokens: int | None = Field(default=None, ge=16, le=32_768)
    loss: ByText[Loss] = Loss.CONTRASTIVE
    margin: Number = Field(default=0.5, ge=0, le=2)
    epochs: int = Field(default=1, ge=1, le=100)
    batch_size: int = Field(default=32, ge=2, le=1024)
    learning_rate: Number = Field(default=2e-5, ge=1e-8, le=1e-2)
    weight_decay: Number = Field(default=0.01, ge=0, le=1)
    warmup_steps: int = Field(default=100, ge=0, le=100_000)
    dropout: bool = True
    mixed_precision: bool = True
    accumulate: int = Field(default=1, ge=1, le=1024)
    negatives_per_key: int | None = Field(default=None, ge=1, le=10_000)
    evaluate_every: int = Field(default=1000, ge=0, le=1_000_000)
    select_by: ByText[SelectBy] = SelectBy.AVERAGE_PRECISION
    averaged_runs: int = Field(default=1, ge=1, le=20)
    seed: int = Field(default=0, ge=0, le=2**31 - 1)

    @field_validator("query")
    @classmethod
    def _has_words(cls, query: str | None) -> str | None:
        if query is not None and not query.strip():
            raise ValueError("the query is empty")
        return query

    @property
    def has_query_token(self) -> bool:
        """Whether the query is the fresh token."""
        return self.query == QUERY_TOKEN


BOUNDS = bounds(TrainingSettings)
ENUMS = closed_sets(TrainingSettings)

# What docs/retraining.md measures. "best" ranks best of a single training where there are labels enough, "few labels"
# where there are not; "best averaged" takes ten times as long as "best", which a GPU does in five minutes.
_BEST = TrainingSettings(
    query=None,
    loss=Loss.LISTWISE,
    batch_size=64,
    learning_rate=5e-5,
    dropout=False,
    negatives_per_key=10,
    evaluate_every=0,
    select_by=SelectBy.R_PRECISION,
)
PRESETS: dict[str, TrainingSettings] = {
    "best": _BEST,
    "best averaged": replace(_BEST, epochs=2, dropout=True, averaged_runs=5),
    "few labels": TrainingSettings(
        query=None,
        loss=Loss.LOGISTIC,
        epochs=4,
        batch_size=16,
        learning_rate=5e-5,
        negatives_per_key=20,
        evaluate_every=0,
    ),
    "reference": TrainingSettings(),
}
# With 130 to 260 key sentences "few labels" ranks better: on 75 trials as "best" does on 300. With 2,800 both rank
# alike, and "best" takes a fifth of the time (docs/measurements/training.md).
FEW_KEY_SENTENCES = 1_000


def preset_for(key_sentences: int) -> str:
    """The name of the preset that suits this number of labelled key sentences."""
    return "best" if key_sentences >= FEW_KEY_SENTENCES else "few labels"
