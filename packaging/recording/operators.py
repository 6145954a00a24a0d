#!/usr/bin/env python3
"""Times and mean power of the operators of transformers, over a grid of shapes.

Needs PyTorch with CUDA and, for power, pynvml. Writes a CSV with a head that names units. Each time
is the median of many runs between device events, on inputs that no cache holds.
"""

import argparse
import csv
import statistics
import time

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
    """Mean power of the GPU by its energy counter, of work that lasts long enough."""

    def __init__(self):
        self.handle = pynvml.nvmlDeviceGetHandleByIndex(0) if pynvml else None

    def of(self, work, seconds):
        if self.handle is None:
            return ""
        begin, time0 = pynvml.nvmlDeviceGetTotalEnergyConsumption(self.handle), time.time()
        while time.time() < time0 + seconds:
            for _ in range(20):
                work()
            torch.cuda.synchronize()
        joules = (pynvml.nvmlDeviceGetTotalEnergyConsumption(self.handle) - begin) / 1000
        return round(joules / (time.time() - time0), 1)


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


def measure(writer, dtype, power, seconds, repeats):
    flush = torch.empty(CACHES, device="cuda", dtype=torch.int8)
    for operator, m, n, k, batch, makers, function in grid(dtype):
        try:
            inputs = [make() for make in makers]
            result = function(*inputs)
            gradient = torch.randn_like(result)
            forward = median_us(lambda: function(*inputs), flush, repeats)
            backward = median_us(
                lambda: torch.autograd.grad(result, inputs, gradient, retain_graph=True), flush,
                repeats)
            watts = power.of(lambda: function(*inputs), seconds)
        except torch.cuda.OutOfMemoryError:
            continue
        writer.writerow([operator, str(dtype).removeprefix("torch."), m, n, k, batch,
                         round(forward, 2), round(backward, 2), watts])
    for parameters in (10**7, 10**8, 10**9):
        weights = torch.randn(parameters, device="cuda", requires_grad=True)
        weights.grad = torch.randn_like(weights)
        optimizer = torch.optim.AdamW([weights], fused=True)
        optimizer.step()
        writer.writerow(["adam", "float32", parameters, 1, 1, 1,
                         round(median_us(optimizer.step, flush, repeats), 2), "",
                         power.of(optimizer.step, seconds)])
        del weights, optimizer
    for size in (2**28, 2**30, 2**32):
        source = torch.empty(size, device="cuda", dtype=torch.int8)
        target = torch.empty_like(source)
        writer.writerow(["copy", "int8", size, 1, 1, 1,
                         round(median_us(lambda: target.copy_(source), flush, repeats), 2), "",
                         power.of(lambda: target.copy_(source), seconds)])
        del source, target


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="operators.csv")
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--power-seconds", type=float, default=0.5)
    args = parser.parse_args()
    with open(args.out, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        measure(writer, torch.bfloat16, Power(), args.power_seconds, args.repeats)


if __name__ == "__main__":
    main()
