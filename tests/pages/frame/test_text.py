"""Texts that pages write: times by the clock on the reader's wall."""

from datetime import timedelta, timezone

import pytest

from pages.parts.frame.text import local_time


@pytest.mark.parametrize(
    ("stored", "hours", "told"),
    [
        ("2026-01-02T03:04:05.000Z", -5, "2026-01-01 22:04"),
        ("0001-01-01T00:00:00.000Z", -5, "1-01-01 00:00"),
        ("9999-12-31T23:59:59.000Z", 5, "9999-12-31 23:59"),
    ],
)
def test_the_first_and_the_last_day_that_there_are_stop_no_page(
    stored: str, hours: int, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.parts.frame.text.local_zone", lambda: timezone(timedelta(hours=hours)))
    assert local_time(stored).endswith(told)
