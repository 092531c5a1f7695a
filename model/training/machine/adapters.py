"""Low-rank adapters: few weights are learnt beside the frozen ones of a large encoder, and are part of them in the end.

Source: Hu et al. 2021, "LoRA", by the library peft, an optional requirement.
"""

import contextlib
from collections.abc import Iterator

import torch
from sentence_transformers import SentenceTransformer
from transformers import PreTrainedModel

from model.training.settings import TrainingSettings

# What is learnt counts by ALPHA / rank = 2, whatever the rank: Hu et al. keep it fixed and tune the learning rate.
ALPHA_BY_RANK = 2


class NoAdapters(ImportError):
    """The library of adapters is not installed; the message says how it is."""


@contextlib.contextmanager
def adapters(encoder: SentenceTransformer, settings: TrainingSettings) -> Iterator[None]:
    """Adapters of this rank at all linear layers while the context lasts, then added to their weights; 0: none.

    All other weights of the transformers are frozen meanwhile. Raises NoAdapters without the library.
    """
    if not settings.lora_rank:
        yield
        return
    try:
        from peft import LoraConfig  # noqa: PLC0415 (an optional requirement)
        from peft.tuners.lora import LoraModel  # noqa: PLC0415 (likewise)
    except ImportError as error:
        raise NoAdapters("adapters need peft: pip install -r requirements-lora.txt, or a LoRA rank of 0") from error
    trained = [weights for weights in encoder.parameters() if weights.requires_grad]
    config = LoraConfig(
        r=settings.lora_rank,
        lora_alpha=ALPHA_BY_RANK * settings.lora_rank,
        target_modules=linear_layers(encoder),
        lora_dropout=0.0,
    )
    tuners = [LoraModel(model, config, "default") for model in transformers_of(encoder)]
    try:
        yield
    finally:
        for tuner in tuners:
            tuner.merge_and_unload()
        for weights in trained:
            weights.requires_grad_()


def transformers_of(encoder: SentenceTransformer) -> list[PreTrainedModel]:
    """The encoder's transformers: one, or one for queries and one for sentences."""
    found: list[PreTrainedModel] = []
    for module in encoder.modules():
        if isinstance(module, PreTrainedModel) and not any(module is own for model in found for own in model.modules()):
            found.append(module)
    return found


def linear_layers(encoder: SentenceTransformer) -> list[str]:
    """The names of the linear layers that adapters go to: all of the transformers' but those of a pooler, which no
    sentence vector takes."""
    names = set()
    for model in transformers_of(encoder):
        for name, module in model.named_modules():
            if isinstance(module, torch.nn.Linear) and "pooler" not in name:
                names.add(name)
    return sorted(names)
