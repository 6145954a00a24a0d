"""The page in a real browser: it zooms, searches, selects, draws the window's scene, and says the numbers of the command line.

page.py TRAINSCOPE_CLI PAGE_SCENE
"""

import base64
import fcntl
import json
import os
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile

CLI, SCENE = sys.argv[1:3]
EVIL = "<script>document.title='taken'</script><img src=x onerror=alert(1)>"


def cli(*arguments):
    return subprocess.run([CLI, *arguments], check=True, capture_output=True, text=True, timeout=120).stdout


def browser():
    for name in ("chromium-headless-shell", "chromium"):
        if shutil.which(name):
            return name
    print("SKIPPED: no chromium here: the page was tried in no browser (./dev test installs it)")
    sys.exit(0)


def make_sources(folder):
    """Two GPUs at 10 Hz for 60 s, and a trace of one rank with 20,000 kernels."""
    start = 1_700_000_000
    with open(f"{folder}/smi.csv", "w") as out:
        out.write("timestamp, index, power.draw [W], temperature.gpu, clocks.current.sm [MHz]\n")
        for i in range(600):
            minute, second = divmod(20 + i / 10, 60)
            for gpu in range(2):
                power = 300 + 100 * gpu + (50 if i % 20 < 10 else 0)
                out.write(f"2023/11/14 22:{13 + int(minute):02d}:{second:06.3f}, {gpu}, {power}.00 W, {60 + i // 60}, 1700 MHz\n")
    events = [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}}]
    names = ["gemm_" + EVIL, "ncclDevKernel_AllReduce_Sum_f16_RING_LL", "layer_norm_kernel", "vectorized_elementwise_kernel"]
    for i in range(20000):
        events.append({"ph": "X", "cat": "kernel", "name": names[i % 4], "pid": 0, "tid": 7, "ts": 1000 * i, "dur": 500 + i * 7919 % 401,
                       "args": {"device": 0, "stream": 7, "correlation": i + 1}})
    trace = {"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": 1}, "baseTimeNanoseconds": start * 10**9, "traceEvents": events}
    with open(f"{folder}/trace.json", "w") as out:
        json.dump(trace, out)


