"""Storage: sizes, and how fast chunks are coded."""
KINDS = ("power", "counter", "utilisation")


def measure(table, figures, make, full):
    del make, full
    table.at_most("storage", "database, telemetry, per sample", figures.counter("treeToSummary/32/3000", "bytes_per_sample"), "B", 3)
    table.at_most("storage", "database, telemetry in long series, per sample",
                  figures.counter("treeToSummary/4/100000", "bytes_per_sample"), "B", 3)
    table.plain("storage", "a row per sample in SQLite, per sample", figures.counter("rowTableWindow/1000000", "bytes_per_sample"), "B")
    table.at_most("storage", "database, kernel trace, per span", figures.counter("spanWrite", "bytes_per_span"), "B", 12)
    for kind in KINDS:
        table.at_least("storage", f"chunk decoded, {kind}", figures.million_s(f"decodeChunk/{kind}"), "M/s", 500)
    for kind in KINDS:
        table.plain("storage", f"chunk encoded, {kind}", figures.million_s(f"encodeChunk/{kind}"), "M/s")
    table.plain("storage", "samples written and indexed", figures.million_s("storeWrite"), "M/s")
    table.plain("storage", "spans written and indexed", figures.million_s("spanWrite"), "M/s")
