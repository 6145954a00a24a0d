#!/usr/bin/env python3
"""Runs the benchmarks and prints each figure with its budget, its baseline and their ratio.

run.py --build FOLDER [--full] [--json]    FOLDER: build folder of preset "bench"
--full repeats every measurement and takes the median; --json prints one object.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return pathlib.Path(base) / "trainscope-bench" / "v2"


def run_benchmarks(build, full):
    program = pathlib.Path(build) / "tests" / "bench" / "trainscope_bench"
    command = [str(program), "--benchmark_format=json"]
    if full:
        command += ["--benchmark_repetitions=5", "--benchmark_report_aggregates_only=true"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    figures = {}
    for row in json.loads(done.stdout)["benchmarks"]:
        if full and row.get("aggregate_name") != "median":
            continue
        name = row["run_name"].split("/min_time")[0]
        if row.get("error_occurred"):
            print(f"{name}: {row['error_message']}", file=sys.stderr)
            continue
        figures[name] = row
    return figures


def interpreter_with(module):
    """The first Python that has the module; without any, this one (the script then uses the standard library)."""
    for python in (sys.executable, "/usr/bin/python3", shutil.which("python3")):
        if python and os.path.exists(python) and subprocess.run([python, "-c", f"import {module}"], stderr=subprocess.DEVNULL).returncode == 0:
            return python
    return sys.executable


def baseline(script, module, source):
    """Best of two runs, in ms, without the start of the interpreter; and what it was read with."""
    python = interpreter_with(module)
    best, tool = None, ""
    for _ in range(2):
        done = subprocess.run([python, str(HERE / "baselines" / script), str(source)], stdout=subprocess.PIPE, check=True, text=True)
        seconds, tool, _count = done.stdout.split()
        best = min(best or 1e9, float(seconds) * 1e3)
    return best, tool


def ratio_row(what, figures, name, base_ms, base_name, factor):
    ours = figures[name]["real_time"]
    ratio = base_ms / ours
    return {"what": what, "figure": ours, "unit": "ms", "baseline": base_ms, "baseline_name": base_name,
            "ratio": ratio, "budget": f">= {factor} x", "met": ratio >= factor}


def rows_of(figures):
    rows = []
    if "treeToSummary/32/3000" in figures:
        base_ms, tool = baseline("charllm_summary.py", "pandas", cache_folder() / "telemetry_32x3000")
        rows.append(ratio_row("result tree to summary", figures, "treeToSummary/32/3000", base_ms, tool, 20))
        size = figures["treeToSummary/32/3000"]["bytes_per_sample"]
        rows.append({"what": "database size per sample", "figure": size, "unit": "B", "budget": "<= 3 B", "met": size <= 3})
    if "traceToKernels/60000" in figures:
        base_ms, tool = baseline("kineto_kernels.py", "ijson", cache_folder() / "trace_60000.json")
        rows.append(ratio_row("Kineto trace to kernel table", figures, "traceToKernels/60000", base_ms, tool, 15))
    first = figures.get("windowQuery/1000000", {}).get("real_time")
    for samples in (100_000, 1_000_000, 10_000_000):
        row = figures.get(f"windowQuery/{samples}")
        if row is None:
            continue
        entry = {"what": f"window of 64 x 1920 buckets, {samples:.0e} samples", "figure": row["real_time"], "unit": "ms",
                 "budget": "<= 30 ms", "met": row["real_time"] <= 30}
        if samples > 1_000_000 and first:
            entry.update(baseline=first, baseline_name="1e6 samples", ratio=row["real_time"] / first,
                         budget="<= 30 ms, <= 1.5 x", met=row["real_time"] <= 30 and row["real_time"] <= 1.5 * first)
        rows.append(entry)
    frame = figures.get("timelineFrame", {}).get("real_time")
    charts = figures.get("qtChartsFrame", {}).get("real_time")
    if frame and charts:
        rows.append({"what": "timeline frame, 64 GPUs, 1920x1080", "figure": frame, "unit": "ms", "baseline": charts,
                     "baseline_name": "Qt Charts", "ratio": charts / frame, "budget": "<= 16.7 ms, >= 15 x",
                     "met": frame <= 16.7 and charts / frame >= 15})
    return rows


def print_table(rows):
    print(f"{'work':46} {'figure':>12} {'budget':>20} {'baseline':>22} {'ratio':>8}  met")
    for row in rows:
        base = f"{row['baseline']:.1f} ms ({row['baseline_name']})" if "baseline" in row else "-"
        ratio = f"{row['ratio']:.1f}" if "ratio" in row else "-"
        figure = f"{row['figure']:.2f} {row['unit']}"
        print(f"{row['what']:46} {figure:>12} {row['budget']:>20} {base:>22} {ratio:>8}  {'yes' if row['met'] else 'NO'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=".build/bench")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = rows_of(run_benchmarks(options.build, options.full))
    if options.json:
        print(json.dumps({"rows": rows}))
    else:
        print_table(rows)


main()
