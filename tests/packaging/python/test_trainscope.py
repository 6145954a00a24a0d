"""test_trainscope.py MODULE CLI EXTENSION: packaging/python/trainscope.py against a database whose numbers are planted."""

import gc
import importlib.util
import json
import math
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import types
import unittest
import warnings

MODULE, CLI, EXTENSION = (os.path.abspath(argument) for argument in sys.argv[1:4])
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(MODULE))
import trainscope  # noqa: E402

SECOND = 1_000_000_000
START = 1_700_000_000


def cli(*arguments):
    return subprocess.run([CLI, *arguments], check=True, capture_output=True, text=True).stdout


def log(path, gpus, seconds, watts):
    """A log of nvidia-smi: power watts(gpu, second) and 60 + gpu °C; None is a reading that failed."""
    with open(path, "w", encoding="utf-8") as out:
        out.write("timestamp, index, uuid, power.draw [W], temperature.gpu\n")
        for second in range(seconds):
            for gpu in range(gpus):
                power = watts(gpu, second)
                out.write(f"2023/11/14 22:{13 + (20 + second) // 60:02}:{(20 + second) % 60:02}.000, {gpu}, GPU-{gpu}abc, "
                          f"{'[N/A]' if power is None else f'{power:.2f} W'}, {60 + gpu}\n")


class Planted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "my 'runs' é.trainscope")  # a blank, quotes and a letter
        first = os.path.join(cls.folder.name, "a.csv")
        log(first, 2, 120, lambda gpu, second: None if (gpu, second) == (1, 7) else 100.0 * (gpu + 1) + second)
        second = os.path.join(cls.folder.name, "b.csv")
        log(second, 1, 60, lambda gpu, second: 500.0)
        cli("import", first, "--into", cls.path, "--name", "it's a")
        cli("import", second, "--into", cls.path, "--name", "7")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        os.environ["TRAINSCOPE_CLI"] = CLI
        self.db = trainscope.open(self.path, frames="columns")

    def fails(self, words, call, *arguments, **options):
        with self.assertRaises(trainscope.Error) as caught:
            call(*arguments, **options)
        for word in words:
            self.assertIn(word, str(caught.exception))
        return caught.exception.status


class Reading(Planted):
    def test_runs(self):
        runs = self.db.runs()
        self.assertEqual(sorted(runs["name"]), ["7", "it's a"])
        self.assertEqual([count for name, count in zip(runs["name"], runs["gpu_count"]) if name == "it's a"], [2])

    def test_samples_are_those_that_were_planted(self):
        samples = self.db.samples("gpu_power", run="it's a", rank=1)
        self.assertEqual(list(samples), ["run", "rank", "node", "device", "time_ns", "value"])
        expected = [200.0 + second for second in range(120)]
        expected[7] = None
        self.assertEqual(samples["value"], expected)
        self.assertEqual(samples["time_ns"][2] - samples["time_ns"][0], 2 * SECOND)
        self.assertEqual(set(samples["rank"]), {1})
        self.assertEqual(len(self.db.samples("gpu_power")["value"]), 2 * 120 + 60)
        # A name that is a number stays a name.
        self.assertEqual(set(self.db.samples("gpu_power", run="7")["run"]), {"7"})

    def test_answers_keep_their_types(self):
        answer = self.db.sql("-- a comment\nSELECT 1 AS whole, 0.1 + 0.2 AS number, '007' AS text, NULL AS missing, 'a\"b,\n]é' AS odd")
        self.assertEqual({name: values[0] for name, values in answer.items()},
                         {"whole": 1, "number": 0.1 + 0.2, "text": "007", "missing": None, "odd": 'a"b,\n]é'})

    def test_nothing_is_a_table_with_its_columns(self):
        self.assertEqual(self.db.sql("SELECT rank, value FROM samples WHERE rank = 99"), {"rank": [], "value": []})

    def test_findings_equal_the_command_line(self):
        printed = json.loads(cli("findings", self.path, "--run", "it's a", "--json"))["findings"]
        found = self.db.findings("it's a")
        self.assertEqual(found.get("text", []), [one["text"] for one in printed])
        self.assertEqual(found.get("start_ns", []), [one["evidence"]["start_ns"] for one in printed])
        self.assertNotIn("evidence", found)

    def test_any_command(self):
        summary = self.db.ask("summary", run=["it's a", "7"])["runs"]
        self.assertEqual([run["name"] for run in summary], ["it's a", "7"])
        self.assertAlmostEqual(summary[1]["metrics"]["gpu_power"]["mean"], 500.0)

    def test_history_has_a_row_for_each_gpu_and_run(self):
        history = self.db.history()
        self.assertEqual(sorted(zip(history["uuid"], history["run"])),
                         [("GPU-0abc", "7"), ("GPU-0abc", "it's a"), ("GPU-1abc", "it's a")])

    def test_figures_are_pictures(self):
        figure = self.db.figure("timeline", run="it's a", width_mm=120, theme="light")
        self.assertTrue(figure._repr_svg_().lstrip().startswith("<"))
        self.assertIn("</svg>", figure.svg)

    def test_the_extension(self):
        if not hasattr(sqlite3.Connection, "enable_load_extension") or os.environ.get("TRAINSCOPE_SANITIZED"):
            self.skipTest("this Python loads no extensions of SQLite, or none with a sanitizer")
        with self.assertRaises(sqlite3.OperationalError):  # read-only
            self.db.connect(EXTENSION).execute("DELETE FROM run")
        answer = self.db.connect(EXTENSION).execute("SELECT max(value) FROM samples WHERE metric = 'gpu_power' AND rank = 1")
        self.assertEqual(answer.fetchone()[0], 319.0)
        self.fails(["cannot be loaded"], self.db.connect, "/nowhere.so")


