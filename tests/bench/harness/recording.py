"""Recording: what it takes from the training beside it."""


def measure(table, figures, make, full):
    """Of a core, behind calls that cost what a real driver's cost; 10 ms in a second are 1 % of one."""
    del make, full
    for rate, limit in ((20, 0.2), (100, 0.6)):
        for gpus in (1, 8):
            name = f"recordSamples/{gpus}/{rate}"
            case = f"{gpus} GPU{'s' if gpus > 1 else ''} at {rate} Hz"
            table.at_most("record", f"{case}, of a core per GPU", figures.counter(name, "percent_per_gpu"), "%", limit)
            table.plain("record", f"{case}, of that the driver's calls", figures.counter(name, "driver_percent_per_gpu"), "%")
            table.plain("record", f"{case}, of that commits", figures.counter(name, "commits_percent_per_gpu"), "%")
            table.at_most("record", f"{case}, rounds left out", figures.counter(name, "left_out"), "", 0)
        table.times_faster("record", f"8 GPUs at {rate} Hz, processor time for a second",
                           figures.counter(f"recordSamples/8/{rate}", "ms_per_s"), figures.counter(f"recordRows/8/{rate}", "ms_per_s"),
                           "a row per sample")
    table.plain("record", "8 GPUs at 100 Hz, samples a second", figures.counter("recordSamples/8/100", "samples_per_s"), "/s")
