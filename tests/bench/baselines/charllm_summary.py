"""Mean and maximum of every telemetry file of a result tree, one pandas (else csv) reading per file."""
import csv
import pathlib
import sys
import time

try:
    import pandas
except ImportError:
    pandas = None


def with_pandas(path):
    table = pandas.read_csv(path, header=None, names=["time", "value"])
    table = table[table["value"] != -1]
    table["time"] = table["time"] - table["time"].iloc[0]
    return table["value"].mean(), table["value"].max()


def with_csv(path):
    with open(path, newline="") as file:
        values = [float(row[1]) for row in csv.reader(file) if row[1] != "-1"]
    return sum(values) / len(values), max(values)


def main():
    start = time.perf_counter()
    read = with_pandas if pandas else with_csv
    figures = {str(path): read(path) for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.csv"))}
    print(f"{time.perf_counter() - start:.6f} {'pandas' if pandas else 'csv'} {len(figures)}")


main()
