"""The load of docs/reliability.md for a few seconds: nothing lost, doubled or refused. The long form is `make soak`."""

import pytest

from tests.measure.load import l1, l2, l5
from tests.measure.load_server import l4, l6
from tests.support.figures import Line

pytestmark = [
    pytest.mark.usefixtures("home"),
    pytest.mark.sqlite("PostgreSQL has tests/measure/load_postgresql.py"),
    pytest.mark.timeout(300),
]

# Far more than the bar, as others may use the machine too.
PATIENCE_MS = 20_000


def sound(line: Line) -> dict[str, float]:
    """The figures, after a look at those that must be 0 on any machine."""
    found = {name: line.figures[name] for name in ("lost", "doubled", "complaints")}
    assert found == {"lost": 0, "doubled": 0, "complaints": 0}, line.broken
    assert line.figures.get("lock_errors", 0) == line.figures.get("errors", 0) == 0, line.broken
    return line.figures


def test_experts_beside_an_import_and_a_training_lose_nothing():
    """Fewer than in the long form, so that a machine that does other things too can keep up."""
    line = l1(5, 10)
    assert line.broken == []
    assert sound(line)["verdicts"] == 20
    assert line.figures["max_ms"] < PATIENCE_MS


def test_eight_writers_without_pause_lose_nothing_and_none_is_left_behind():
    figures = sound(l2(3))
    assert figures["slowest_writer"] > figures["fastest_writer"] / 10
    assert figures["max_ms"] < PATIENCE_MS


def test_experts_at_the_running_app_are_all_answered():
    line = l4(4, 10, 20, with_browsers=False)
    assert line.broken == []
    assert sound(line)["clicks"] == 20
    assert line.figures["click_to_saved_p95_ms"] < PATIENCE_MS


@pytest.mark.writes_while_reading("what a reader of seconds sees while verdicts are written is the question")
def test_in_a_large_project_a_reader_sees_one_snapshot_and_the_log_stays_small():
    line = l5(2, articles=20, handed_out=10)
    assert line.broken == []
    assert line.figures["verdicts"] == 16 * 125
    assert line.figures["rows_exported"] >= 16 * 125
    assert line.figures["sentence_query_p95_ms"] < PATIENCE_MS


def test_sessions_that_come_and_go_leave_no_open_file_behind():
    line = l6(45, 20)
    assert line.broken == []
    assert line.figures["reruns"] == 45
