"""The programs under test and the inputs they read."""
import os
import pathlib
import subprocess


class Programs:
    def __init__(self, build):
        build = pathlib.Path(build).resolve()
        self.bench = build / "bin" / "trainscope_bench"
        self.make_input = build / "bin" / "trainscope_bench_input"
        self.cli = build / "bin" / "trainscope-cli"
        self.gui = build / "bin" / "trainscope"

    def input(self, *words):
        """The path of a generated input, made when the cache does not have it."""
        command = [str(self.make_input), *map(str, words)]
        return pathlib.Path(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.strip())


def scratch(name):
    """A path for what a measurement writes; nothing is there."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = pathlib.Path(base) / "trainscope-bench" / "scratch"
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.glob(name + "*"):
        file.unlink()
    return folder / name


def compressed(path, suffix, *command):
    """path + suffix, made by piping the file through a compressor."""
    target = path.with_name(path.name + suffix)
    if not target.exists():
        unfinished = target.with_name(target.name + ".unfinished")
        with open(path, "rb") as source, open(unfinished, "wb") as out:
            subprocess.run(command, stdin=source, stdout=out, check=True)
        unfinished.rename(target)
    return target
