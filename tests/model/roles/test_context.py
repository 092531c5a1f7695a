"""The recurrent network: one thread while it learns and reads, and as many as before for all else."""

import numpy as np
import pytest
import torch

from model.roles import context
from model.roles.context import ContextReader, one_thread


def test_one_thread_while_it_computes_and_as_many_as_before_then() -> None:
    before = torch.get_num_threads()
    with pytest.raises(ValueError, match="stop"), one_thread():
        assert torch.get_num_threads() == 1
        raise ValueError("stop")
    assert torch.get_num_threads() == before


def test_what_comes_before_and_behind_tells_the_role(monkeypatch: pytest.MonkeyPatch) -> None:
    """The third sentence says nothing of itself; it has the role of the first."""
    monkeypatch.setattr(context, "NETWORKS", 1)
    rng = np.random.default_rng(0)
    first = rng.integers(0, 2, 200)
    abstracts = [np.eye(5, dtype=np.float32)[[one, 2, 4]] for one in first]
    roles = [np.array([one, 2, one]) for one in first]
    reader = ContextReader.fit(abstracts, roles, seed=0)
    found = reader(abstracts[:20])
    assert [rows[2].argmax() for rows in found] == first[:20].tolist()
    more = [np.hstack([rows, np.ones((3, 7), dtype=np.float32)]) for rows in abstracts[:20]]
    assert all(np.array_equal(*both) for both in zip(reader(more), found, strict=True))  # columns of a later release
