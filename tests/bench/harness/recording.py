"""Recording: what it takes from the training beside it."""


def measure(table, figures, make, full):
    """Milliseconds of processor time for a second of samples; 10 are 1 % of a core."""
    del make, full
    for rate, limit in ((20, 10), (100, None)):
        table.times_faster("record", f"8 GPUs at {rate} Hz, processor time for a second",
                           figures.counter(f"recordSamples/{rate}", "ms_per_s"), figures.counter(f"recordRows/{rate}", "ms_per_s"),
                           "a row per sample", limit=limit)
    table.plain("record", "8 GPUs at 100 Hz, samples a second", figures.counter("recordSamples/100", "samples_per_s"), "/s")
