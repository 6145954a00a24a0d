"""Frame and start: what the eye waits for."""
from . import processes


def measure(table, figures, make, full):
    ours = figures.ms("timelineFrame")
    table.times_faster("frame", "timeline, 64 GPUs, 1920x1080, to Qt Charts", ours, figures.ms("qtChartsFrame"), "Qt Charts", 15)
    table.times_faster("frame", "timeline, 64 GPUs, 1920x1080, to QCustomPlot", ours, figures.ms("qCustomPlotFrame"),
                       "QCustomPlot, adaptive sampling")
    for benchmark, what in (("windowFrame", "timeline, pan and zoom"), ("layoutFrame", "layout, playing")):
        for gpus in figures.arguments(benchmark):
            name = f"{benchmark}/{gpus}"
            table.at_most("frame", f"whole window, {what}, {gpus} GPUs, median", figures.counter(name, "median_ms"), "ms", 16.7)
            table.at_most("frame", f"whole window, {what}, {gpus} GPUs, p99", figures.counter(name, "p99_ms"), "ms", 33)
    table.times_faster("frame", "layout of 1,024 GPUs, new colours, to new geometry", figures.ms("diagramRecolour/0"),
                       figures.ms("diagramRebuild/0"), "built anew", 1.5)
    table.at_most("frame", "layout of 1,024 GPUs, new colours, painted", figures.ms("diagramRecolour/1"), "ms", 16.7)
    if not make.gui.exists():
        table.absent.append("start of the window")
        return
    empty = processes.window_start(make.gui)
    table.at_most("start", "to the first frame", empty and empty.first_ms, "ms", 500)
    samples = 1_000_000_000 if full else 100_000_000
    database = make.input("power", samples, 64)
    size = database.stat().st_size / 1e9
    opened = processes.window_start(make.gui, database)
    table.at_most("start", f"to the first frame, {size:.2g} GB database", opened and opened.first_ms, "ms", 800)
    timeline = processes.window_start(make.gui, database, "--view", "timeline")
    table.at_most("start", f"until the timeline is drawn, {size:.2g} GB database", timeline and timeline.settled_ms, "ms", 800)
    # An overview reads every sample; meanwhile the window tells how far it is.
    table.plain("start", f"until the overview is told, {size:.2g} GB database", opened and opened.settled_ms, "ms")
    table.at_most("memory", f"viewing a {size:.2g} GB database", opened and opened.peak_mb, "MB", 400)
