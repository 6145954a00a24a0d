"""Import: from files to a database, its speed, memory and cancelling."""
import os

from . import baselines, processes, programs

MB = 1e6
STOPPED = 1  # exit status of an import that was interrupted


def _tree(table, figures, make):
    base, tool = baselines.script("charllm_summary.py", "pandas", make.input("telemetry", 32, 3000))
    table.times_faster("import", "result tree to summary, 320 files of 3,000 samples", figures.ms("treeToSummary/32/3000"), base, tool, 20)
    base, tool = baselines.script("charllm_summary.py", "pandas", make.input("telemetry", 4, 100000))
    table.times_faster("import", "result tree to summary, 40 files of 100,000 samples", figures.ms("treeToSummary/4/100000"), base, tool, 20)
    trace = make.input("trace", 60000)
    base, tool = baselines.script("kineto_kernels.py", "ijson", trace)
    table.times_faster("import", "Kineto trace to kernel table, 43 MB", figures.ms("traceToKernels/60000"), base, tool, 15)


def _rate(table, work, make, source, content=None):
    """One import as a process: MB/s of the content (the plain file of a compressed one), and its peak memory."""
    content = content or source
    size = sum(f.stat().st_size for f in content.rglob("*.csv")) if content.is_dir() else content.stat().st_size
    database = programs.scratch("import.trainscope")
    done = processes.run([make.cli, "import", source, "--into", database])
    if done.status != 0:
        table.absent.append(work)
        return
    table.plain("import", f"{work}, {size / 1e9:.2g} GB", size / MB / (done.wall_ms / 1e3), "MB/s")
    table.at_most("memory", f"importing {work}, {size / 1e9:.2g} GB", done.peak_mb, "MB", 512)


def _threads(table, make, source):
    """What a second processor brings: the same import on one and on all."""
    one = processes.best([make.cli, "import", source, "--into", programs.scratch("one.trainscope")], times=2, threads=1, pinned={0})
    many = processes.best([make.cli, "import", source, "--into", programs.scratch("many.trainscope")], times=2)
    processors = len(os.sched_getaffinity(0))
    table.times_faster("import", f"Kineto trace on {processors} processors, {source.stat().st_size / MB:.0f} MB",
                       many and many.wall_ms, one and one.wall_ms, "one processor")


def cancelled_ms(runs):
    """The slowest of the interrupted imports; those that were done before (None, or with 0) do not count, and where
    one ended otherwise than an interrupted import does, nothing was measured."""
    late = [run for run in runs if run is not None and run.status != 0]
    if any(run.status != STOPPED for run in late):
        return None
    return max((run.wall_ms for run in late), default=None)


def _cancel(table, make, source):
    once = processes.run([make.cli, "import", source, "--into", programs.scratch("time.trainscope")])
    runs = [processes.interrupted([make.cli, "import", source, "--into", programs.scratch(f"cancel{i}.trainscope")],
                                  part * once.wall_ms / 1e3) for i, part in enumerate((0.2, 0.5, 0.8))]
    table.at_most("import", "cancel, slowest of three", cancelled_ms(runs) if once.status == 0 else None, "ms", 200)


def measure(table, figures, make, full):
    _tree(table, figures, make)
    ranks, rows, kernels = (64, 60000, 15_000_000) if full else (32, 10000, 600_000)
    _rate(table, "telemetry", make, make.input("telemetry", ranks, rows))
    trace = make.input("trace", kernels)
    _rate(table, "Kineto trace", make, trace)
    _rate(table, "Kineto trace .gz", make, programs.compressed(trace, ".gz", "gzip", "-1"), trace)
    _rate(table, "Kineto trace .zst", make, programs.compressed(trace, ".zst", "zstd", "-1", "-q"), trace)
    _rate(table, "Nsight Systems report", make, make.input("report", 6_500_000 if full else 600_000))
    table.plain("import", "answer of a monitoring engine, text to samples", figures.mb_s("engineAnswer"), "MB/s")
    table.at_most("import", "1920 columns of 64 linked GPUs from tiles", figures.ms("engineColumns"), "ms", 30)
    middle = make.input("trace", 600_000)
    _threads(table, make, middle)
    _cancel(table, make, middle)
