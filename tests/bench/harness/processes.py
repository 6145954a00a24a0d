"""Whole processes, measured from outside by the operating system's own accounting."""
import dataclasses
import os
import signal
import subprocess
import threading
import time


@dataclasses.dataclass
class Run:
    wall_ms: float
    cpu_ms: float
    peak_mb: float
    status: int


def _wait(process, start):
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Run((time.perf_counter() - start) * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3,
               usage.ru_maxrss / 1024, process.returncode)


def run(command, threads=None, pinned=None):
    """Runs to the end. threads: of the program; pinned: the processors it may use."""
    environment = dict(os.environ, **({"TRAINSCOPE_THREADS": str(threads)} if threads else {}))
    prepare = (lambda: os.sched_setaffinity(0, pinned)) if pinned else None
    start = time.perf_counter()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=environment, preexec_fn=prepare)
    return _wait(process, start)


def best(command, times=3, **options):
    """The run with the least wall time of those that succeeded; None where none did."""
    runs = [run(command, **options) for _ in range(times)]
    return min((one for one in runs if one.status == 0), key=lambda one: one.wall_ms, default=None)


def interrupted(command, after):
    """The run from SIGINT, sent `after` seconds into it, to the end of the process; None when it had ended."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(after)
    if process.poll() is not None:
        return None
    start = time.perf_counter()
    process.send_signal(signal.SIGINT)
    return _wait(process, start)


def _peak_mb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return 0.0


@dataclasses.dataclass
class Start:
    first_ms: float  # to the first frame
    settled_ms: float  # to the last frame before the window came to rest
    peak_mb: float


def window_start(gui, *arguments, rest_s=1.0, limit_s=20.0):
    """Starts the window without a display and reads from Qt's own log when its frames were drawn; None where it drew
    none, or did not stay."""
    environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", QT_QUICK_BACKEND="software",
                       QT_LOGGING_RULES="qt.scenegraph.time.renderloop=true")
    begin = time.perf_counter()
    process = subprocess.Popen([str(gui), *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env=environment, text=True)
    frames = []

    def listen():
        for line in process.stderr:
            if "Frame rendered" in line:
                frames.append(time.perf_counter())

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    while time.perf_counter() - begin < limit_s and process.poll() is None:
        time.sleep(0.05)
        if frames and time.perf_counter() - frames[-1] > rest_s:
            break
    peak = _peak_mb(process.pid) if process.poll() is None else 0.0
    process.kill()
    stayed = process.wait() == -signal.SIGKILL
    listener.join()
    process.stderr.close()
    if not frames or not stayed:
        return None
    return Start((frames[0] - begin) * 1e3, (frames[-1] - begin) * 1e3, peak)
