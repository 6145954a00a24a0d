#!/usr/bin/python3
"""Uses the window at random for a while (views, zoom, selection, export, import, close and open again) and tells how
its memory went, and how long it kept a screen reader's question waiting: no longer than it kept the user.

soak.py PROGRAM CLI DATABASE FOLDER [MINUTES [SEED]]: DATABASE is copied; FOLDER is imported into the copy again and
again. Needs openbox, since keys go astray without a window manager. For people, not for CI: two hours say something,
with nothing else on the machine. Fails where the memory of the last third is more than a tenth above that of the
second, or the window goes away. Frames are those that Qt tells of."""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from window import Window, actions, is_shown, nodes, press, run_inside, until

VIEWS = ["Timeline", "Layout", "Heatmap", "Kernels", "Sweep", "Spectrum", "Findings", "Query", "Runs", "History", "Predict",
         "Replay", "Compare"]
KEYS = ["w", "s", "a", "d", "f", "m", "u", "z", "Up", "Down", "Left", "Right", "Return", "Page_Down", "Home", "Tab"]
REPORT_S = 60
SLOW_MS = 100


def x(*arguments):
    subprocess.run(["xdotool", *map(str, arguments)], check=True)


def resident_mb(process):
    with open(f"/proc/{process.pid}/status") as status:
        for line in status:
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
    return 0.0


class User:
    def __init__(self, window, frames, chance, database, folder):
        self.window, self.frames, self.chance, self.database, self.folder = window, frames, chance, database, folder
        self.done, self.shown = {}, VIEWS[0]

    def act(self):
        action = self.chance.choices(
            [self.view, self.keys, self.wheel, self.drag, self.export, self.bring_in, self.close_and_open],
            [10, 20, 10, 6, 2, 1, 1])[0]
        self.done[action.__name__] = self.done.get(action.__name__, 0) + 1
        self.frames.during = f"{action.__name__} of {self.shown}"
        action()

    def view(self):
        self.shown = self.chance.choice(VIEWS)
        press(self.window.tab(self.shown))

    def keys(self):
        for _ in range(self.chance.randint(1, 8)):
            x("key", self.chance.choice(KEYS))

    def place(self):
        return self.chance.randint(300, 1080), self.chance.randint(150, 800)

    def wheel(self):
        x("mousemove", *self.place())
        modifier = self.chance.choice([[], ["keydown", "ctrl"]])
        x(*modifier, "click", "--repeat", self.chance.randint(1, 6), "--delay", 30, self.chance.choice([4, 5]))
        x("keyup", "ctrl")

    def drag(self):
        x("mousemove", *self.place(), "mousedown", 1, "mousemove", *self.place(), "mouseup", 1)
        x("key", "Escape")

    def settled(self, name):
        """A button of a sheet that can be pressed, or none after ten seconds: the view has nothing for it."""
        end = time.monotonic() + 10
        while time.monotonic() < end:
            found = self.window.shown(name)
            if found:
                return found[-1]
            time.sleep(0.2)
        return None

    def export(self):
        x("key", "Escape")
        x("key", "ctrl+e")
        time.sleep(1)
        if self.window.shown("Browse…") or self.window.shown("Browse..."):
            press(self.settled("Export"))
            time.sleep(2)
        x("key", "Escape")
        x("key", "Escape")

    def bring_in(self):
        subprocess.run([sys.argv[3], "import", self.folder, "--into", self.database, "--name",
                        "soaked " + str(self.chance.randint(1, 3))], check=True, stdout=subprocess.DEVNULL)

    def closed(self):
        """The database among the recent ones, once it is closed: a dialog that opens late takes the first keys."""
        x("key", "Escape")
        x("key", "ctrl+w")
        name = os.path.splitext(os.path.basename(self.database))[0]
        for _ in range(20):
            found = [node for node in nodes(self.window.root)
                     if node.get_name().startswith(name) and is_shown(node) and "Press" in actions(node)]
            if found:
                return found[0]
            time.sleep(0.2)
        return None

    def close_and_open(self):
        press(until("the database among the recent ones", self.closed))
        self.window.tab("Timeline")


class Frames:
    """How long each frame took, as the program's messages tell; the other messages are kept."""

    FRAME = re.compile(r"[Ff]rame rendered .*?in (\d+)ms")

    def __init__(self, process):
        self.ms, self.messages, self.slow, self.during = [], [], [], "start"
        threading.Thread(target=self._read, args=[process.stderr], daemon=True).start()

    def _read(self, lines):
        for line in lines:
            frame = self.FRAME.search(line)
            if frame:
                self.ms.append(int(frame.group(1)))
                if self.ms[-1] > SLOW_MS:
                    self.slow.append(f"{self.ms[-1]} ms in {self.during}")
            elif "scenegraph" not in line and "[window " not in line:
                self.messages.append(line.rstrip())


def soak(program, database, folder, minutes, seed):
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as place:
        own = os.path.join(place, "soak.trainscope")
        shutil.copy(database, own)
        os.environ["HOME"] = os.environ["XDG_CONFIG_HOME"] = os.environ["XDG_DATA_HOME"] = place
        os.environ["QT_LOGGING_RULES"] = "qt.scenegraph.time.renderloop=true"
        manager = subprocess.Popen(["openbox"])
        with Window(program, own, stderr=subprocess.PIPE, text=True) as window:
            frames = Frames(window.process)
            user = User(window, frames, chance, own, folder)
            window.tab("Timeline")
            begin = time.monotonic()
            memory, waits, reported = [], [], begin
            while time.monotonic() - begin < 60 * minutes:
                try:
                    user.act()
                except SystemExit:  # it has said what was not there
                    verdict(memory, waits, frames, user.done)
                    raise
                time.sleep(chance.uniform(0.1, 1.0))
                if window.process.poll() is not None:
                    print("the window is gone:", window.process.returncode, user.done)
                    return 1
                asked = time.monotonic()
                window.root.get_child_count()
                waits.append(1000 * (time.monotonic() - asked))
                memory.append(resident_mb(window.process))
                if time.monotonic() - reported > REPORT_S:
                    reported = time.monotonic()
                    print(f"{(reported - begin) / 60:.0f} min: {memory[-1]:.0f} MB", flush=True)
            outcome = verdict(memory, waits, frames, user.done)
        manager.terminate()
        return outcome


def spread(values):
    values = sorted(values)
    return f"median {values[len(values) // 2]:.1f} ms, 99 % {values[int(0.99 * len(values))]:.0f} ms, " \
           f"longest {values[-1]:.0f} ms of {len(values)}"


def verdict(memory, waits, frames, done):
    third = max(len(memory) // 3, 1)
    second = sum(memory[third:2 * third]) / third
    last = sum(memory[2 * third:]) / max(len(memory) - 2 * third, 1)
    print("actions:", ", ".join(f"{name} {count}" for name, count in sorted(done.items())))
    print(f"memory: second third {second:.0f} MB, last third {last:.0f} MB, most {max(memory):.0f} MB")
    print("waits:", spread(waits))
    print("frames:", spread(frames.ms))
    print(len(frames.slow), "frames of more than", SLOW_MS, "ms:", ", ".join(frames.slow))
    for message in sorted(set(frames.messages)):
        print("said:", message)
    return 1 if last > 1.1 * second else 0


if sys.argv[1] == "--inside":
    minutes = float(sys.argv[6]) if len(sys.argv) > 6 else 120.0
    sys.exit(soak(sys.argv[2], sys.argv[4], sys.argv[5], minutes, int(sys.argv[7]) if len(sys.argv) > 7 else 1))
sys.exit(run_inside(sys.argv[1:], 24 * 3600))
