"""The settings of a fine-tuning, stored with the run that used them. Needs no torch: the pages show them."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from model.proposing.query import FIRST_QUERY, QUERY_TOKEN


class Compared(StrEnum):
    """What a loss compares with each other. Where that is sentences, a batch takes whole articles."""

    NOTHING = "nothing"  # each cosine with its label alone
    WITHIN_QUERY = "within a query"  # sentences that share a query
    WITHIN_ARTICLE = "within an article"


class Loss(StrEnum):
    """The loss of a training. Each is computed by the function of its name, in small letters, of model.training.losses.

    A new one is such a function, with its formula and source, and a line here.
    """

    compared: Compared

    def __new__(cls, name: str, compared: Compared) -> Self:
        """A string enum member that also says what the loss compares."""
        loss = str.__new__(cls, name)
        loss._value_, loss.compared = name, compared
        return loss

    CONTRASTIVE = "contrastive", Compared.NOTHING
    COSINE_SIMILARITY = "cosine similarity", Compared.NOTHING
    MULTIPLE_NEGATIVES = "multiple negatives ranking", Compared.WITHIN_QUERY
    TRIPLET = "triplet", Compared.WITHIN_QUERY
    LISTWISE = "listwise", Compared.WITHIN_ARTICLE


class MetricLoss(StrEnum):
    """What brings sentences of one function together: the losses of the reference method (SciToricsBERT, SDP 2022).

    Each is made by `metric_loss` of model.training.losses.
    """

    SOFTMAX = "softmax"
    TRIPLET = "triplet"
    ARCFACE = "arcface"
    MULTI_SIMILARITY = "multi-similarity"
    NT_XENT = "nt-xent"


class Negatives(StrEnum):
    """Which sentences count as not key."""

    REVIEWED = "reviewed"  # rejected, or unlabelled in an article that was read in full
    UNLABELLED = "unlabelled"  # these, and unlabelled ones of any article with labels: weaker, but many
    HARD = "hard"  # as unlabelled, but those that the model ranks highest, less the likeliest key sentences


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


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How to fine-tune. The defaults are the reference method's.

    `query` is compared with every sentence; None stands for each article's own, made from its document labels. It may
    be the name of one of the topic's, which is put in its place before training begins (`named_query`).
    `negatives_per_key` None takes every negative. Hard ones are found `hard_renewals` times an epoch.
    `evaluate_every` counts steps; 0 evaluates after each epoch. Texts are cut at `max_tokens` tokens, or at what
    the encoder can read where that is less; None leaves it as it came. `mixed_precision` takes bfloat16 where the
    hardware has it. A step is computed in `accumulate` parts, one after the other: the gradient stays the same.
    `anchor` draws the weights back to the parent's, as weight decay draws them to 0. With `averaged_runs` above 1 this
    number of trainings, each with the next seed, begin with the same weights, and the mean of their weights is kept.
    Raises ValueError that names the value and the allowed ones.
    """

    query: str | None = FIRST_QUERY
    token_start: TokenStart = TokenStart.ZEROS
    pooling: Pooling = Pooling.OWN
    max_tokens: int | None = None
    loss: Loss = Loss.CONTRASTIVE
    margin: float = 0.5
    epochs: int = 1
    batch_size: int = 32
    learning_rate: float = 2e-5
    weight_decay: float = 0.01
    warmup_steps: int = 100
    dropout: bool = True
    mixed_precision: bool = True
    accumulate: int = 1
    anchor: float = 0.0
    negatives: Negatives = Negatives.UNLABELLED
    negatives_per_key: int | None = None
    hard_renewals: int = 1
    evaluate_every: int = 1000
    select_by: SelectBy = SelectBy.AVERAGE_PRECISION
    averaged_runs: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        for name, kind in ENUMS.items():
            value = getattr(self, name)
            if value not in list(kind):
                raise ValueError(f"{name} {value!r} is none of {', '.join(kind)}")
            object.__setattr__(self, name, kind(value))
        if not isinstance(self.query, str | None):
            raise ValueError(f"query {self.query!r} is no text")
        if self.query is not None and not self.query.strip():
            raise ValueError("the query is empty")
        for name in SWITCHES:
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be true or false")
        for name, (low, high) in BOUNDS.items():
            value = getattr(self, name)
            if value is None and name in MAY_BE_NONE:
                continue
            whole = isinstance(low, int)
            number_type = int if whole else int | float
            if isinstance(value, bool) or not isinstance(value, number_type) or not low <= value <= high:
                number = "a whole number " if whole else ""
                raise ValueError(f"{name} is {value}; it must be {number}from {low} to {high}")

    @property
    def has_query_token(self) -> bool:
        """Whether the query is the fresh token."""
        return self.query == QUERY_TOKEN


SWITCHES = ("dropout", "mixed_precision")
MAY_BE_NONE = ("max_tokens", "negatives_per_key")
ENUMS: dict[str, type[StrEnum]] = {
    "token_start": TokenStart,
    "pooling": Pooling,
    "loss": Loss,
    "negatives": Negatives,
    "select_by": SelectBy,
}
BOUNDS: dict[str, tuple[float, float]] = {
    "max_tokens": (16, 32_768),
    "margin": (0.0, 2.0),
    "epochs": (1, 100),
    "batch_size": (2, 1024),
    "learning_rate": (1e-8, 1e-2),
    "weight_decay": (0.0, 1.0),
    "warmup_steps": (0, 100_000),
    "accumulate": (1, 1024),
    "anchor": (0.0, 100.0),
    "negatives_per_key": (1, 10_000),
    "hard_renewals": (1, 100),
    "evaluate_every": (0, 1_000_000),
    "averaged_runs": (1, 20),
    "seed": (0, 2**31 - 1),
}

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
        epochs=4,
        learning_rate=5e-5,
        negatives_per_key=20,
        evaluate_every=0,
    ),
    "reference": TrainingSettings(),
}
# One epoch of "best" on fewer key sentences is some thirty steps, too few to learn from.
FEW_KEY_SENTENCES = 200


def preset_for(key_sentences: int) -> str:
    """The name of the preset that suits this number of labelled key sentences."""
    return "best" if key_sentences >= FEW_KEY_SENTENCES else "few labels"