class Frames(Planted):
    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("python3-pandas is not installed")
        for db in (trainscope.open(self.path), trainscope.open(self.path, frames="pandas")):
            frame = db.samples("gpu_power", run="it's a")
            self.assertIsInstance(frame, pandas.DataFrame)
            self.assertEqual(str(frame["time_ns"].dtype), "int64")
            self.assertEqual(str(frame["value"].dtype), "float64")
            self.assertEqual(int(frame["value"].isna().sum()), 1)
            self.assertTrue(math.isclose(frame[frame["rank"] == 0]["value"].mean(), 100.0 + 119 / 2))
        self.assertEqual(list(db.sql("SELECT 1 AS a WHERE 0").columns), ["a"])

    def test_polars(self):
        asked = {}

        class DataFrame:
            def __init__(self, rows, **options):
                asked.update(options, rows=rows)
        stub = types.ModuleType("polars")
        stub.DataFrame = DataFrame
        before = sys.modules.get("polars")
        sys.modules["polars"] = stub
        try:
            self.assertIsInstance(trainscope.open(self.path, frames="polars").sql("SELECT 1 AS a, 'x' AS b"), DataFrame)
        finally:
            sys.modules.pop("polars")
            if before:
                sys.modules["polars"] = before
        self.assertEqual(asked, {"rows": [[1, "x"]], "schema": ["a", "b"], "orient": "row", "infer_schema_length": None})

    def test_none_of_them(self):
        hidden = {name: sys.modules.get(name) for name in ("pandas", "polars")}
        sys.modules.update(dict.fromkeys(hidden))  # None: an import fails
        try:
            self.assertEqual(trainscope.open(self.path).sql("SELECT 1 AS a"), {"a": [1]})
            self.fails(["pandas is not installed"], trainscope.open(self.path, frames="pandas").sql, "SELECT 1")
        finally:
            for name, module in hidden.items():
                sys.modules.pop(name)
                if module:
                    sys.modules[name] = module
        self.fails(["not \"arrow\""], trainscope.open, self.path, frames="arrow")


