"""The settings of ranking models, stored with each version. Needs no torch: the pages show them."""

from dataclasses import dataclass

# What numbers may be: (lowest, highest).
BOUNDS = {
    "max_tokens": (16, 512),
    "epochs": (1, 100),
    "batch_size": (1, 1024),
    "learning_rate": (1e-7, 1e-1),
    "fresh_rate": (1e-7, 1e-1),
    "weight_decay": (0.0, 1.0),
    "warmup_steps": (0, 10_000),
    "negatives": (1, 100),
    "most_pairs": (1, 10_000_000),
    "layers": (1, 12),
    "width": (16, 2048),
    "vocabulary": (10, 200_000),
}


@dataclass(frozen=True, slots=True)
class RankerSettings:
    """How to train a ranking model. The defaults suit two processor cores and MiniLM; the reference took 384 tokens,
    batches of 12, 30,000 steps at 1e-5 without decay, and BERT base.

    Of REL: `negatives` are taken for each relevant article, half of them from the best by words; `by_cls_alone` leaves
    the likenesses out, as the reference does. `most_pairs` bounds what one epoch reads. Of ABS: the decoder's `layers`
    and `width` (the reference's: 6 and 768), and how many words it can write. Raises ValueError that names the value
    and the allowed ones.
    """

    max_tokens: int = 256
    epochs: int = 1
    batch_size: int = 16
    learning_rate: float = 5e-5
    fresh_rate: float = 1e-3
    weight_decay: float = 0.0
    warmup_steps: int = 50
    dropout: bool = True
    mixed_precision: bool = True
    negatives: int = 4
    most_pairs: int = 10_000
    by_cls_alone: bool = False
    layers: int = 2
    width: int = 256
    vocabulary: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        for name, (low, high) in BOUNDS.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise ValueError(f"{name} is {value}; it must be from {low} to {high}")
