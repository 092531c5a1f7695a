"""What all tables have in common: how a moment is written."""

from datetime import UTC, datetime, timedelta, timezone

from db.base import stamp, utc_now


def test_a_moment_is_written_in_utc_with_milliseconds():
    east = timezone(timedelta(hours=2))
    assert stamp(datetime(2026, 3, 1, 1, 30, tzinfo=east)) == "2026-02-28T23:30:00.000Z"
    assert stamp(datetime(2026, 3, 1, 1, 30, 0, 4_999, UTC)) == "2026-03-01T01:30:00.004Z"


def test_the_order_of_the_texts_is_that_of_time():
    west, moment = timezone(-timedelta(hours=9)), datetime(2026, 12, 31, 23, 59, 59, 999_000, UTC)
    moments = [moment + timedelta(milliseconds=number) for number in range(3)]
    assert sorted(map(stamp, moments)) == [stamp(moment.astimezone(west)) for moment in moments]


def test_the_time_now_is_written_as_any_moment():
    before, now, after = datetime.now(UTC), datetime.fromisoformat(utc_now()), datetime.now(UTC)
    assert before - timedelta(milliseconds=1) < now <= after
    assert stamp(now) == now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