class Errors(Planted):
    def test_what_cannot_be_opened(self):
        self.assertEqual(self.fails(["no such file"], trainscope.open, os.path.join(self.folder.name, "nowhere")), 3)
        text = os.path.join(self.folder.name, "text")
        with open(text, "w", encoding="utf-8") as out:
            out.write("no database, but longer than a head of one " * 100)
        self.assertEqual(self.fails(["not a Trainscope database"], trainscope.open, text), 4)
        newer = os.path.join(self.folder.name, "newer.trainscope")
        with open(self.path, "rb") as file:
            application = int.from_bytes(file.read(72)[68:], "big")  # https://www.sqlite.org/fileformat.html
        made = sqlite3.connect(newer)
        made.executescript(f"PRAGMA application_id = {application}; PRAGMA user_version = 9999; CREATE TABLE t(a);")
        made.close()
        self.assertEqual(self.fails(["newer"], trainscope.open, newer), 4)

    def test_what_is_not_there(self):
        self.fails(["There is no run 'zz'", "it's a"], self.db.samples, "gpu_power", run="zz")
        self.assertEqual(self.fails(["There is no run 'zz'"], self.db.findings, "zz"), 2)
        self.fails(["no samples of watts", "gpu_power"], self.db.samples, "watts")
        self.assertEqual(self.fails(["no such column"], self.db.sql, "SELECT nope FROM run"), 2)
        self.assertEqual(self.fails(["nope", "timeline"], self.db.figure, "nope"), 2)
        self.assertEqual(self.fails(["no command"], self.db.ask, "nope"), 2)
        self.fails(["--run"], self.db.kernels)  # there are two

    def test_no_program(self):
        os.environ["TRAINSCOPE_CLI"] = "/nowhere/trainscope-cli"
        self.fails(["TRAINSCOPE_CLI", "/nowhere"], trainscope.open, self.path)
        del os.environ["TRAINSCOPE_CLI"]
        path = os.environ["PATH"]
        os.environ["PATH"] = ""
        try:
            self.fails(["PATH"], trainscope.open, self.path)
        finally:
            os.environ["PATH"] = path

    def program(self, text):
        path = os.path.join(self.folder.name, "program")
        with open(path, "w", encoding="utf-8") as out:
            out.write("#!/bin/sh\n" + text)
        os.chmod(path, stat.S_IRWXU)
        os.environ["TRAINSCOPE_CLI"] = path

    def test_answers_that_are_cut(self):
        for said in ("", '{"colu', '{"columns":["a"', '{"columns":["a"],"rows":[[1],[2', '{"columns":["a"],"rows":[[1],'):
            self.program(f"printf '%s' '{said}'")
            self.fails(["ends in its middle"], self.db.sql, "SELECT 1")
            self.program(f"printf '%s' '{said}'; echo 'error: x: the disk is gone' >&2; exit 3")
            self.assertEqual(self.fails(["x: the disk is gone"], self.db.sql, "SELECT 1"), 3)
        self.program("kill -9 $$")
        self.fails(["status -9"], self.db.ask, "info")

    def test_done_in_part_warns(self):
        self.program("echo '{}'; echo 'warning: two rows are missing' >&2; exit 1")
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            self.assertEqual(self.db.ask("info"), {})
        self.assertEqual([str(one.message) for one in told if one.category is UserWarning], ["two rows are missing"])

    def test_no_word_of_an_answer_is_an_option(self):
        self.program('for word; do printf "%s|" "$word" >&2; done; exit 2')
        said = self.fails([], self.db.ask, "summary", run="--json") or ""
        with self.assertRaises(trainscope.Error) as caught:
            self.db.ask("kernels", run="--into", capture=None, steady=True, from_=2)
        self.assertEqual(str(caught.exception), f"kernels|{self.path}|--run=--into|--steady|--from=2|--json|")
        self.assertEqual(said, 2)


class Streams(Planted):
    ROWS = 120_000
    QUERY = f"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {ROWS}) SELECT i, 'text ' || i AS t FROM n"

    def test_parts(self):
        parts = list(self.db.sql(self.QUERY, chunk=50_000))
        self.assertEqual([len(part["i"]) for part in parts], [50_000, 50_000, 20_000])
        self.assertEqual(parts[2]["i"][-1], self.ROWS - 1)
        self.assertEqual(parts[1]["t"][0], "text 50000")

    def test_memory_does_not_grow_with_the_answer(self):
        import tracemalloc
        tracemalloc.start()
        count = sum(1 for _ in self.db.rows(self.QUERY)) - 1
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        self.assertEqual(count, self.ROWS)
        self.assertLess(most, 4_000_000)

    def test_who_stops_reading_ends_the_program(self):
        rows = self.db.rows(self.QUERY)
        next(rows)
        process = rows.gi_frame.f_locals["running"]._process
        rows.close()
        gc.collect()
        self.assertIsNotNone(process.poll())

    def test_pieces_may_end_anywhere(self):
        answer = [["a", "b"], [1, "x,]é"], [None, -2.5e-3], [[], {}]]
        text = json.dumps({"columns": answer[0], "rows": answer[1:]}, separators=(",", ":"))
        for size in range(1, 12):
            pieces = iter([text[i:i + size] for i in range(0, len(text), size)])
            self.assertEqual(list(trainscope._rows(pieces)), answer)
        self.assertEqual(list(trainscope._rows(iter(['{"columns":["a"],"rows":[]}']))), [["a"]])


class Found(Planted):
    def test_beside_the_module(self):
        """As the bundle has it: the module in a folder below the program's."""
        folder = os.path.join(self.folder.name, "a bundle")
        os.makedirs(os.path.join(folder, "python"))
        module = shutil.copy(MODULE, os.path.join(folder, "python"))
        program = os.path.join(folder, "trainscope-cli")
        with open(program, "w", encoding="utf-8") as out:
            out.write(f"#!/bin/sh\nexec '{CLI}' \"$@\"\n")
        os.chmod(program, stat.S_IRWXU)
        del os.environ["TRAINSCOPE_CLI"]
        spec = importlib.util.spec_from_file_location("bundled", module)
        bundled = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(bundled)
        self.assertEqual(bundled.program(), program)
        self.assertEqual(sorted(bundled.open(self.path, frames="columns").runs()["name"]), ["7", "it's a"])

    def test_on_the_path(self):
        del os.environ["TRAINSCOPE_CLI"]
        path = os.environ["PATH"]
        os.environ["PATH"] = os.path.dirname(CLI)
        try:
            self.assertEqual(trainscope.program(), CLI)
        finally:
            os.environ["PATH"] = path


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=1)
