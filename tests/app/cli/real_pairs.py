#!/usr/bin/python3
"""Pairs of traces of one job before and after a change of it: what `trainscope-cli replay` foretells from the one when
the graph is changed as the job was, against what the other measured.

real_pairs.py PROGRAM"""
import os
import pathlib
import sys
import tempfile

from planted_steps import Program

RECORDING = "h100_recording/training/traces"
SAMPLES = "kineto/pytorch_kineto/tb_resnet50_w"
# First dimensions of what is done to the weights once a micro-batch: of the GPT of the recording.
WEIGHTS = [[3072, 1024], [1024, 3072], [1024, 1024], [4096, 1024], [1024, 4096], [50304, 1024], [1024, 50304], [1024],
           [3072], [4096]]


class Traces:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def imported(self, path, name):
        database = self.folder / f"{name}.trainscope"
        if not database.exists():
            self.program.run("import", path, "--into", database, "--name", name)
        return database


def kernel_seconds(program, database, capture):
    rank = program.json("kernels", database, "--run", "training", "--capture", capture)["ranks"][0]
    return {name: category["time_us"] * 1e-6 for name, category in rank["categories"].items()}


def once_a_micro_batch(program, database, capture):
    """Share of the time of copies and of sums that is spent on weights and their gradients."""
    whole, weights = {}, {}
    for one in program.json("operators", database, "--run", "training", "--capture", capture)["ranks"][0]["operators"]:
        name, seconds = one["name"], one["kernel_time_us"] * 1e-6
        whole[name] = whole.get(name, 0) + seconds
        if one["input_dims"] and one["input_dims"][0] in WEIGHTS:
            weights[name] = weights.get(name, 0) + seconds
    return {name: weights[name] / whole[name] for name in ("aten::copy_", "aten::add_")}


def pairs(program, shared, folder):
    """(name, database, options, changes, database and options of what was measured, most that it may be off, whether the
    interval holds it)."""
    traces = Traces(program, folder)
    h100 = traces.imported(shared / RECORDING, "training")

    def capture(name):
        return h100, ("--run", "training", "--capture", name)

    yield "no recomputation", *capture("eager-16-recompute"), ["recompute=off"], capture("eager-16"), 0.02, True
    # Four micro-batches become one: its weights are converted once, its gradients added never. No change takes away the
    # gaps between kernels that are a quarter as many, 5.5 ms of the step: the interval just misses it.
    share = once_a_micro_batch(program, h100, "eager-16")
    yield ("micro-batch 16 to 64", *capture("eager-16"),
           [f"operator:aten::copy_={1 - 0.75 * share['aten::copy_']:.4f}x",
            f"operator:aten::add_={1 - share['aten::add_']:.4f}x"], capture("eager-64"), 0.04, False)
    # The compiler's kernels are known of its own trace alone: this asks the graph, not the compiler.
    before, after = (kernel_seconds(program, h100, name) for name in ("eager-16", "compiled-16"))
    yield ("eager to compiled", *capture("eager-16"),
           [f"category:{name}={after.get(name, 0) / before[name]:.4f}x" for name in before], capture("compiled-16"), 0.02,
           True)
    workers = [(traces.imported(shared / f"{SAMPLES}{count}_a.pt.trace.json.gz", f"workers{count}"), ())
               for count in (0, 4)]
    yield "0 to 4 workers", *workers[0], ["operator:enumerate(DataLoader)=0x"], workers[1], 0.12, True


def main(path):
    shared = pathlib.Path(os.environ.get("TRAINSCOPE_SHARED", "../shared")) / "data"
    if not shared.is_dir():
        print("SKIPPED: the shared real files are not there (TRAINSCOPE_SHARED)")
        return 0
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        program = Program(path, pathlib.Path(folder))
        for name, database, options, changes, (other, its), most, holds in pairs(program, shared, pathlib.Path(folder)):
            asked = [part for change in changes for part in ("--if", change)]
            foretold = program.json("replay", database, *options, *asked)
            measured = program.json("replay", other, *its)["measured_s"]
            low, high, seconds = (foretold[f"changed_{key}"] for key in ("low_s", "high_s", "s"))
            off = seconds / measured - 1
            is_right = abs(off) <= most and (low <= measured <= high or not holds)
            wrong += not is_right
            print(f"{name}: {foretold['measured_s'] * 1e3:.1f} ms; foretold {seconds * 1e3:.1f} ms ({low * 1e3:.1f} to "
                  f"{high * 1e3:.1f}), measured {measured * 1e3:.1f} ms, {off:+.1%}{'' if is_right else ' WRONG'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
