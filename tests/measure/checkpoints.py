"""What checkpoints cost a training of the embedded encoder: their size, the seconds to write and to go on from one.

    python -m tests.measure.checkpoints [ENCODER_FOLDER] [--steps 60]

Also breaks a training off half way and says whether the resumed one ends with the weights of a whole one. The
sentences are made up; about three minutes on two cores.
"""

import argparse
import hashlib
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from model.encoder import load
from model.files import embedded_encoder
from model.labelled import LabelledArticle
from model.training.checkpoints import EVERY_SECONDS, Checkpoints
from model.training.curve import Step
from model.training.fine_tuning import fine_tune
from model.training.settings import TrainingSettings

QUERY = "gene knockout from cell"
WORDS = "protein expression was measured in the buffer of treated patients and controls after growth assay".split()


def made_up(number: int) -> LabelledArticle:
    """An article of 8 sentences, two of them key."""
    lengths = range(6, 24, 3)
    others = [" ".join(WORDS[(number + length + n) % len(WORDS)] for n in range(length)) for length in lengths]
    keys = [f"Here we deleted gene {number} in {cell} cells by CRISPR-Cas9." for cell in ("HeLa", "A549")]
    return LabelledArticle(str(number), QUERY, [*keys, *others], [1, 1, 0, 0, 0, 0, 0, 0])


def sha256_of_weights(encoder) -> str:
    digest = hashlib.sha256()
    for name, value in sorted(encoder.state_dict().items()):
        digest.update(name.encode() + value.cpu().numpy().tobytes())
    return digest.hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("encoder", nargs="?", type=Path, default=embedded_encoder())
    parser.add_argument("--steps", type=int, default=60)
    options = parser.parse_args()
    settings = TrainingSettings(query=QUERY, epochs=2, batch_size=16, negatives_per_key=20, evaluate_every=20)
    articles = [made_up(number) for number in range(options.steps)]  # 8 sentences an article, 16 a step, 2 epochs
    validation = [made_up(number) for number in range(1000, 1020)]

    def train(checkpoints: Checkpoints | None, stop_after: int | None = None) -> tuple[str, float]:
        encoder = load(options.encoder, device="cpu")

        def on_step(step: Step) -> None:
            if step.step == stop_after:
                raise InterruptedError

        started = time.monotonic()
        fine_tune(encoder, articles, settings, validation=validation, on_step=on_step, checkpoints=checkpoints)
        return sha256_of_weights(encoder), time.monotonic() - started

    whole, seconds = train(None)
    print(f"{options.encoder.name}: {options.steps} steps in {seconds:.1f} s, {seconds / options.steps:.3f} s a step")
    with TemporaryDirectory() as folder:
        every = max(seconds / 6, 0.05)
        kept = Checkpoints(Path(folder), {}, every_seconds=every)
        with suppress(InterruptedError):
            train(kept, stop_after=round(options.steps * 0.55))
        one = kept.seconds / kept.written
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
        model = sum(path.stat().st_size for path in options.encoder.rglob("*.safetensors"))
        print(
            f"checkpoint: {size / 1e6:.1f} MB, {size / model:.2f} times the model; {one:.3f} s each, "
            f"{100 * one / (EVERY_SECONDS + one):.2f}% of the time at one every {EVERY_SECONDS:g} s"
        )
        again = Checkpoints(Path(folder), {}, every_seconds=every)
        started = time.monotonic()
        again.latest()
        read = time.monotonic() - started
        resumed, _ = train(again)
        same = resumed == whole
        print(f"read and checked in {read:.3f} s; resumed at step {again.resumed_step}; equal weights: {same}")


if __name__ == "__main__":
    main()
