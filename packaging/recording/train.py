#!/usr/bin/env python3
"""A small GPT in phases, to be recorded: batch sizes, recomputation, power, memory, idle.

Needs PyTorch with CUDA. Writes OUT/phases.json (begin and end of each phase, Unix seconds) and a
Kineto trace of three iterations of each training phase, OUT/traces/<phase>.json.gz. Marks the begin
of each iteration in the pipe that TRAINSCOPE_MARKS names.
"""

import argparse
import gzip
import json
import os
import shutil
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.profiler import ProfilerActivity, profile
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.heads = heads
        self.attention_norm = nn.LayerNorm(hidden)
        self.qkv = nn.Linear(hidden, 3 * hidden)
        self.projection = nn.Linear(hidden, hidden)
        self.mlp_norm = nn.LayerNorm(hidden)
        self.up = nn.Linear(hidden, 4 * hidden)
        self.down = nn.Linear(4 * hidden, hidden)

    def forward(self, x):
        batch, tokens, hidden = x.shape
        qkv = self.qkv(self.attention_norm(x)).view(batch, tokens, 3, self.heads, -1)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.projection(attended.transpose(1, 2).reshape(batch, tokens, hidden))
        return x + self.down(F.gelu(self.up(self.mlp_norm(x))))


class Gpt(nn.Module):
    def __init__(self, layers, hidden, heads, vocabulary, tokens):
        super().__init__()
        self.words = nn.Embedding(vocabulary, hidden)
        self.places = nn.Embedding(tokens, hidden)
        self.blocks = nn.ModuleList(Block(hidden, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(hidden)
        self.head = nn.Linear(hidden, vocabulary, bias=False)
        self.recompute = False

    def forward(self, tokens):
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if self.recompute else block(x)
        return self.head(self.norm(x))


class Run:
    def __init__(self, out, seconds, idle):
        self.out, self.seconds, self.idle = out, seconds, idle
        self.phases = []
        self.iteration = 0
        self.marks = open(os.environ.get("TRAINSCOPE_MARKS", os.devnull), "w", buffering=1)

    def phase(self, name, step, trace=False, **facts):
        """`step` again and again, then a pause."""
        if trace:
            self.trace(name, step)
        begin = time.time()
        while time.time() < begin + self.seconds:
            self.iteration += 1
            print(self.iteration, file=self.marks)
            step()
            torch.cuda.synchronize()
        print("end", file=self.marks)
        self.phases.append({"name": name, "begin": begin, "end": time.time(), **facts})
        time.sleep(self.idle)

    def trace(self, name, step):
        activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
        step()
        torch.cuda.synchronize()
        with profile(activities=activities, record_shapes=True) as profiler:
            for _ in range(3):
                step()
                profiler.step()
            torch.cuda.synchronize()
        path = os.path.join(self.out, "traces", f"{name}.json")
        profiler.export_chrome_trace(path)
        with open(path, "rb") as plain, gzip.open(path + ".gz", "wb") as packed:
            shutil.copyfileobj(plain, packed)
        os.remove(path)


def trainer(model, optimizer, global_batch, micro_batch, tokens, vocabulary):
    data = torch.randint(vocabulary, (micro_batch, tokens + 1), device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        for _ in range(global_batch // micro_batch):
            with torch.autocast("cuda", torch.bfloat16):
                logits = model(data[:, :-1])
                loss = F.cross_entropy(logits.flatten(0, 1), data[:, 1:].flatten())
            loss.backward()
        optimizer.step()

    return step


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="recording")
    parser.add_argument("--seconds", type=float, default=25.0, help="of a phase")
    parser.add_argument("--idle", type=float, default=10.0, help="seconds between phases")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--hidden", type=int, default=1024)
    parser.add_argument("--heads", type=int, default=16)
    parser.add_argument("--tokens", type=int, default=1024)
    parser.add_argument("--vocabulary", type=int, default=50304)
    parser.add_argument("--global-batch", type=int, default=64)
    args = parser.parse_args()
    os.makedirs(os.path.join(args.out, "traces"), exist_ok=True)

    torch.manual_seed(0)
    model = Gpt(args.layers, args.hidden, args.heads, args.vocabulary, args.tokens).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    run = Run(args.out, args.seconds, args.idle)
    time.sleep(args.idle)
    for compiled in (False, True):
        trained = torch.compile(model) if compiled else model
        for micro_batch in (1, 4, 16, 64):
            for recompute in (False, True):
                if recompute and (compiled or micro_batch != 16):
                    continue
                model.recompute = recompute
                name = f"{'compiled' if compiled else 'eager'}-{micro_batch}" + (
                    "-recompute" if recompute else "")
                step = trainer(trained, optimizer, args.global_batch, micro_batch, args.tokens,
                               args.vocabulary)
                run.phase(name, step, trace=True, micro_batch=micro_batch,
                          global_batch=args.global_batch, tokens=args.tokens, compiled=compiled,
                          recompute=recompute)
    square = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    run.phase("gemm", lambda: [square @ square for _ in range(50)])
    large = torch.empty(2**30, device="cuda", dtype=torch.int8)
    target = torch.empty_like(large)
    run.phase("copy", lambda: [target.copy_(large) for _ in range(50)])
    run.phase("idle", lambda: time.sleep(0.5))
    with open(os.path.join(args.out, "phases.json"), "w") as file:
        json.dump({"gpu": torch.cuda.get_device_name(), "torch": torch.__version__,
                   "model": {key: getattr(args, key) for key in
                             ("layers", "hidden", "heads", "tokens", "vocabulary")},
                   "phases": run.phases}, file, indent=1)


if __name__ == "__main__":
    main()
