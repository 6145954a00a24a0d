#!/usr/bin/env python3
"""A small GPT in phases, to be recorded: batch sizes, recomputation, power, memory, idle.

Needs PyTorch with CUDA (--dry needs neither: it sleeps in place of work). Takes --budget seconds, whatever the GPU.
Writes OUT/phases.json and, of each training phase, a Kineto trace of one step of two micro-batches,
OUT/traces/<phase>.json.gz. Marks steps with tokens, samples and loss, and phases, in the pipe that TRAINSCOPE_MARKS
names.
"""

import argparse
import gc
import gzip
import os
import shutil
import time

from plan import Plan

MICRO_BATCHES = (4, 16, 32)
TRACED_MICRO_BATCHES = 2
TRACE_SHARE = 0.35  # of a phase's time, that its trace may take: profiling and writing are slow


class Gpu:
    """The work of the phases on a GPU."""

    def __init__(self, args):
        import torch

        from model import Gpt, trainer
        self.torch, self.trainer, self.args = torch, trainer, args
        torch.manual_seed(0)
        self.model = Gpt(args.layers, args.hidden, args.heads, args.vocabulary, args.tokens).cuda()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), fused=True)
        self.compiled = None

    def facts(self):
        return {"gpu": self.torch.cuda.get_device_name(), "torch": self.torch.__version__}

    def step_of(self, compiled, micro_batch, recompute):
        self.forget()
        self.model.recompute = recompute
        if compiled and self.compiled is None:
            self.compiled = self.torch.compile(self.model)
        model = self.compiled if compiled else self.model
        return self.trainer(model, self.optimizer, micro_batch, self.args.tokens, self.args.vocabulary)

    def forget(self):
        """What the phase before has left in memory."""
        self.optimizer.zero_grad(set_to_none=True)
        gc.collect()
        self.torch.cuda.empty_cache()

    def trace(self, path, step):
        from torch.profiler import ProfilerActivity, profile
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True) as profiler:
            step(TRACED_MICRO_BATCHES)
            profiler.step()
        profiler.export_chrome_trace(path)

    def products(self):
        square = self.torch.randn(8192, 8192, device="cuda", dtype=self.torch.bfloat16)
        return lambda: self.repeat(lambda: square @ square)

    def copies(self):
        source = self.torch.empty(2**30, device="cuda", dtype=self.torch.int8)
        target = self.torch.empty_like(source)
        return lambda: self.repeat(lambda: target.copy_(source))

    def repeat(self, work, times=50):
        for _ in range(times):
            work()
        self.torch.cuda.synchronize()


class Dry:
    """Stands in where there is no GPU: sleeps a tenth as long as a step of an H100 takes."""

    def __init__(self, args):
        self.args = args

    def facts(self):
        return {"gpu": "none", "torch": "none"}

    def step_of(self, compiled, micro_batch, recompute):
        if micro_batch == self.args.dry_memory:
            raise RuntimeError("CUDA out of memory. Tried to allocate 20.00 GiB.")

        def step(micro_batches):
            time.sleep(0.0006 * micro_batch * micro_batches * (1.3 if recompute else 1.0))
            return 10.0

        return step

    def forget(self):
        pass

    def trace(self, path, step):
        step(TRACED_MICRO_BATCHES)
        with open(path, "w") as file:
            file.write('{"traceEvents": []}')

    def products(self):
        return lambda: time.sleep(0.02)

    copies = products


def pack(path):
    with open(path, "rb") as plain, gzip.open(path + ".gz", "wb", compresslevel=3) as packed:
        shutil.copyfileobj(plain, packed)
    os.remove(path)


def training(plan, work, args, name, compiled, micro_batch, recompute):
    """A phase of training: its trace first, then as many steps as its time holds."""
    def run(until):
        begin = plan.clock()
        step = work.step_of(compiled, micro_batch, recompute)
        step(TRACED_MICRO_BATCHES)  # compiles, and takes its memory
        warm = plan.clock()
        traced = False
        step(TRACED_MICRO_BATCHES)
        # Profiled it takes several times as long.
        if 10.0 * (plan.clock() - warm) < TRACE_SHARE * (until - begin):
            path = os.path.join(args.out, "traces", f"{name}.json")
            work.trace(path, step)
            pack(path)
            traced = True
        steps = plan.steps(until, lambda: step(args.global_batch // micro_batch),
                           args.global_batch * args.tokens, args.global_batch)
        return {"steps": steps, "traced": traced}

    return run


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="recording")
    parser.add_argument("--budget", type=float, default=200.0, help="seconds, all together")
    parser.add_argument("--idle", type=float, default=3.0, help="seconds between phases")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--hidden", type=int, default=1024)
    parser.add_argument("--heads", type=int, default=16)
    parser.add_argument("--tokens", type=int, default=1024)
    parser.add_argument("--vocabulary", type=int, default=50304)
    parser.add_argument("--global-batch", type=int, default=64)
    parser.add_argument("--dry", action="store_true", help="without a GPU: sleep in place of work")
    parser.add_argument("--dry-memory", type=int, default=0, help="micro-batch that runs out of memory there")
    args = parser.parse_args()
    os.makedirs(os.path.join(args.out, "traces"), exist_ok=True)
    shape = {key: getattr(args, key) for key in ("layers", "hidden", "heads", "tokens", "vocabulary")}
    plan = Plan(args.budget, os.path.join(args.out, "phases.json"), {"model": shape})
    work = (Dry if args.dry else Gpu)(args)
    plan.facts = {**work.facts(), "model": shape}

    trainings = [(compiled, micro_batch, recompute) for compiled in (False, True) for micro_batch in MICRO_BATCHES
                 for recompute in (False, True) if not recompute or (not compiled and micro_batch == 16)]
    # A first compilation takes half a minute, and longer than the next ones.
    weights = [1.8 if compiled and micro_batch == MICRO_BATCHES[0] else 1.0 for compiled, micro_batch, _ in trainings]
    loops = [("gemm", work.products), ("copy", work.copies)]
    plan.weigh([*weights, *([0.5] * len(loops)), 0.3])
    for (compiled, micro_batch, recompute), weight in zip(trainings, weights):
        name = f"{'compiled' if compiled else 'eager'}-{micro_batch}" + ("-recompute" if recompute else "")
        plan.phase(name, weight, training(plan, work, args, name, compiled, micro_batch, recompute), args.idle,
                   micro_batch=micro_batch, global_batch=args.global_batch, tokens=args.tokens, compiled=compiled,
                   recompute=recompute)
        work.forget()
    for name, loop in loops:
        plan.phase(name, 0.5, lambda until, loop=loop: {"steps": plan.steps(until, loop())}, args.idle)
        work.forget()
    plan.phase("idle", 0.3, lambda until: plan.sleep(max(until - plan.clock(), 0.0)))


if __name__ == "__main__":
    main()
