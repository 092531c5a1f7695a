"""A step shared by several devices: the gradient of the whole, since one process knows the vectors of all.

So that losses which compare the sentences of a batch go on comparing all of them, however many devices there are.
"""

from collections.abc import Sequence

import torch

from model.training.machine.helpers import Helpers
from model.training.machine.parts import Computed
from model.training.steps import Prepared


def backward_shared(helpers: Helpers, step: Prepared, *, kept: bool) -> torch.Tensor:
    """Adds the gradients of a step to the weights'; returns its loss. Each device computes some of its passes.

    `kept`: the activations of a device's passes stay in its memory; else they are computed twice. Raises
    torch.OutOfMemoryError where the memory of any device was too small, HelperEnded where a process is gone.
    """
    encoder, settings, noise = helpers.encoder, helpers.settings, helpers.noise
    placed = step.on(encoder.device)
    own, *theirs = dealt([one.arrays["input_ids"].size for one in step.passes.each], settings.gpus)
    seed = int(noise.integers(2**62))
    helpers.give_weights()
    with helpers.asked("compute", [([step.passes.each[i] for i in share], seed, kept) for share in theirs]) as answers:
        computed = Computed(encoder, settings, noise, [placed.passes[i] for i in own], kept=kept)
    vectors = dict(zip(own, computed.vectors(), strict=True))
    for share, answer in zip(theirs, answers, strict=True):
        vectors |= {i: torch.from_numpy(found).to(encoder.device) for i, found in zip(share, answer, strict=True)}
    loss, gradients = placed.loss_and_gradients([vectors[i] for i in range(len(vectors))], settings)
    with helpers.asked("backward", [([gradients[i].cpu().numpy() for i in share],) for share in theirs]) as touched:
        computed.backward([gradients[i] for i in own])
    helpers.take_gradients(touched)
    return loss


def dealt(sizes: Sequence[int], shares: int) -> list[list[int]]:
    """The places of these sizes in so many shares of about the same sum: the largest first, each to the smallest."""
    found: list[list[int]] = [[] for _ in range(shares)]
    sums = [0] * shares
    for place in sorted(range(len(sizes)), key=lambda place: -sizes[place]):
        least = sums.index(min(sums))
        found[least].append(place)
        sums[least] += sizes[place]
    return found
