"""What all tests of the programs' door share."""

import pytest

from pages.parts.api import token_gate


@pytest.fixture(autouse=True)
def _no_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests call faster than programs may; the gate, which counts by token, outlives a test."""
    monkeypatch.setattr(token_gate, "CALLS", 1_000_000)
