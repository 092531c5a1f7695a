"""The settings of a ranking model, stored with each version. Needs no torch: the pages show them."""

from pydantic import Field

from model.checked_settings import checked


@checked
class RankerSettings:
    """How to train a ranking model. The defaults suit two processor cores and MiniLM; the reference took 384 tokens,
    batches of 12, 30,000 steps at 1e-5 without decay, and BERT base.

    `negatives` are taken for each relevant article, half of them from the best by words. `most_pairs`
    bounds what one epoch reads.
    """

    max_tokens: int = Field(default=256, ge=16, le=512)
    epochs: int = Field(default=1, ge=1, le=100)
    batch_size: int = Field(default=16, ge=1, le=1024)
    learning_rate: float = Field(default=5e-5, ge=1e-7, le=1e-1)
    fresh_rate: float = Field(default=1e-3, ge=1e-7, le=1e-1)
    weight_decay: float = Field(default=0.0, ge=0.0, le=1.0)
    warmup_steps: int = Field(default=50, ge=0, le=10_000)
    dropout: bool = True
    mixed_precision: bool = True
    negatives: int = Field(default=4, ge=1, le=100)
    most_pairs: int = Field(default=10_000, ge=1, le=10_000_000)
    seed: int = Field(default=0, ge=0, le=2**31 - 1)
