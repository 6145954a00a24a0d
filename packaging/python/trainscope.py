"""Run databases of Trainscope in Python and notebooks.

    import trainscope
    db = trainscope.open("runs.trainscope")
    db.runs()
    db.samples("gpu_power", run="a")
    db.kernels("a"), db.findings("a"), db.figure("timeline", run="a")
    db.sql("SELECT rank, mean, max FROM sample_statistics WHERE metric = 'gpu_power'")

Every number is the command line's: this module starts `trainscope-cli` (or `trainscope-node`, which has no figures) and
reads what it prints. The program is TRAINSCOPE_CLI, else the one beside this file, else the one on PATH. Tables are
frames of pandas, else of polars, else dicts of lists. All is in SI units, times in ns since the Unix epoch.
"""

from __future__ import annotations

import importlib
import itertools
import json
import os
import platform
import shutil
import sqlite3
import subprocess
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Optional, Union

__all__ = ["Database", "Error", "Figure", "open", "program"]

PathLike = Union[str, "os.PathLike[str]"]
_READ = 1 << 16  # characters


class Error(Exception):
    """What the command line said, and its exit status: 2 wrong usage, 3 unreadable, 4 database refused."""

    def __init__(self, message: str, status: Optional[int] = None) -> None:
        super().__init__(message)
        self.status = status


