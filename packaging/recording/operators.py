#!/usr/bin/env python3
"""Times and mean power of the operators of transformers, over a grid of shapes.

Needs PyTorch with CUDA and, for power, pynvml. Writes a CSV with a head that names units, each row as it is measured.
Each time is the median of many runs between device events, on inputs that no cache holds. --budget bounds the seconds:
where they run short rows are measured for a shorter time, and the last ones are left out.
"""

import argparse
import csv
import statistics
import time

BEGIN = time.time()  # PyTorch takes its time to load, of the same budget

import torch
import torch.nn.functional as F

try:
    import pynvml
    pynvml.nvmlInit()
except ImportError:
    pynvml = None

CACHES = 256 * 2**20  # bytes, more than any cache holds
COLUMNS = ["operator", "dtype", "m", "n", "k", "batch", "forward_us", "backward_us", "power_w"]


class Power:
    """Mean power of the GPU by its energy counter, of work that lasts long enough.

    The counter changes every 100 ms: it is read where it has just changed, at begin and end.
    """

    def __init__(self):
        self.handle = pynvml.nvmlDeviceGetHandleByIndex(0) if pynvml else None

    def changed(self, work):
        """Works until the counter changes: millijoules, and when."""
        first = pynvml.nvmlDeviceGetTotalEnergyConsumption(self.handle)
        limit = time.time() + 0.5
        while True:
            self.work_for(work, 0.005)
            now = pynvml.nvmlDeviceGetTotalEnergyConsumption(self.handle)
            if now != first or time.time() > limit:
                return now, time.time()

    @staticmethod
    def work_for(work, seconds):
        end = time.time() + seconds
        while True:
            for _ in range(4):
                work()
            torch.cuda.synchronize()
            if time.time() >= end:
                return

    def of(self, work, seconds):
        if self.handle is None or seconds < 0.2:
            return ""
        begin, time0 = self.changed(work)
        self.work_for(work, seconds - 0.1)
        end, time1 = self.changed(work)
        return round((end - begin) / 1000 / (time1 - time0), 1)


class Clock:
    """Divides what is left of the time among the rows that are left."""

    def __init__(self, budget, rows):
        self.end = BEGIN + budget
        self.rows = rows

    def share(self):
        share = (self.end - time.time()) / max(self.rows, 1)
        self.rows -= 1
        return share


def median_us(work, flush, repeats):
    times = []
    for _ in range(repeats):
        flush.zero_()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1000)
    return statistics.median(times)


def grid(dtype):
    """Rows of (operator, m, n, k, batch, function that makes inputs, function of them)."""
    def random(*shape):
        return lambda: torch.randn(*shape, device="cuda", dtype=dtype, requires_grad=True)

    for hidden in (1024, 2048, 4096, 8192):
        for tokens in (1024, 4096, 16384):
            for n in (hidden, 3 * hidden, 4 * hidden):
                yield ("gemm", tokens, n, hidden, 1, [random(tokens, hidden), random(n, hidden)],
                       F.linear)
            yield ("layer_norm", tokens, hidden, 1, 1, [random(tokens, hidden)],
                   lambda x: F.layer_norm(x, x.shape[-1:]))
            yield ("rms_norm", tokens, hidden, 1, 1, [random(tokens, hidden)],
                   lambda x: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))
            yield ("gelu", tokens, 4 * hidden, 1, 1, [random(tokens, 4 * hidden)], F.gelu)
            yield ("swiglu", tokens, 4 * hidden, 1, 1,
                   [random(tokens, 4 * hidden), random(tokens, 4 * hidden)],
                   lambda x, y: F.silu(x) * y)
            yield ("softmax", tokens, hidden, 1, 1, [random(tokens, hidden)],
                   lambda x: F.softmax(x, -1))
    for tokens in (1024, 2048, 4096, 8192):
        for heads in (8, 16, 32):
            shape = (1, heads, tokens, 128)
            yield ("flash_attention", tokens, 128, tokens, heads, [random(*shape)] * 3,
                   lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True))
    for tokens in (4096, 16384):
        words = torch.randint(50304, (tokens,), device="cuda")
        yield ("embedding", tokens, 4096, 50304, 1, [random(50304, 4096)],
               lambda table, w=words: F.embedding(w, table))
        yield ("cross_entropy", tokens, 50304, 1, 1, [random(tokens, 50304)],
               lambda x, w=words: F.cross_entropy(x.float(), w))


def repeats_in(seconds, once_us):
    """How often something is timed in that time; an odd number, for the median."""
    return max(3, min(31, int(seconds * 1e6 / max(once_us, 1.0)))) | 1


def rows_of(dtype):
    yield from grid(dtype)
    for parameters in (10**7, 10**8, 10**9):
        yield ("adam", parameters, 1, 1, 1, None, None)
    for size in (2**28, 2**30, 2**32):
        yield ("copy", size, 1, 1, 1, None, None)


def work_of(operator, m, makers, function):
    """Forward and backward as functions without arguments; no backward of what has none."""
    if operator == "adam":
        weights = torch.randn(m, device="cuda", requires_grad=True)
        weights.grad = torch.randn_like(weights)
        return torch.optim.AdamW([weights], fused=True).step, None
    if operator == "copy":
        source = torch.empty(m, device="cuda", dtype=torch.int8)
        target = torch.empty_like(source)
        return lambda: target.copy_(source), None
    inputs = [make() for make in makers]
    result = function(*inputs)
    gradient = torch.randn_like(result)
    return (lambda: function(*inputs)), (
        lambda: torch.autograd.grad(result, inputs, gradient, retain_graph=True))


def measure(writer, dtype, power, budget):
    flush = torch.empty(CACHES, device="cuda", dtype=torch.int8)
    rows = list(rows_of(dtype))
    clock = Clock(budget, len(rows))
    types = {"adam": "float32", "copy": "int8"}
    for operator, m, n, k, batch, makers, function in rows:
        share = clock.share()
        if share < 0.02:
            continue
        try:
            forward, backward = work_of(operator, m, makers, function)
            once = median_us(forward, flush, 3)  # the first calls choose kernels
            forward_us = median_us(forward, flush, repeats_in(0.15 * share, once))
            backward_us = ""
            if backward is not None:
                once = median_us(backward, flush, 3)
                backward_us = round(median_us(backward, flush, repeats_in(0.2 * share, once)), 2)
            watts = power.of(forward, min(1.0, 0.5 * share))
        except RuntimeError as error:
            if "out of memory" not in str(error).lower():
                raise
            torch.cuda.empty_cache()
            continue
        writer(operator, types.get(operator, str(dtype).removeprefix("torch.")), m, n, k, batch,
               round(forward_us, 2), backward_us, watts)
        del forward, backward


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="operators.csv")
    parser.add_argument("--budget", type=float, default=110.0, help="seconds, all together")
    args = parser.parse_args()
    with open(args.out, "w", newline="") as file:
        table = csv.writer(file)

        def write(*row):
            table.writerow(row)
            file.flush()

        write(*COLUMNS)
        measure(write, torch.bfloat16, Power(), args.budget)


if __name__ == "__main__":
    main()
