"""Phases of a recording in a given time: each has a share, and stops when its share is used.

What a phase says goes into the marks of `trainscope-cli record` (TRAINSCOPE_MARKS) as it happens,
and begin and end of each into a JSON file that is whole after every phase.
"""

import json
import os
import time


class Plan:
    def __init__(self, budget, path, facts, clock=time.time, sleep=time.sleep):
        self.clock, self.sleep = clock, sleep
        self.end = clock() + budget
        self.path, self.facts = path, facts
        self.phases = []
        self.weight_left = 0.0
        self.step = 0
        self.marks = open(os.environ.get("TRAINSCOPE_MARKS", os.devnull), "w", buffering=1)

    def weigh(self, weights):
        """The weights of all phases to come."""
        self.weight_left = sum(weights)

    def left(self):
        return self.end - self.clock()

    def phase(self, name, weight, work, idle=0.0, **facts):
        """work(until) works to that moment, by steps; then a pause. Running out of memory ends it, and is noted."""
        share = max(self.left(), 0.0) * weight / max(self.weight_left, weight)
        self.weight_left -= weight
        begin = self.clock()
        entry = {"name": name, "begin": begin, **facts}
        if share <= idle:
            entry["left_out"] = "no time was left"
        else:
            print(f"phase {name}", file=self.marks)
            try:
                entry.update(work(begin + share - idle) or {})
            except Exception as error:  # of whatever kind PyTorch's version raises
                if "out of memory" not in str(error).lower():
                    raise
                entry["left_out"] = "out of memory"
            print("end", file=self.marks)
        entry["end"] = self.clock()
        self.phases.append(entry)
        self.write()
        if "left_out" not in entry:
            self.sleep(min(idle, max(self.left(), 0.0)))

    def steps(self, until, step, tokens=0, samples=0):
        """Calls step() again and again, each marked, as long as another one of the longest so far fits."""
        longest = 0.0
        count = 0
        amounts = f" tokens={tokens} samples={samples}" if tokens else ""
        while self.clock() + longest < until or count == 0:
            self.step += 1
            print(f"{self.step}{amounts}", file=self.marks)
            begin = self.clock()
            loss = step()
            if count > 0:  # the first one may compile
                longest = max(longest, self.clock() - begin)
            count += 1
            if loss is not None:
                print(f"loss={loss:.4f}", file=self.marks)
        return count

    def write(self):
        with open(self.path + ".new", "w") as file:
            json.dump({**self.facts, "phases": self.phases}, file, indent=1)
        os.replace(self.path + ".new", self.path)