class Figure:
    """A figure as SVG; notebooks show it."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg


def program() -> str:
    """The command line that is used; Error where there is none."""
    said = os.environ.get("TRAINSCOPE_CLI")
    here = Path(__file__).resolve().parent
    places = [(said, None)] if said else [
        (name, folder) for folder in (str(here), str(here.parent), None) for name in ("trainscope-cli", "trainscope-node")]
    for name, folder in places:  # None: PATH
        found = shutil.which(name, path=folder)
        if found:
            return found
    raise Error(f"TRAINSCOPE_CLI names no program that can be run: {said}" if said else
                "trainscope-cli is neither beside trainscope.py nor on PATH; set TRAINSCOPE_CLI to where it is.")


def open(path: PathLike, frames: Optional[str] = None) -> Database:
    """Opens a run database. frames: "pandas", "polars" or "columns"; else what is installed."""
    return Database(path, frames)


def _arguments(options: dict[str, Any]) -> list[str]:
    """capture="a" as --capture=a; lists several times, True alone; None and False not at all."""
    made = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not None and one is not False:
                made.append(option if one is True else f"{option}={one}")
    return made


class _Running:
    """A command that runs; its stdout is read while it prints. Ends with the `with` that it stands in."""

    def __init__(self, arguments: Sequence[str]) -> None:
        words = [program(), *arguments]
        self._said = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        try:
            self._process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._said, text=True,
                encoding="utf-8", errors="replace", bufsize=_READ)
        except OSError as error:
            self._said.close()
            raise Error(f"The command line does not start: {error}") from error

    def __enter__(self) -> _Running:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.stdout.close()
        self._process.wait()
        self._said.close()

    def read(self, most: int = -1) -> str:
        return self._process.stdout.read(most)

    def finish(self) -> None:
        """Waits for the end; Error where it failed, a warning for what was done in part."""
        status = self._process.wait()
        self._said.seek(0)
        said = self._said.read().strip().removeprefix("error: ").removeprefix("warning: ")
        if status not in (0, 1):
            raise Error(said or f"The command line ended with status {status}.", status)
        if said:
            warnings.warn(said, stacklevel=4)


def _rows(pieces: Iterator[str]) -> Iterator[list]:
    """The names of the columns, then each row of {"columns":[…],"rows":[[…],…]}; a piece at a time is held."""
    decode = json.JSONDecoder().raw_decode
    text, at = "", 0

    def reads_on() -> bool:
        nonlocal text, at
        piece = next(pieces, "")
        text, at = text[at:] + piece, 0
        return piece != ""

    def takes(token: str) -> bool:
        nonlocal at
        while len(text) - at < len(token) and reads_on():
            pass
        found = text.startswith(token, at)
        at += len(token) if found else 0
        return found

    def row() -> list:
        nonlocal at
        while True:
            try:
                found, at = decode(text, at)
                return found
            except json.JSONDecodeError:
                if not reads_on():
                    raise EOFError from None

    if not takes('{"columns":'):
        raise EOFError
    yield row()
    takes(',"rows":[')
    while not takes("]"):
        yield row()
        takes(",")


def _extension() -> str:
    beside = Path(program()).resolve().parent
    library = beside.parent / "lib" / f"{platform.machine()}-linux-gnu" / "trainscope" / "trainscope.so"
    for path in (library, beside / "trainscope.so"):
        if path.exists():
            return str(path)
    raise Error("trainscope.so is not beside the command line; set TRAINSCOPE_EXTENSION. sql() and rows() need none.")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


class Database:
    """A run database. Nothing is kept of it: each question reads what the file holds then."""

    def __init__(self, path: PathLike, frames: Optional[str] = None) -> None:
        if frames not in (None, "pandas", "polars", "columns"):
            raise Error(f'frames is "pandas", "polars" or "columns", not "{frames}".')
        self.path = os.path.abspath(os.fspath(path))
        self._is_chosen = frames is not None
        self._frames = {None: ["pandas", "polars"], "columns": []}.get(frames, [frames])
        self._names()  # says at once what cannot be read

    def ask(self, command: str, *words: str, **options: Any) -> dict:
        """What `trainscope-cli COMMAND DB … --json` prints: ask("summary", run="a", detail=True)."""
        with _Running([command, self.path, *words, *_arguments(options), "--json"]) as running:
            said = running.read()
            running.finish()
        return json.loads(said)

    def rows(self, query: str) -> Iterator[list]:
        """The names of the columns of an answer, then its rows, while the command line prints them."""
        with _Running(["query", self.path, " " + query, "--json"]) as running:
            try:
                yield from _rows(iter(lambda: running.read(_READ), ""))
            except EOFError:
                running.finish()
                raise Error("The answer ends in its middle.") from None
            running.finish()

    def sql(self, query: str, chunk: Optional[int] = None) -> Any:
        """The answer as a frame; with chunk an iterator of frames of so many rows, however many there are."""
        rows = self.rows(query)
        names = next(rows)
        return self._chunks(names, rows, chunk) if chunk else self._frame(names, rows)

    def runs(self) -> Any:
        """A row for each run, with what its launch configuration states."""
        return self._table({name: value for name, value in {**run, **run["launch"]}.items()
                            if not isinstance(value, (dict, list))} for run in self.ask("info")["runs"])

    def samples(self, metric: str, run: Optional[str] = None, rank: Optional[int] = None,
                chunk: Optional[int] = None) -> Any:
        """All samples of a metric; a missing one has no value. chunk as of sql()."""
        where = f"metric = {_quoted(metric)}"
        of = "" if run is None else f" AND run = {_quoted(self._run(run))}"
        known = self._first(f"SELECT DISTINCT metric FROM sample_statistics WHERE 1{of} ORDER BY 1")
        if metric not in known:
            raise Error(f"There are no samples of {metric}; there are: {', '.join(known)}.")
        if rank is not None:
            of += f" AND rank = {int(rank)}"
        return self.sql(f"SELECT run, rank, node, device, time_ns, value FROM samples WHERE {where}{of}", chunk)

    def kernels(self, run: Optional[str] = None, **options: Any) -> Any:
        """A row for each kernel of each traced rank; options are those of `trainscope-cli kernels`."""
        ranks = self.ask("kernels", run=run, **options)["ranks"]
        return self._table({"rank": one["rank"], "device": one.get("device"), **kernel}
                           for one in ranks for kernel in one["kernels"])

    def findings(self, run: Optional[str] = None, **options: Any) -> Any:
        """A row for each finding: rule, text, severity, values by their names, and where it shows."""
        found = self.ask("findings", run=run, **options)["findings"]
        return self._table({"rule": one["rule"], "text": one["text"], **one.pop("evidence"), **one} for one in found)

    def history(self, run: Union[str, Sequence[str], None] = None) -> Any:
        """A row for each GPU in each run, with its changes against the runs before."""
        return self._table(self.ask("history", run=run)["gpus"])

    def figure(self, kind: str, run: Union[str, Sequence[str], None] = None, **options: Any) -> Figure:
        """A figure; kinds and options are those of `trainscope-cli figure`: figure("heatmap", metric="gpu_power")."""
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "figure.svg")
            words = ["figure", self.path, *_arguments({"kind": kind, "run": run, "out": out, **options})]
            with _Running(words) as running:
                running.read()
                running.finish()
            return Figure(out.read_text(encoding="utf-8"))

    def connect(self, extension: Optional[PathLike] = None) -> sqlite3.Connection:
        """A read-only connection with the tables samples and spans, by the SQLite extension: for pandas.read_sql."""
        if not hasattr(sqlite3.Connection, "enable_load_extension"):
            raise Error("This Python was built without extensions of SQLite; sql() and rows() need none.")
        path = extension or os.environ.get("TRAINSCOPE_EXTENSION") or _extension()
        connection = sqlite3.connect(Path(self.path).as_uri() + "?mode=ro", uri=True)
        try:
            connection.enable_load_extension(True)
            connection.execute("SELECT load_extension(?)", (os.fspath(path),))
            connection.enable_load_extension(False)
        except sqlite3.Error as error:
            connection.close()
            raise Error(f"{path} cannot be loaded: {error}") from error
        return connection

    def _first(self, query: str) -> list:
        return [row[0] for row in list(self.rows(query))[1:]]

    def _names(self) -> list[str]:
        return self._first("SELECT name FROM run ORDER BY name")

    def _run(self, name: str) -> str:
        """As the command line takes names: whole, or the only one that ends so behind a slash."""
        names = self._names()
        ends = [one for one in names if one == name] or [one for one in names if one.endswith("/" + name)]
        if len(ends) == 1:
            return ends[0]
        raise Error(f"Several runs end in '{name}': {', '.join(ends)}." if ends
                    else f"There is no run '{name}' in {self.path}; there are: {', '.join(names)}.")

    def _chunks(self, names: list, rows: Iterator[list], size: int) -> Iterator[Any]:
        while part := list(itertools.islice(rows, size)):
            yield self._frame(names, part)

    def _table(self, records: Iterable[dict]) -> Any:
        records = list(records)
        names = list(dict.fromkeys(name for record in records for name in record))
        return self._frame(names, ([record.get(name) for name in names] for record in records))

    def _frame(self, names: list, rows: Iterable[list]) -> Any:
        rows = list(rows)
        for kind in self._frames:
            try:
                module = importlib.import_module(kind)
            except ImportError:
                if self._is_chosen:
                    raise Error(f"{kind} is not installed.") from None
                continue
            return (module.DataFrame(rows, columns=names) if kind == "pandas"
                    else module.DataFrame(rows, schema=names, orient="row", infer_schema_length=None))
        return {name: [row[i] for row in rows] for i, name in enumerate(names)}
