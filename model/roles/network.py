"""The recurrent network of the context. Imports torch."""

import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Network(torch.nn.Module):
    """Gated units in both directions, and one linear layer over what they and the input say."""

    def __init__(self, inputs: int, units: int, outputs: int, dropped: float) -> None:
        super().__init__()
        self.units = torch.nn.GRU(inputs, units, bidirectional=True, batch_first=True)
        self.dropout = torch.nn.Dropout(dropped)
        self.output = torch.nn.Linear(2 * units + inputs, outputs)

    def forward(self, rows: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Log odds, shape (articles, longest, outputs), of padded rows (articles, longest, inputs)."""
        packed = pack_padded_sequence(rows, lengths, batch_first=True, enforce_sorted=False)
        hidden, _ = pad_packed_sequence(self.units(packed)[0], batch_first=True, total_length=rows.shape[1])
        odds: torch.Tensor = self.output(torch.cat([self.dropout(hidden), rows], dim=-1))
        return odds
