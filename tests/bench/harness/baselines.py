"""What others need for the same work, and what the disk can do, in the same run."""
import mmap
import os
import pathlib
import shutil
import subprocess
import sys
import time

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent / "baselines"


def _interpreter_with(module):
    """The first Python that has the module; without any, this one (the script then uses the standard library)."""
    for python in (sys.executable, "/usr/bin/python3", shutil.which("python3")):
        if python and os.path.exists(python):
            found = subprocess.run([python, "-c", f"import {module}"], stderr=subprocess.DEVNULL, check=False)
            if found.returncode == 0:
                return python
    return sys.executable


def script(name, module, source, times=2):
    """Best of some runs in ms, without the start of the interpreter; and what it was read with."""
    python = _interpreter_with(module)
    best, tool = None, ""
    for _ in range(times):
        command = [python, str(SCRIPTS / name), str(source)]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
        seconds, tool, _count = done.stdout.split()
        best = min(best or float("inf"), float(seconds) * 1e3)
    return best, tool


def disk_read_mb_s(path, limit=1 << 30):
    """Sequential reading past the page cache, in MB/s; None where the file system does not allow it."""
    block = mmap.mmap(-1, 4 << 20)  # aligned, as O_DIRECT wants it
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECT)
    except OSError:
        return None
    try:
        start, done = time.perf_counter(), 0
        while done < limit:
            read = os.readv(descriptor, [block])
            done += read
            if read < len(block):
                break
        return done / 1e6 / (time.perf_counter() - start)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def disk_write_mb_s(path, size=256 << 20):
    """Writing and syncing, in MB/s."""
    block = os.urandom(4 << 20)
    start = time.perf_counter()
    with open(path, "wb") as out:
        for _ in range(size // len(block)):
            out.write(block)
        out.flush()
        os.fsync(out.fileno())
    rate = size / 1e6 / (time.perf_counter() - start)
    os.unlink(path)
    return rate
