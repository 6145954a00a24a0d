"""Storage: sizes, and how fast chunks are coded."""
KINDS = ("power", "counter", "utilisation")


def _both(figures, values, times):
    """Samples a second where both columns of a chunk are coded one after the other."""
    return 1.0 / (1.0 / values + 1.0 / times) if values and times else None


def measure(table, figures, make, full):
    del make, full
    table.at_most("storage", "database, telemetry, per sample", figures.counter("treeToSummary/32/3000", "bytes_per_sample"), "B", 3)
    table.at_most("storage", "database, telemetry in long series, per sample",
                  figures.counter("treeToSummary/4/100000", "bytes_per_sample"), "B", 3)
    table.plain("storage", "a row per sample in SQLite, per sample", figures.counter("rowTableWindow/1000000", "bytes_per_sample"), "B")
    table.at_most("storage", "database, kernel trace, per span", figures.counter("spanWrite/1000000", "bytes_per_span"), "B", 12)
    for clock in ("jitter", "clock"):
        times = figures.million_s(f"decodeTimesOf/{clock}")
        for kind in KINDS:
            table.at_least("storage", f"chunk decoded, {kind}, stamps: {clock}",
                           _both(figures, figures.million_s(f"decodeValuesOf/{kind}"), times), "M/s", 500)
    times = figures.million_s("encodeTimesOf/jitter")
    for kind in KINDS:
        table.plain("storage", f"chunk encoded, {kind}, stamps: jitter", _both(figures, figures.million_s(f"encodeValuesOf/{kind}"), times), "M/s")
    table.plain("storage", "samples written and indexed", figures.million_s("storeWrite"), "M/s")
    table.plain("storage", "spans written and indexed", figures.million_s("spanWrite/1000000"), "M/s")
    table.plain("storage", "spans read one by one", figures.million_s("spanScan/10000000"), "M/s")
