"""How a map of vectors is learnt from reference lists. Needs no torch."""

from dataclasses import dataclass
from enum import StrEnum


class PairLoss(StrEnum):
    """What brings an article and what it cites together: functions of these names, in model.training.related.losses."""

    ARCFACE = "arcface"
    MULTIPLE_NEGATIVES = "multiple negatives ranking"
    TRIPLET = "triplet"


@dataclass(frozen=True, slots=True)
class RelatedSettings:
    """How to learn. A step takes `articles` and of each at most `cited` of its works, drawn again in each epoch.

    `margin` is in radians for ArcFace, a cosine for triplets, and not used by multiple negatives ranking. Raises
    ValueError that names the value and the allowed ones.
    """

    loss: PairLoss = PairLoss.MULTIPLE_NEGATIVES
    epochs: int = 10
    articles: int = 128
    cited: int = 8
    learning_rate: float = 3e-4
    weight_decay: float = 0.001
    scale: float = 20.0
    margin: float = 0.2
    seed: int = 0

    def __post_init__(self) -> None:
        if self.loss not in list(PairLoss):
            raise ValueError(f"loss {self.loss!r} is none of {', '.join(PairLoss)}")
        object.__setattr__(self, "loss", PairLoss(self.loss))
        for name, (low, high) in BOUNDS.items():
            value = getattr(self, name)
            whole = isinstance(low, int)
            if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
                raise ValueError(f"{name} is {value!r}; it must be {'a whole number' if whole else 'a number'}")
            if not low <= value <= high:
                raise ValueError(f"{name} is {value}; it must be from {low} to {high}")


BOUNDS: dict[str, tuple[float, float]] = {
    "epochs": (1, 1_000),
    "articles": (2, 4_096),
    "cited": (1, 256),
    "learning_rate": (1e-7, 1.0),
    "weight_decay": (0.0, 1.0),
    "scale": (1.0, 200.0),
    "margin": (0.0, 1.5),
    "seed": (0, 2**31 - 1),
}
