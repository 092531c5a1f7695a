"""What a measurement ran on, and its clock: instructions, matrix peak, seconds by the clock and of a core's work."""

import os
import time

from model.devices import bfloat16_pays, cpu_flags

CORE = "a core's second"
# What tells how quickly a CPU multiplies.
INSTRUCTIONS = ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_int8", "amx_bf16", "amx_tile")


def precisions(device: str) -> dict[bool, str]:
    """{whether it is bfloat16: its name} of what this device computes with."""
    return {False: "float32"} | ({True: "bfloat16"} if bfloat16_pays(device) else {})


def matrix_peak(device: str) -> dict[str, float]:
    """The machine's own peak on square products, in floating point operations a second, by precision."""
    import torch

    found = {}
    # Of a CPU that names it also where it is slower: that is what tells.
    named = device == "cpu" and "avx512_bf16" in cpu_flags()
    for name in ("float32", "bfloat16") if named else precisions(device).values():
        dtype = getattr(torch, name)
        size = 1536 if device == "cpu" else 8192
        a, b = (torch.randn(size, size, device=device).to(dtype) for _ in range(2))
        times = []
        for _ in range(12):
            wait(device)
            started = time.perf_counter()
            a @ b
            wait(device)
            times.append(time.perf_counter() - started)
        found[name] = 2 * size**3 / min(times)
    return found


def machine(device: str) -> list[str]:
    """What computes here, in lines: the instructions of the processor or the name of the GPU, and how busy it is."""
    import torch

    flags = cpu_flags()
    there = [name for name in INSTRUCTIONS if name in flags]
    missing = [name for name in INSTRUCTIONS if name not in flags]
    lines = [f"{os.cpu_count()} cores: {', '.join(there) or 'none known'}; not there: {', '.join(missing) or 'none'}"]
    lines.append(f"{os.getloadavg()[0]:.1f} processes wanted a core in the last minute, before this began")
    if device != "cpu":
        lines.append(torch.cuda.get_device_name(device))
    if not bfloat16_pays(device):
        lines.append("bfloat16 is left out: it is emulated here, or slower than float32")
    return lines


class Timer:
    """Seconds by the clock and of all cores' work since it was made."""

    def __init__(self, device: str) -> None:
        wait(device)
        self.device = device
        self.begun = time.perf_counter(), time.process_time()

    def speeds(self, done: int) -> dict[str, float]:
        """So many a second, by the clock and of a core's work."""
        wait(self.device)
        clock, work = time.perf_counter() - self.begun[0], time.process_time() - self.begun[1]
        return {"speed": done / clock, CORE: done / work}


def wait(device: str) -> None:
    if device != "cpu":
        import torch

        torch.cuda.synchronize(device)
