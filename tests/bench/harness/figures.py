"""Google Benchmark's figures by name."""
import json
import re
import subprocess
import sys

_FACTOR = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}


def median(rows):
    """The row in the middle by time."""
    return sorted(rows, key=lambda row: row["real_time"])[len(rows) // 2]


class Figures:
    """ms("windowQuery/1000000"): wall milliseconds of one iteration, None when it did not run."""

    def __init__(self, programs, skip, repetitions):
        command = [str(programs.bench), "--benchmark_format=json"]
        if skip:
            command.append(f"--benchmark_filter=-{skip}")
        measured = {}
        # Google Benchmark's own repetitions end the program where one of them fails.
        for _ in range(repetitions):
            done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
            for row in json.loads(done.stdout)["benchmarks"]:
                name = re.sub(r"/(min_time|min_warmup_time|iterations|repeats|manual_time|real_time).*", "", row["run_name"])
                if row.get("error_occurred"):
                    print(f"{name}: {row['error_message']}", file=sys.stderr)
                else:
                    measured.setdefault(name, []).append(row)
        self._rows = {name: median(rows) for name, rows in measured.items()}

    def ms(self, name):
        row = self._rows.get(name)
        return row and row["real_time"] * _FACTOR[row["time_unit"]]

    def counter(self, name, key):
        return self._rows.get(name, {}).get(key)

    def mb_s(self, name):
        rate = self.counter(name, "bytes_per_second")
        return rate and rate / 1e6

    def million_s(self, name):
        rate = self.counter(name, "items_per_second")
        return rate and rate / 1e6

    def arguments(self, prefix):
        """The numbers n for which prefix/n was measured, ascending."""
        found = (re.fullmatch(re.escape(prefix) + r"/(\d+)", name) for name in self._rows)
        return sorted(int(match.group(1)) for match in found if match)
