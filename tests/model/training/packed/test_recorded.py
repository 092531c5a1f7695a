"""Which steps are recorded, and what is replayed: with graphs that note what they would start."""

from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import pytest
import torch

import model.training.packed.recorded
from model.encoder import load
from model.training.packed.cut import passes_of
from model.training.packed.recorded import Recorder
from model.training.quick import quick_attention
from model.training.steps import Prepared

GPU = torch.device("cuda")


@dataclass
class Graph:
    """In place of a CUDA graph: counts how often it is replayed."""

    replays: int = 0
    pools: list = field(default_factory=list)

    def pool(self):
        return "pool"

    def replay(self):
        self.replays += 1


@pytest.fixture
def graphs(monkeypatch) -> list[Graph]:
    """The graphs that were made. What is taken within one is noted as recorded, not as taken."""
    made: list[Graph] = []

    def graph():
        made.append(Graph())
        return made[-1]

    @contextmanager
    def within(graph, pool=None, *, capture_error_mode):
        graph.pools.append(pool)
        yield

    monkeypatch.setattr(torch.cuda, "CUDAGraph", graph)
    monkeypatch.setattr(torch.cuda, "graph", within)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda _: "the stream of the training")
    monkeypatch.setattr(torch.Tensor, "to", lambda tensor, *_, **__: tensor.clone())
    return made


def step_of(encoder, lengths: list[int]) -> Prepared:
    """A step of rows of so many tokens."""
    with quick_attention(encoder):
        passes = passes_of(encoder, [[3] * length for length in lengths])
    arrays = [*passes.arrays, passes.back]
    block = torch.from_numpy(np.concatenate([array.ravel() for array in arrays]).astype(np.int64))
    return Prepared(np.arange(len(lengths)), 1, 1, passes, block, [array.shape for array in arrays])


@pytest.fixture
def on_gpu(tiny_encoder, monkeypatch):
    """An encoder whose passes are filled up, as on a GPU."""
    chosen = model.training.quick._chosen
    monkeypatch.setattr(model.training.quick, "_chosen", lambda transformer, _: chosen(transformer, "cuda"))
    encoder = load(tiny_encoder, device="cpu")
    encoder.max_seq_length = 512
    return encoder


def test_a_form_that_comes_again_is_recorded_and_then_replayed(on_gpu, graphs):
    taken: list[torch.Tensor] = []
    recorder = Recorder(lambda step: taken.append(step.block) or torch.tensor(float(len(taken))), GPU)
    first, alike, other = step_of(on_gpu, [9, 8, 7]), step_of(on_gpu, [8, 8, 8]), step_of(on_gpu, [70, 60, 7])
    assert first.form == alike.form != other.form
    assert [float(recorder.step(step)) for step in (first, other)] == [1, 2] and not graphs
    assert float(recorder.step(alike)) == 3 and graphs[0].replays == 1  # what was recorded, not what ran
    assert taken[2] is not alike.block and torch.equal(taken[2], alike.block)
    recorder.step(first)
    assert torch.equal(taken[2], first.block) and graphs[0].replays == 2 and len(taken) == 3
    recorder.step(other)
    assert graphs[0].pools == [None] and graphs[1].pools == ["pool"]


def test_rows_that_are_longer_than_what_attention_was_told_have_a_form_of_their_own(on_gpu):
    """A graph tells attention how long rows are at most: the rest of a longer one would not be computed."""
    short, long = step_of(on_gpu, [100] * 6 + [24]), step_of(on_gpu, [300, 128, 128, 20, 20, 20, 8])
    assert [array.shape for array in short.passes.arrays] == [array.shape for array in long.passes.arrays]
    assert short.form != long.form
    assert [step.passes.each[0].packed.longest for step in (short, long)] == [128, 384]


def test_steps_in_parts_with_padding_or_on_a_cpu_are_never_recorded(on_gpu, tiny_encoder, graphs, monkeypatch):
    whole = step_of(on_gpu, [9, 8, 7])
    parts = Prepared(whole.rows, 1, 2, whole.passes, whole.block, whole.shapes)
    monkeypatch.undo()
    with_padding = load(tiny_encoder, device="cpu")
    passes = passes_of(with_padding, [[3] * 5])
    padded = Prepared(np.arange(1), 1, 1, passes, whole.block, [array.shape for array in passes.arrays])
    assert parts.form is None and padded.form is None
    taken: list[Prepared] = []
    recorder = Recorder(lambda step: taken.append(step) or torch.tensor(0.0), torch.device("cpu"))
    for step in (whole, whole, whole, parts, parts, parts, padded, padded):
        recorder.step(step)
    assert len(taken) == 8 and not graphs


def test_what_cannot_be_recorded_is_taken_as_it_is(on_gpu, graphs, monkeypatch, caplog):
    allowed, streams = torch.cuda.graph, []

    @contextmanager
    def refused(graph, *given, **settings):
        with allowed(graph, *given, **settings):
            yield
        if len(graphs) == 1:
            raise RuntimeError("operation not permitted when stream is capturing")

    monkeypatch.setattr(torch.cuda, "graph", refused)
    monkeypatch.setattr(torch.cuda, "set_stream", streams.append)
    taken: list[Prepared] = []
    recorder = Recorder(lambda step: taken.append(step) or torch.tensor(0.0), GPU)
    step = step_of(on_gpu, [9, 8, 7])
    for _ in range(4):
        recorder.step(step)
    assert [graph.replays for graph in graphs] == [0, 0]  # one try, and what ends it
    assert streams == ["the stream of the training"]
    assert [own is step for own in taken] == [True, False, True, True, True]


def test_there_is_an_end_to_what_is_recorded(on_gpu, graphs, monkeypatch):
    monkeypatch.setattr(model.training.packed.recorded, "MOST_RECORDED", 1)
    recorder = Recorder(lambda _: torch.tensor(0.0), GPU)
    for lengths in ([9, 8, 7], [70, 60, 7]):
        for _ in range(3):
            recorder.step(step_of(on_gpu, lengths))
    assert [graph.replays for graph in graphs] == [2]


def test_lengths_by_chance_have_few_forms(on_gpu):
    rng = np.random.default_rng(0)
    steps = [step_of(on_gpu, rng.integers(5, 30, 33).tolist()) for _ in range(200)]
    assert len({step.form for step in steps}) <= 8
    for step in steps[:20]:
        (one,) = step.passes.each
        ends = np.diff(one.arrays["cu_seq_lens_q"])
        assert ends.min() >= 1 and ends.max() <= one.packed.longest and one.results % 16 == 0
        assert one.arrays["input_ids"].shape[1] <= 1.2 * ends[:33].sum() + 64
