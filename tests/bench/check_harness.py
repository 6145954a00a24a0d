"""What the harness makes of programs that fail: a figure of one that did not do its work is none."""
import contextlib
import io
import json
import pathlib
import tempfile
import types
import unittest

from harness import imports, processes
from harness.figures import Figures


class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def program(self, text):
        path = pathlib.Path(self.folder.name) / "program"
        path.write_text("#!/bin/sh\n" + text + "\n")
        path.chmod(0o755)
        return path

    def test_window_that_stays(self):
        start = processes.window_start(self.program("echo Frame rendered >&2; exec sleep 30"), rest_s=0.2)
        self.assertGreater(start.peak_mb, 0)
        self.assertGreater(start.first_ms, 0)

    def test_window_that_dies_behind_its_first_frame(self):
        for end in ("exit 0", "exit 3", "kill -SEGV $$"):
            self.assertIsNone(processes.window_start(self.program("echo Frame rendered >&2; " + end), rest_s=0.2))

    def test_window_that_draws_nothing(self):
        self.assertIsNone(processes.window_start(self.program("exec sleep 30"), rest_s=0.1, limit_s=0.3))

    def test_best_of_those_that_succeed(self):
        # Fails at once the first time, works for a while the second.
        once = self.program(f"[ -e {self.folder.name}/ran ] || {{ touch {self.folder.name}/ran; exit 3; }}; sleep 0.2")
        best = processes.best([once], times=2)
        self.assertEqual(best.status, 0)
        self.assertGreater(best.wall_ms, 200)
        self.assertIsNone(processes.best([self.program("exit 3")], times=2))

    def test_cancelled_imports(self):
        run = lambda ms, status: processes.Run(ms, 0, 0, status)
        self.assertEqual(imports.cancelled_ms([run(20, 1), run(30, 1), None]), 30)
        self.assertEqual(imports.cancelled_ms([run(20, 1), run(900, 0)]), 20)  # done before the signal came
        self.assertIsNone(imports.cancelled_ms([run(20, 1), run(1, -11)]))
        self.assertIsNone(imports.cancelled_ms([run(20, 1), run(1, -2)]))  # nobody caught the signal
        self.assertIsNone(imports.cancelled_ms([None]))

    def test_repetitions(self):
        # The second of three fails.
        row = lambda ms: json.dumps({"benchmarks": [{"run_name": "frame/8/iterations:1", "real_time": ms, "time_unit": "ms"}]})
        error = json.dumps({"benchmarks": [{"run_name": "frame/8", "error_occurred": True, "error_message": "did not open"}]})
        for number, text in enumerate((row(9), error, row(5), row(7)), 1):
            (pathlib.Path(self.folder.name) / str(number)).write_text(text)
        folder = self.folder.name
        bench = self.program(f"echo >>{folder}/runs; cat {folder}/$(wc -l <{folder}/runs)")
        with contextlib.redirect_stderr(io.StringIO()) as told:
            figures = Figures(types.SimpleNamespace(bench=bench), skip="", repetitions=4)
        self.assertEqual(told.getvalue(), "frame/8: did not open\n")
        self.assertEqual(figures.ms("frame/8"), 7)
        self.assertEqual(figures.arguments("frame"), [8])
        self.assertIsNone(figures.ms("frame/64"))

    def test_interrupted(self):
        run = processes.interrupted([self.program("trap 'exit 1' INT; while :; do sleep 0.05; done")], 0.3)
        self.assertEqual(run.status, 1)
        self.assertIsNone(processes.interrupted([self.program("exit 0")], 0.3))


unittest.main()
