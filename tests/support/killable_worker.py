"""The process of a job as fault tests start it: slow enough to be killed in the midst of its work, or misbehaving.

`python -m tests.support.killable_worker ID` does what `python -m annotate work ID` does, with training slowed down, a
checkpoint every CHECKPOINT_SECONDS, and every step in the log. The job's payload may say how an `evaluate` job is to
misbehave instead. Run by the tests alone.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from annotate.jobs.lifecycle import run
from annotate.project.acting import OPERATOR, acting

STEP_SECONDS = 0.03
CHECKPOINT_SECONDS = 0.2
# A file that, while it exists, makes the process die once inside the writing of a checkpoint.
DIE_IN_WRITE = "KEYLINE_TEST_DIE_IN_WRITE"


def misbehave(payload, monitor):
    """Does what the payload says a sound job never does."""
    monitor.report("misbehaving")
    if payload["do"] == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    if payload["do"] == "hog":
        return {"bytes": sum(len(piece) for piece in [bytearray(1 << 26) for _ in range(64)])}
    if payload["do"] == "hang":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
        time.sleep(600)
    time.sleep(payload.get("seconds", 0))
    return {"pid": os.getpid()}


def train(payload, monitor):
    """Trains slowly, with a checkpoint every so often."""
    import annotate.retraining.retrain  # these take seconds, which whoever misbehaves need not wait for
    import model.training.checkpoints
    from annotate.work import HANDLERS

    real_report, real_save = annotate.retraining.retrain._report, model.training.checkpoints.save_file

    def report(*arguments) -> None:
        print("step", monitor.attempt, arguments[-1].step, time.time(), flush=True)
        time.sleep(STEP_SECONDS)
        real_report(*arguments)

    def save_file(tensors, path, **more) -> None:
        print("write", monitor.attempt, flush=True)
        real_save(tensors, path, **more)
        order = Path(os.environ.get(DIE_IN_WRITE, "none"))
        if order.exists():
            order.unlink()
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])  # as much as had reached the disk
            os.kill(os.getpid(), signal.SIGKILL)
        print("written", monitor.attempt, flush=True)

    annotate.retraining.retrain._report, annotate.retraining.retrain.CHECKPOINT_SECONDS = report, CHECKPOINT_SECONDS
    model.training.checkpoints.save_file, model.training.checkpoints.MOST_OF_TIME = save_file, 1.0
    return HANDLERS["train"](payload, monitor)


if __name__ == "__main__":
    with acting(OPERATOR):
        run(int(sys.argv[1]), {"train": train, "evaluate": misbehave})
