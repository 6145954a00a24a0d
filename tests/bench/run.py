#!/usr/bin/env python3
"""Runs the benchmarks and prints each figure with its budget, its baseline in the same run and their ratio.

run.py --build FOLDER [--full] [--json]    FOLDER: build folder of preset "bench"
The quick version takes about two minutes once its inputs are made. --full goes to 1e9 samples, 1e8 spans and a trace of
10 GB (60 GB of free disk for the cache) and takes the median of several repetitions. --json prints one object.
"""
import argparse
import dataclasses
import json

from harness import frames, imports, machine, predictions, queries, recording, storage, table
from harness.figures import Figures
from harness.programs import Programs

# What only --full runs: the largest inputs.
LARGE = "(window(Query|Zoom)/1000000000|spanGroups/100000000|spanSearch.*/100000000|rowTableWindow/10000000)"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=".build/bench")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    make = Programs(options.build)
    figures = Figures(make, skip="" if options.full else LARGE, repetitions=3 if options.full else 1)
    rows = table.Table()
    for part in (imports, storage, recording, queries, predictions, frames, machine):
        part.measure(rows, figures, make, options.full)
    growth = queries.growth(figures)
    if options.json:
        print(json.dumps({"rows": [dataclasses.asdict(row) for row in rows.rows], "not_measured": rows.absent,
                          "growth_ms": growth}))
    else:
        table.print_rows(rows)
        table.print_growth(growth)


main()
