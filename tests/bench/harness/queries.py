"""Query: what a view reads, from the smallest to the largest database."""


SEARCHES = {"spanSearchFrequent": "frequent", "spanSearchOneName": "one of many names", "spanSearchRare": "rare", "spanSearchNone": "none"}


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
    for samples in figures.arguments("windowZoom"):
        table.flat("query", f"the same at its slowest zoom, {_size(samples)} samples", figures.counter(f"windowZoom/{samples}", "worst_ms"),
                   figures.counter(f"windowZoom/{smallest}", "worst_ms"), f"{_size(smallest)} samples", 30)
    sql = {"sqlAverage": "mean of a metric", "sqlGroups": "mean and extremes by metric and rank"}
    for name, work in sql.items():
        table.at_least("query", f"SQL statistics of samples, {work}", figures.million_s(name), "M/s", 20)
    table.plain("query", "SQL over samples, row by row", figures.million_s("sqlRows"), "M/s")
    table.plain("query", "SQL over samples, by minute", figures.million_s("sqlTimeGroups"), "M/s")
    table.times_faster("query", "SQL mean of 1e7 samples", figures.ms("sqlAverage"), figures.ms("sqlPlainTable"), "SQLite, a row per sample")
    spans = figures.arguments("spanGroups")
    for count in spans:
        table.flat("query", f"kernel track, mean of all zooms, {_size(count)} spans", _track(figures, count),
                   _track(figures, spans[0]), f"{_size(spans[0])} spans", 30)
    for kind in SEARCHES:
        for count in figures.arguments(kind)[-1:]:
            table.at_most("query", f"search by kernel name ({SEARCHES[kind]}), {_size(count)} spans", figures.ms(f"{kind}/{count}"), "ms", 200)
    _replays(table, figures)


def _replays(table, figures):
    small, large = "100000", "1000000"
    graph = figures.ms(f"replayGraph/{large}")
    table.at_most("replay", "graph of a step, 8 ranks x 1e6 spans", graph, "ms", 10_000)
    table.flat("replay", "a tenth of that", graph and graph / 10, figures.ms(f"replayGraph/{small}"), "1e5 spans a rank", 1_000)
    table.times_faster("replay", "graph of a step, to its spans one by one", graph, figures.ms(f"replaySpans/{large}"), "spans read")
    table.times_faster("replay", "another change of a step, 8 ranks x 1e5 spans", figures.ms(f"replayChange/{small}"),
                       figures.ms(f"replayGraph/{small}"), "its graph", limit=300)
    table.times_faster("replay", "another change of a step, 8 ranks x 1e6 spans", figures.ms(f"replayChange/{large}"), graph, "its graph")


def _track(figures, count):
    """ms of one window."""
    seconds = figures.counter(f"spanGroups/{count}", "window")
    return seconds and seconds * 1e3


def growth(figures):
    """Cost by size, for each query that is measured at several."""
    works = {"window of 64 x 1920 buckets, by samples": "windowQuery", "the same from a row per sample, by samples": "rowTableWindow",
             "search by kernel name, one of many, by spans": "spanSearchOneName"}
    tables = {work: [(size, figures.ms(f"{name}/{size}")) for size in figures.arguments(name)] for work, name in works.items()}
    tables["slowest zoom of 64 x 1920 buckets, by samples"] = [
        (size, figures.counter(f"windowZoom/{size}", "worst_ms")) for size in figures.arguments("windowZoom")]
    tables["window of a kernel track, by spans"] = [(size, _track(figures, size)) for size in figures.arguments("spanGroups")]
    return {work: points for work, points in tables.items() if points}
