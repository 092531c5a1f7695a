"""Steps in parts have the gradients of the whole, also where memory was too small; no step asks a GPU for a value."""

import numpy as np
import pytest
import torch

import model.training.packed.stepping
from model.encoder import load, tokenize
from model.labelled import LabelledArticle
from model.prompts import Side
from model.training.packed.stepping import Stepper
from model.training.pairs import table_of
from model.training.quick import dropout_of, quick_attention
from model.training.settings import Loss, TrainingSettings

TEXTS = [f"here we deleted {gene} in {cell} cells {'of the mouse ' * n}" for n, (gene, cell) in enumerate(
    (gene, cell) for gene in ("tp53", "kras", "myc") for cell in ("hela", "a549", "hek293"))]  # fmt: skip
ARTICLES = [
    LabelledArticle("one", "gene knockout", TEXTS[:5], [1, 0, 0, 1, 0]),
    LabelledArticle("two", "gene knockout from cell", TEXTS[5:], [0, 1, 0, 0]),
]
ROWS = np.arange(len(TEXTS))


def stepper_of(encoder, parts=1, **settings) -> Stepper:
    table = table_of(ARTICLES)
    return Stepper(
        encoder,
        TrainingSettings(**{"query": None, "dropout": False, "mixed_precision": False, **settings}),
        table,
        tokenize(encoder, table.queries, Side.QUERY),
        dict(enumerate(tokenize(encoder, table.sentences))),
        np.random.Generator(np.random.SFC64(0)),
        parts,
    )


def gradients(stepper: Stepper) -> tuple[float, dict[str, torch.Tensor]]:
    encoder = stepper.encoder
    encoder.zero_grad(set_to_none=True)
    encoder.train()
    with quick_attention(encoder), dropout_of(encoder, stepper.noise, enabled=stepper.settings.dropout):
        (step,) = stepper.prepared([ROWS])
        loss = stepper.backward(step)
    return loss.item(), {name: p.grad.clone() for name, p in encoder.named_parameters() if p.grad is not None}


def difference(found: dict[str, torch.Tensor], wanted: dict[str, torch.Tensor]) -> float:
    assert set(found) == set(wanted) and len(wanted) > 30
    whole = torch.cat([gradient.flatten() for gradient in wanted.values()])
    return float((torch.cat([found[name].flatten() for name in wanted]) - whole).norm() / whole.norm())


@pytest.mark.parametrize("loss", Loss)
@pytest.mark.parametrize("parts", [2, 5, 100])
def test_a_step_in_parts_has_the_loss_and_the_gradients_of_the_whole(tiny_encoder, loss, parts):
    encoder = load(tiny_encoder, device="cpu")
    whole, wanted = gradients(stepper_of(encoder, loss=loss))
    found, got = gradients(stepper_of(encoder, parts, loss=loss))
    assert found == pytest.approx(whole, rel=1e-6)
    assert difference(got, wanted) < 1e-5


def test_a_part_is_computed_twice_with_the_same_noise(tiny_encoder, monkeypatch):
    encoder = load(tiny_encoder, device="cpu")
    made: list[torch.Tensor] = []
    stock = model.training.packed.stepping.forward

    def kept(*values):
        made.append(stock(*values))
        return made[-1]

    monkeypatch.setattr(model.training.packed.stepping, "forward", kept)
    gradients(stepper_of(encoder, 3, dropout=True))
    first, again = made[: len(made) // 2], made[len(made) // 2 :]
    assert len(first) >= 3 and all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert not any(vectors.requires_grad for vectors in first) and all(vectors.requires_grad for vectors in again)


@pytest.mark.parametrize("loss", [Loss.CONTRASTIVE, Loss.LISTWISE])
def test_a_step_that_does_not_fit_goes_on_in_parts_and_stays_so(tiny_encoder, monkeypatch, loss):
    """An encoder that is out of memory above 64 tokens that need gradients, or in the middle of its last part."""
    encoder = load(tiny_encoder, device="cpu")
    _, wanted = gradients(stepper_of(encoder, loss=loss))
    tried: list[int] = []
    for module in (model.training.packed.stepping, model.training.steps):
        stock = module.forward

        def small(encoder, features, *side, stock=stock):
            if torch.is_grad_enabled():
                tried.append(features["input_ids"].numel())
                if tried[-1] > 64:
                    raise torch.OutOfMemoryError("CUDA out of memory")
            return stock(encoder, features, *side)

        monkeypatch.setattr(module, "forward", small)
    stepper = stepper_of(encoder, loss=loss)
    _, found = gradients(stepper)
    assert difference(found, wanted) < 1e-5
    assert stepper.parts > 2 and max(tried) > 64
    tried.clear()
    _, found = gradients(stepper)
    assert difference(found, wanted) < 1e-5 and max(tried) <= 64


def test_a_sentence_that_does_not_fit_alone_is_an_error(tiny_encoder, monkeypatch):
    def full(*_):
        raise torch.OutOfMemoryError("CUDA out of memory")

    for module in (model.training.packed.stepping, model.training.steps):
        monkeypatch.setattr(module, "forward", full)
    with pytest.raises(torch.OutOfMemoryError):
        gradients(stepper_of(load(tiny_encoder, device="cpu")))


@pytest.mark.parametrize("loss", Loss)
@pytest.mark.parametrize("parts", [1, 3])
def test_no_step_asks_for_a_value_that_a_gpu_has(tiny_encoder, monkeypatch, loss, parts):
    """On the meta device, which has none: an .item(), a boolean index or a copy back would be an error."""
    encoder = load(tiny_encoder, device="cpu").to("meta")
    assert encoder.device.type == "meta"
    stepper = stepper_of(encoder, parts, loss=loss)
    encoder.train()
    with quick_attention(encoder):
        for step in stepper.prepared([ROWS, ROWS]):
            loss_there = stepper.backward(step)
            torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
    assert loss_there.device.type == "meta" and loss_there.shape == ()
    assert all(p.grad.device.type == "meta" for p in encoder.parameters() if p.grad is not None)


def test_a_value_that_is_asked_for_would_be_seen():
    with pytest.raises((RuntimeError, NotImplementedError)):
        torch.zeros(2, device="meta").sum().item()
