"""The stored curve of a training: few steps, every checkpoint."""

from model.training.curve import Checkpoint, Step, stored_curve


def test_a_long_curve_keeps_its_ends_and_every_checkpoint():
    history = [Checkpoint(0, 0, 0.5), *(Step(n, 100, 1.0, 2.0, 3.0) for n in range(1, 101)), Checkpoint(1, 100, 0.75)]
    rows = stored_curve(history, 4)
    assert [row["step"] for row in rows] == [0, 1, 34, 67, 100, 100]
    assert rows[0] == {"kind": "checkpoint", "epoch": 0, "step": 0, "score": 0.5}
    assert rows[1] == {
        "kind": "step", "step": 1, "steps": 100, "loss": 1.0, "pairs_per_second": 2.0, "seconds_left": 3.0,
    }  # fmt: skip


def test_a_short_curve_and_one_without_steps_stay_whole():
    history = [Step(1, 2, 1.0, 2.0, 3.0), Step(2, 2, 0.5, 2.0, 0.0)]
    assert [row["loss"] for row in stored_curve(history, 200)] == [1.0, 0.5]
    assert [row["kind"] for row in stored_curve([Checkpoint(0, 0, 0.5)], 200)] == ["checkpoint"]
    assert stored_curve([], 200) == []
