"""The settings of a fine-tuning, stored with the run that used them. Needs no torch: the pages show them."""

from dataclasses import dataclass
from enum import StrEnum

LOSS_NAMES = ("contrastive", "cosine similarity")


class Negatives(StrEnum):
    """Which sentences count as not key."""

    REVIEWED = "reviewed"  # rejected, or unlabelled in an article that was read in full
    UNLABELLED = "unlabelled"  # these, and unlabelled ones of any article with labels: weaker, but many


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How to fine-tune. Where the defaults differ from the reference method's, docs/training.md has the measurement.

    `query` is compared with every sentence; None stands for each article's own, made from its document labels.
    Raises ValueError that names the value and what is allowed.
    """

    query: str | None = None
    loss: str = "contrastive"
    margin: float = 0.5
    epochs: int = 4
    batch_size: int = 32
    learning_rate: float = 5e-5
    weight_decay: float = 0.01
    warmup_steps: int = 100
    negatives: Negatives = Negatives.UNLABELLED
    negatives_per_key: int = 20
    seed: int = 0

    def __post_init__(self) -> None:
        if self.loss not in LOSS_NAMES:
            raise ValueError(f"loss {self.loss!r} is none of {', '.join(LOSS_NAMES)}")
        object.__setattr__(self, "negatives", Negatives(self.negatives))
        if self.query is not None and not self.query.strip():
            raise ValueError("the query is empty")
        bounds = {
            "margin": (0.0, 2.0),
            "epochs": (1, 100),
            "batch_size": (2, 1024),
            "learning_rate": (1e-8, 1e-2),
            "weight_decay": (0.0, 1.0),
            "warmup_steps": (0, 100_000),
            "negatives_per_key": (1, 10_000),
        }
        for name, (low, high) in bounds.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise ValueError(f"{name} is {value}; it must be from {low} to {high}")
