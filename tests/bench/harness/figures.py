"""Google Benchmark's figures by name."""
import json
import re
import subprocess
import sys

_FACTOR = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}


class Figures:
    """ms("windowQuery/1000000"): wall milliseconds of one iteration, None when it did not run."""

    def __init__(self, programs, skip, repetitions):
        command = [str(programs.bench), "--benchmark_format=json", f"--benchmark_repetitions={repetitions}"]
        if repetitions > 1:
            command.append("--benchmark_report_aggregates_only=true")
        if skip:
            command.append(f"--benchmark_filter=-{skip}")
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        self._rows = {}
        for row in json.loads(done.stdout)["benchmarks"]:
            if row.get("aggregate_name", "median") != "median":
                continue
            name = re.sub(r"/(min_time|min_warmup_time|iterations|repeats|manual_time|real_time).*", "", row["run_name"])
            if row.get("error_occurred"):
                print(f"{name}: {row['error_message']}", file=sys.stderr)
            else:
                self._rows[name] = row

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
