"""Query: what a view reads, from the smallest to the largest database."""


def _size(number):
    return f"1e{len(str(number)) - 1}"


def measure(table, figures, make, full):
    del make, full
    smallest = 1_000_000
    for samples in figures.arguments("windowQuery"):
        if samples >= smallest:
            table.flat("query", f"64 x 1920 buckets over {_size(samples)} samples", figures.ms(f"windowQuery/{samples}"),
                       figures.ms(f"windowQuery/{smallest}"), f"{_size(smallest)} samples", 30)
    for samples in figures.arguments("rowTableWindow"):
        table.times_faster("query", f"against a row per sample, {_size(samples)} samples", figures.ms(f"windowQuery/{samples}"),
                           figures.ms(f"rowTableWindow/{samples}"), "SQLite, GROUP BY")
    table.at_most("query", "64 x 1920 buckets, slowest zoom", figures.ms("zoomQuery"), "ms", 30)
    spans = figures.arguments("spanTrack")
    for count in spans:
        table.flat("query", f"kernel track, {_size(count)} spans", figures.ms(f"spanTrack/{count}"),
                   figures.ms(f"spanTrack/{spans[0]}"), f"{_size(spans[0])} spans", 30)
    for count in figures.arguments("spanSearch"):
        table.at_most("query", f"search by kernel name, {_size(count)} spans", figures.ms(f"spanSearch/{count}"), "ms", 200)


def growth(figures):
    """Cost by size, for each query that is measured at several."""
    works = {"window of 64 x 1920 buckets, by samples": "windowQuery", "the same of a counter's rate, by samples": "rateWindow",
             "the same from a row per sample, by samples": "rowTableWindow", "kernel track, by spans": "spanTrack",
             "search by kernel name, by spans": "spanSearch"}
    tables = {work: [(size, figures.ms(f"{name}/{size}")) for size in figures.arguments(name)] for work, name in works.items()}
    return {work: points for work, points in tables.items() if points}
