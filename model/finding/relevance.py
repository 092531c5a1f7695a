"""REL: does this article answer this question? One transformer reads both at once.

The vector of [CLS] gives one probability. Source: Literature Retrieval for
Precision Medicine with Neural Matching and Faceted Summarization, Findings of EMNLP 2020.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from model.devices import autocast, by_cores, limit_for
from model.finding.reader import Laid, Reader
from model.row_batches import token_batches

# Padded tokens that go through the network at once while it only scores, and of these that one core takes at once.
SCORED_TOKENS = {"cpu": 4_096, "cuda": 131_072}
CORE_TOKENS = 2_048
# What the two likenesses count for before training: cosines lie close together.
LIKENESS_START, LIKENESS_OFFSET = 10.0, -17.0


class RelevanceModel(nn.Module):
    """A reader and one number on top of it: from [CLS] as in the reference, and from how alike the two parts came out.

    `alike` are the weights of two likenesses, which a sentence encoder brings along (`likenesses`). [CLS] alone had
    learnt nothing after 800 pairs.
    """

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.reader = reader
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(reader.width, 1)
        self.alike = nn.Linear(2, 1)
        with torch.no_grad():
            self.head.weight.mul_(0.1)
            self.alike.weight.fill_(LIKENESS_START)
            self.alike.bias.fill_(LIKENESS_OFFSET)
        self.to(reader.device)

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return self.reader.device

    @property
    def fresh(self) -> list[nn.Module]:
        """What begins without knowledge."""
        return [self.head, self.alike]

    def forward(self, rows: Sequence[Laid]) -> Tensor:
        """Log odds that each input's article answers its question, shape (rows,)."""
        vectors, _ = self.reader(rows)
        odds: Tensor = self.head(self.dropout(vectors[:, 0])) + self.alike(likenesses(vectors.float(), rows))
        return odds[:, 0]


def likenesses(vectors: Tensor, rows: Sequence[Laid]) -> Tensor:
    """(rows, 2): the cosine of the mean vectors of article and facets, and a mean of best cosines. The mean is over the
    facets' tokens, each with its best token of the article. Borders are left out; 0 without facets. vectors: (rows,
    tokens, width)."""
    places = torch.arange(vectors.shape[1], device=vectors.device)
    begin = torch.tensor([row.facets for row in rows], device=vectors.device)[:, None]
    end = torch.tensor([len(row) - 1 for row in rows], device=vectors.device)[:, None]
    article, facets = (places >= 1) & (places < begin - 1), (places >= begin) & (places < end)
    unit = nn.functional.normalize(vectors, dim=2)
    first, second = (torch.einsum("rtw,rt->rw", vectors, each.to(vectors)) for each in (article, facets))
    whole = nn.functional.cosine_similarity(first, second, dim=1)
    between = torch.einsum("rqw,rtw->rqt", unit, unit).masked_fill(~article[:, None, :], -1.0)
    best = (between.amax(dim=2) * facets).sum(dim=1) / facets.sum(dim=1).clamp(min=1)
    return torch.stack([whole, best], dim=1)


def weighted_loss(logits: Tensor, labels: Tensor, negative_weight: float) -> Tensor:
    """Mean of -w_y [y log p + (1 - y) log(1 - p)] with w_1 = 1 and w_0 = `negative_weight`; any shape, one scalar."""
    weights = labels + (1 - labels) * negative_weight
    return nn.functional.binary_cross_entropy_with_logits(logits, labels, weight=weights)


def negative_weight(labels: Sequence[float]) -> float:
    """w_0 = positives / negatives, so that both classes weigh the same; 1.0 where one of them is missing.

    Reference: .15 where 87% of the pairs were negative (13/87).
    """
    positives = sum(1 for label in labels if label > 0)
    negatives = len(labels) - positives
    return positives / negatives if positives and negatives else 1.0


def relevance_of(model: RelevanceModel, rows: Sequence[Laid]) -> np.ndarray:
    """Log odds of each input, float32[rows]; rows of like length go together, and on a CPU each core takes its own."""
    model.eval()
    device = model.device.type
    lengths = [len(row) for row in rows]

    def scored(batch: list[int]) -> tuple[list[int], np.ndarray]:
        with torch.inference_mode(), autocast(device):
            return batch, model([rows[i] for i in batch]).float().cpu().numpy()

    if device == "cpu":
        share = -(-sum(lengths) // torch.get_num_threads())  # few rows are for all cores, too
        scores = by_cores(scored, token_batches(lengths, min(share, CORE_TOKENS)))
    else:
        scores = map(scored, token_batches(lengths, limit_for(SCORED_TOKENS, model.device)))
    found = np.zeros(len(rows), dtype=np.float32)
    for batch, odds in scores:
        found[batch] = odds
    return found
