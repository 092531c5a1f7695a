"""What becomes of a training where the weights are as half precision stores them, and where they are float32.

    python -m tests.measure.precision

The embedded encoder on sentences that are made up; half a minute on two cores.
"""

import tempfile
from dataclasses import replace

import torch
from sentence_transformers import SentenceTransformer

from model.encoder import load
from model.files import embedded_encoder
from model.training.clock import Diverged
from model.training.fine_tuning import fine_tune
from model.training.settings import PRESETS
from tests.model.training.test_fine_tuning import ARTICLES, QUERY

SETTINGS = replace(
    PRESETS["reference"], query=QUERY, epochs=6, batch_size=8, warmup_steps=0, dropout=False, mixed_precision=False
)
# Of its layers: all of them take part in every step, as words and positions do not.
MOVING = ".layer."


def measure(stored_as: torch.dtype, *, as_stored: bool) -> str:
    """A line: how the embedded encoder learns from weights of this kind."""
    with tempfile.TemporaryDirectory() as folder:
        SentenceTransformer(str(embedded_encoder()), device="cpu").to(stored_as).save_pretrained(folder)
        encoder = load(folder, device="cpu")
    if as_stored:
        encoder.to(stored_as)
    named = [(name, own) for name, own in encoder.named_parameters() if MOVING in name]
    before = {name: own.detach().clone() for name, own in named}
    losses: list[float] = []
    end = ""
    try:
        fine_tune(encoder, ARTICLES, SETTINGS, on_step=lambda step: losses.append(step.loss))
    except Diverged as error:
        end = f", then {error}"
    moved = sum(int((own.detach() != before[name]).sum()) for name, own in named)
    share = moved / sum(own.numel() for own in before.values())
    trained_as = "as stored" if as_stored else "in float32"
    return (
        f"{stored_as}, trained {trained_as}: {share:.1%} of the weights moved, loss {losses[0]:.3f} to "
        f"{losses[-1]:.3f} in {len(losses)} steps{end}"
    )


if __name__ == "__main__":
    for kind in (torch.float32, torch.float16, torch.bfloat16):
        print(measure(kind, as_stored=True))
        print(measure(kind, as_stored=False))
