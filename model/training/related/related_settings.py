"""How a map of vectors is learnt from reference lists. Needs no torch."""

from enum import StrEnum

from pydantic import Field

from model.checked_settings import ByText, checked


class PairLoss(StrEnum):
    """What brings an article and what it cites together: functions of these names, in model.training.related.losses."""

    ARCFACE = "arcface"
    MULTIPLE_NEGATIVES = "multiple negatives ranking"
    TRIPLET = "triplet"


@checked
class RelatedSettings:
    """How to learn. A step takes `articles` and of each at most `cited` of its works, drawn again in each epoch.

    `margin` is in radians for ArcFace, a cosine for triplets, and not used by multiple negatives ranking.
    """

    loss: ByText[PairLoss] = PairLoss.MULTIPLE_NEGATIVES
    epochs: int = Field(default=10, ge=1, le=1_000)
    articles: int = Field(default=128, ge=2, le=4_096)
    cited: int = Field(default=8, ge=1, le=256)
    learning_rate: float = Field(default=3e-4, ge=1e-7, le=1)
    weight_decay: float = Field(default=0.001, ge=0, le=1)
    scale: float = Field(default=20.0, ge=1, le=200)
    margin: float = Field(default=0.2, ge=0, le=1.5)
    seed: int = Field(default=0, ge=0, le=2**31 - 1)