class Browser:
    """A browser without a window, spoken to over its pipe (Chrome DevTools Protocol)."""

    def __init__(self, folder):
        to_browser, self.out = os.pipe()
        self.input, from_browser = os.pipe()

        def place():  # where the browser looks for its pipe
            ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_browser, from_browser)]
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        # No network: a page that asked for anything would fail.
        self.process = subprocess.Popen(
            [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", f"--user-data-dir={folder}/browser",
             "--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=1200,900"],
            close_fds=False, preexec_fn=place, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.rest, self.session = 0, b"", None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                assert select.select([self.input], [], [], 120)[0], "the browser does not answer"
                part = os.read(self.input, 1 << 16)
                assert part, "the browser has ended"
                self.rest += part
            text, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(text)
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]

    def do(self, script):
        answer = self.call("Runtime.evaluate", expression=f"(async () => {{ {WAIT} {script} }})()", awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def open(self, page, address=""):
        self.call("Page.navigate", url="about:blank")
        self.do("await wait(50);")
        self.call("Page.navigate", url=f"file://{page}#{address}")
        state = self.do("""for (let i = 0; i < 600 && document.documentElement?.dataset.ready !== "yes"; ++i) await wait(50);
            await wait(200); return document.getElementById("state")?.textContent""")
        assert state == "", state

    def end(self):
        self.call("Browser.close")
        self.process.wait(timeout=30)


WAIT = "const wait = (ms) => new Promise((done) => setTimeout(done, ms));"


def near(a, b, within=1e-9):
    return abs(a - b) <= within * max(abs(a), abs(b), 1e-12)


def check_scene(chrome, database, begin, end):
    script = f"""
      const t = window.trainscope;
      t.measure((text, pixels) => 0.55 * pixels * new TextEncoder().encode(text).length);
      await t.load({begin}, {end}, 640);
      t.program.page_draw({begin}, {end}, 900, 600, 0, 0);
      return btoa(Array.from(t.answer(), (byte) => String.fromCharCode(byte)).join(""));"""
    ours = base64.b64decode(chrome.do(script))
    windows = subprocess.run([SCENE, database, str(begin), str(end), "900", "600"], check=True, capture_output=True).stdout
    count = struct.unpack_from("<I", windows)[0]
    assert struct.unpack_from("<I", ours)[0] == count and ours[4 * count:] == windows[4 * count:], "texts or items differ"
    # Words are colours, counts or floats: equal, or floats that two mathematical libraries round differently.
    for at in range(4, 4 * count, 4):
        if ours[at:at + 4] != windows[at:at + 4]:
            a, b = (struct.unpack_from("<f", one, at)[0] for one in (ours, windows))
            assert near(a, b, 1e-4), (at, a, b)
    return count


def main():
    with tempfile.TemporaryDirectory() as folder:
        chrome = Browser(folder)
        make_sources(folder)
        database = f"{folder}/x.trainscope"
        cli("import", f"{folder}/smi.csv", "--into", database, "--name", "smi")
        cli("import", f"{folder}/trace.json", "--into", database, "--name", "trace")
        page = f"{folder}/page.html"
        cli("page", database, "--out", page)
        with open(page) as file:
            text = file.read()
        assert EVIL not in text and "http" not in text.split("<main", 1)[0].replace("http-equiv", ""), "markup or an address got out"

        for run, (begin, end) in {"smi": (0, 59_900_000_000), "trace": (0, 20_000_000_000)}.items():
            one = f"{folder}/{run}.trainscope"
            cli("import", f"{folder}/{'smi.csv' if run == 'smi' else 'trace.json'}", "--into", one, "--name", run)
            alone = f"{folder}/{run}.html"
            cli("page", one, "--out", alone)
            chrome.open(alone)
            for window in ((begin, end), (end // 3, end // 2), (end // 3, end // 3 + 5_000_000)):
                assert check_scene(chrome, one, *window) > 100

        real = os.environ.get("TRAINSCOPE_SHARED", "") + "/data/h100_recording/training"
        if os.path.isdir(real):  # counters, captures, threads, a power limit and throttling
            one = f"{folder}/real.trainscope"
            cli("import", real, "--into", one)
            cli("page", one, "--out", f"{folder}/real.html")
            chrome.open(f"{folder}/real.html")
            for window in ((0, 153_110_000_001), (30_000_000_000, 70_000_000_000), (35_000_000_000, 35_050_000_000)):
                assert check_scene(chrome, one, *window) > 1000

        # Selected: all of it, as the command line has it.
        summary = {run["name"]: run for run in json.loads(cli("summary", database, "--json"))["runs"]}
        chrome.open(page)
        rows = chrome.do("return window.trainscope.statistics(0, 59900000001);").strip().split("\n")
        power = [line.split("\t") for line in rows if line.startswith("series") and "\tgpu_power\t" in line]
        assert len(power) == 2, rows[:5]
        for line in power:
            truth = next(g for g in summary["smi"]["gpus"] if g["rank"] == int(line[5]))["metrics"]["gpu_power"]
            assert int(line[7]) == truth["samples"] and all(near(float(line[8 + i]), truth[k]) for i, k in enumerate(("mean", "min", "max"))), (line, truth)
        kernels = {(k["name"]): k for k in json.loads(cli("kernels", database, "--run", "trace", "--json"))["ranks"][0]["kernels"]}
        told = [line.split("\t") for line in rows if line.startswith("kernel")]
        assert len(told) == 4
        for line in told:
            truth = kernels[line[3]]
            assert int(line[5]) == truth["count"] and near(float(line[6]), truth["time_us"] / 1e6) and line[4] == truth["category"], (line, truth)

        # Wheel, keys, drag and search change what is shown; the address says it, and leads there again.
        outcome = chrome.do("""
          const canvas = document.getElementById("canvas"), box = canvas.getBoundingClientRect(), seen = [];
          const note = async () => { await wait(300); seen.push(location.hash); };
          await note();
          canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -500, clientX: box.x + 600, clientY: box.y + 100, bubbles: true, cancelable: true }));
          await note();
          canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "d" }));
          await note();
          for (const [kind, x] of [["pointerdown", 400], ["pointermove", 500], ["pointerup", 500]])
            canvas.dispatchEvent(new PointerEvent(kind, { pointerId: 1, clientX: box.x + x, clientY: box.y + 100, isPrimary: true }));
          await note();
          const input = document.getElementById("search");
          input.value = "NCCL";
          input.dispatchEvent(new Event("change"));
          await wait(500);
          await note();
          return { seen, found: document.querySelector("#found h2").textContent, title: document.title,
                   selected: document.querySelector("#selection h2")?.textContent ?? "" };""")
        spans = [[float(x) for x in re.search(r"t=([-\d.]+),([-\d.]+)", one).groups()] for one in outcome["seen"]]
        lengths = [b - a for a, b in spans]
        assert near(lengths[1], lengths[0] / 2.718281828, 1e-3) and near(lengths[2], lengths[1], 1e-6) and spans[2][0] > spans[1][0], spans
        assert "sel=" in outcome["seen"][3] and outcome["selected"].startswith("Selected"), outcome
        assert outcome["found"] == "200 or more found" and outcome["title"] != "taken", outcome
        chrome.open(page, outcome["seen"][3].lstrip("#"))
        again = chrome.do("return location.hash;")
        assert again == "#" + outcome["seen"][3].lstrip("#"), (again, outcome["seen"][3])

        # A limit is kept, and the page says what it cost.
        small = f"{folder}/small.html"
        said = cli("page", database, "--out", small, "--size", str(os.path.getsize(page) / 1e6 - 0.01))
        assert "left out" in said and os.path.getsize(small) < os.path.getsize(page), said
        chrome.open(small)
        assert "Left out" in chrome.do("return document.getElementById('left').textContent;")
        failed = subprocess.run([CLI, "page", database, "--out", small, "--size", "0.1"], capture_output=True, text=True)
        chrome.end()
        assert failed.returncode == 2 and "cannot be as small" in failed.stderr, failed
    print("the page zooms, searches, selects and says the command line's numbers")


main()
