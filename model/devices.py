"""Processors and GPUs: which to take, what they compute in, how numbers get there, and what to do when one is full."""

import contextlib
import functools
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch

Item = TypeVar("Item")
Made = TypeVar("Made")
Limit = TypeVar("Limit")


def best_device() -> str:
    """cuda where there is one, else cpu."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def limit_for(limits: Mapping[str, Limit], device: torch.device) -> Limit:
    """The entry of a table for a kind of device; every device but a CPU counts as a GPU."""
    return limits["cpu" if device.type == "cpu" else "cuda"]


def on(device: torch.device) -> contextlib.AbstractContextManager[object]:
    """Makes this GPU the one that torch means by "cuda", while the context lasts; nothing for other devices.

    Without it pinned memory, random generators and the question for bfloat16 go to the first GPU.
    """
    if device.type != "cuda" or device.index is None:
        return contextlib.nullcontext()
    chosen: contextlib.AbstractContextManager[object] = torch.cuda.device(device)
    return chosen


def bfloat16_pays(device: str | torch.device) -> bool:
    """Whether matrix products in bfloat16 are quicker than in float32 on this device.

    A GPU before Ampere emulates them: there everything stays in float32, which needs no scaling of gradients. Of CPUs
    it holds for AMX, and for AMD's with AVX-512. On an EPYC there were 4.4 times as many products a second. On a Xeon
    whose AMX the virtual machine hides there were half as many (`python -m tests.measure.bench` prints both).
    """
    wanted = torch.device(device)
    if wanted.type == "cuda":
        with on(wanted):
            return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    flags = cpu_flags()
    return "amx_bf16" in flags or ("avx512_bf16" in flags and cpu_says("vendor_id") == "AuthenticAMD")


def cpu_flags() -> frozenset[str]:
    """The instructions that the CPU names, in small letters; none where the system tells none."""
    return frozenset(cpu_says("flags").split())


@functools.cache
def cpu_says(field: str) -> str:
    """What the system tells of its first CPU under this name, such as vendor_id; empty where it tells nothing."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == field:
                return value.strip()
    return ""


def autocast(device: str | torch.device, *, enabled: bool = True) -> contextlib.AbstractContextManager[object]:
    """Mixed precision in bfloat16 where it pays, nothing otherwise."""
    if enabled and bfloat16_pays(device):
        kind = torch.device(device).type
        mixed: contextlib.AbstractContextManager[object] = torch.autocast(device_type=kind, dtype=torch.bfloat16)
        return mixed
    return contextlib.nullcontext()


def joined(arrays: Sequence[np.ndarray], device: torch.device) -> torch.Tensor:
    """Arrays of whole numbers one after the other, int64, in memory that a GPU can read without being waited for."""
    flat = torch.from_numpy(np.concatenate([array.ravel() for array in arrays]).astype(np.int64, copy=False))
    if device.type != "cuda":
        return flat
    with on(device):
        return flat.pin_memory()


def parted(flat: torch.Tensor, shapes: Sequence[tuple[int, ...]], device: torch.device) -> list[torch.Tensor]:
    """The joined arrays, on the device and by one copy, as tensors of these shapes."""
    moved = flat.to(device, non_blocking=True)
    sizes = [int(np.prod(shape)) for shape in shapes]
    return [part.view(shape) for part, shape in zip(moved.split(sizes), shapes, strict=True)]


def ahead(make: Callable[[Item], Made], items: Iterable[Item], depth: int, *, threads: int = 1) -> Iterator[Made]:
    """make(item) of each item, in order: up to `depth` of them by threads before they are asked for; 0 takes none."""
    if not depth:
        yield from map(make, items)
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[Made]] = deque()
        try:
            for item in items:
                waiting.append(pool.submit(make, item))
                if len(waiting) > depth:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def by_cores(run: Callable[[Item], Made], items: Sequence[Item]) -> Iterator[Made]:
    """run(item) of each item, in order: on a CPU, where each core takes items of its own, with one thread each.

    Two passes with one thread each ran 1.2 times as fast as one with two, and 1.7 times where others wanted the cores.
    """
    workers = min(torch.get_num_threads(), len(items))
    if workers < 2:
        yield from map(run, items)
        return
    pool = _single_threads(workers)
    try:
        yield from pool.map(run, items)
    finally:
        pool.shutdown(cancel_futures=True)


def _single_threads(workers: int) -> ThreadPoolExecutor:
    """`workers` threads, each of which computes with one core. A torch setting made in one thread holds for threads
    that begin later, too: so the former setting is restored once these have begun."""
    before, all_started = torch.get_num_threads(), threading.Barrier(workers)

    def begin() -> None:
        torch.set_num_threads(1)
        torch.get_num_threads()  # a thread takes over what holds when it asks first
        all_started.wait()

    pool = ThreadPoolExecutor(workers)
    for start in [pool.submit(begin) for _ in range(workers)]:
        start.result()
    torch.set_num_threads(before)
    return pool


def halving(run: Callable[[list[int]], Made], batch: list[int]) -> Iterator[tuple[list[int], Made]]:
    """(part, run(part)) of a batch: all of it at once or, where a GPU's memory is too small, its halves and so on.

    Raises torch.OutOfMemoryError for a part of one.
    """
    waiting = [batch]
    while waiting:
        part = waiting.pop()
        if (made := in_memory(functools.partial(run, part), last=len(part) < 2)) is not None:
            yield part, made
            continue
        middle = (len(part) + 1) // 2
        waiting += [part[middle:], part[:middle]]


def in_memory(run: Callable[[], Made], *, last: bool) -> Made | None:
    """The result of `run`; None where a GPU's memory was too small, which raises instead if that was the last try."""
    try:
        return run()
    except torch.OutOfMemoryError:
        if last:
            raise
    # Behind the except: what the failed try held is free only when its error is gone.
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return None
