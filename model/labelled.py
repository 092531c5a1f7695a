"""What training and evaluation take: the sentences of one article with its query and a label for each."""

from collections.abc import Sequence
from dataclasses import dataclass

KEY, NOT_KEY, UNLABELLED = 1, 0, -1


@dataclass(frozen=True, slots=True)
class LabelledArticle:
    """One article's n sentences in reading order, each KEY, NOT_KEY (an expert saw it) or UNLABELLED (no verdict).

    `query` is what the sentences are compared with. Raises ValueError where labels and sentences differ in number.
    """

    key: str
    query: str
    sentences: Sequence[str]
    labels: Sequence[int]

    def __post_init__(self) -> None:
        if len(self.sentences) != len(self.labels):
            raise ValueError(f"{self.key}: {len(self.labels)} labels for {len(self.sentences)} sentences")
        if unknown := set(self.labels) - {KEY, NOT_KEY, UNLABELLED}:
            raise ValueError(f"{self.key}: labels {sorted(unknown)} are none of 1, 0 and -1")

    @property
    def truth(self) -> list[int]:
        """The labels as evaluation takes them: 1 for key, 0 for anything else."""
        return [int(label == KEY) for label in self.labels]
