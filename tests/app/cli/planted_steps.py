#!/usr/bin/python3
"""Planted jobs, solved by brute force before and after a change, beside what `trainscope-cli replay` says of their
traces: the step as measured, replayed and changed, and who is waited for.

planted_steps.py PROGRAM [SHAPE...]"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from planted import kineto
from planted.shapes import SHAPES

MOST_OFF = 0.01


class Checks:
    """Rows of what was compared: shape, question, quantity, expected, answered, whether they agree."""

    def __init__(self):
        self.rows, self.worst = [], {}

    def near(self, shape, question, quantity, expected, answered):
        off = abs(answered / expected - 1)
        self.worst[quantity] = max(self.worst.get(quantity, (0, "")), (off, f"{shape} {question}"))
        self.rows.append((shape, question, quantity, f"{expected * 1e3:.4f} ms",
                          f"{answered * 1e3:.4f} ms ({answered / expected - 1:+.2%})", off <= MOST_OFF))

    def same(self, shape, question, quantity, expected, answered):
        self.rows.append((shape, question, quantity, str(expected), str(answered), expected == answered))

    def table(self):
        bad = [row[:5] for row in self.rows if not row[5]]
        rows = [("shape", "question", "quantity", "expected", "answered")] + bad
        widths = [max(len(row[column]) for row in rows) for column in range(5)]
        return "\n".join("  ".join(f"{cell:{width}}" for cell, width in zip(row, widths)).rstrip() for row in rows)


class Program:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def run(self, *arguments):
        done = subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, arguments))}: status {done.returncode}\n{done.stderr}{done.stdout}")
        return done.stdout

    def json(self, *arguments):
        return json.loads(self.run(*arguments, "--json"))

    def imported(self, name, planted):
        traces, database = self.folder / name, self.folder / f"{name}.trainscope"
        kineto.write(planted.job, traces, **planted.writing)
        self.run("import", traces, "--into", database, "--name", name)
        return database

    def replay(self, database, name, *changes):
        asked = [part for change in changes for part in ("--if", change)]
        return self.json("replay", database, "--run", name, *asked)


def check_waits(checks, name, causes, waits):
    named = {wait["rank"]: wait["cause"] for wait in waits if wait["cause"] != "unexplained"}
    checks.same(name, "", "causes of waiting", dict(sorted(causes.items())), dict(sorted(named.items())))


def check_shape(checks, program, name, planted):
    job = planted.job
    job.solve()
    database = program.imported(name, planted)
    answer = program.replay(database, name)
    indices = [one["index"] for one in answer["iterations"]]
    seconds = job.seconds(indices)
    for quantity in ("measured_s", "replayed_s"):
        checks.near(name, "", quantity, seconds, answer[quantity])
    if planted.causes is not None:
        check_waits(checks, name, planted.causes, answer.get("waits", []))
    for text, change in planted.changes:
        job.solve(change)
        checks.near(name, text, "changed_s", job.seconds(indices), program.replay(database, name, text)["changed_s"])


def main(path, *names):
    checks, begin, asked = Checks(), time.monotonic(), 0
    chosen = {name: make for name, make in SHAPES.items() if not names or name in names}
    with tempfile.TemporaryDirectory() as folder:
        program = Program(path, pathlib.Path(folder))
        for name, make in chosen.items():
            planted = make()
            asked += len(planted.changes)
            check_shape(checks, program, name, planted)
    print(f"{len(chosen)} shapes, {asked} changes, {len(checks.rows)} comparisons, {time.monotonic() - begin:.1f} s")
    for quantity, (off, case) in checks.worst.items():
        print(f"{quantity}: at most {off:.3%} off, {case}")
    if all(row[5] for row in checks.rows):
        return 0
    print(checks.table())
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
