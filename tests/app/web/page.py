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


def make_readings(path, seconds, more=0):
    """Two GPUs at 10 Hz, drawing so many watts more."""
    with open(path, "w") as out:
        out.write("timestamp, index, power.draw [W], temperature.gpu, clocks.current.sm [MHz]\n")
        for i in range(10 * seconds):
            minute, second = divmod(20 + i / 10, 60)
            for gpu in range(2):
                power = 300 + more + 100 * gpu + (50 if i % 20 < 10 else 0)
                out.write(f"2023/11/14 22:{13 + int(minute):02d}:{second:06.3f}, {gpu}, {power}.00 W, {60 + i // 60}, 1700 MHz\n")


def make_sources(folder):
    """Readings of a minute, and a trace of one rank with 20,000 kernels."""
    start = 1_700_000_000
    make_readings(f"{folder}/smi.csv", 60)
    make_readings(f"{folder}/hotter.csv", 60, more=77)
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

        # No network but a server of this machine: a page that asked for anything would fail.
        self.process = subprocess.Popen(
            [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", f"--user-data-dir={folder}/browser",
             "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--window-size=1200,900"],
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
        self.call("Page.navigate", url=f"{page if '://' in page else 'file://' + page}#{address}")
        state = self.do("""for (let i = 0; i < 600 && document.documentElement?.dataset.ready !== "yes"; ++i) await wait(50);
            await wait(200); return document.getElementById("state")?.textContent""")
        assert state == "", state

    def end(self):
        self.call("Browser.close")
        self.process.wait(timeout=30)


WAIT = """const wait = (ms) => new Promise((done) => setTimeout(done, ms));
    const until = async (test) => { for (let i = 0; i < 600 && !test(); ++i) await wait(50); };"""


def near(a, b, within=1e-9):
    return abs(a - b) <= within * max(abs(a), abs(b), 1e-12)


def check_scene(chrome, database, begin, end, mark=None):
    third = (end - begin) // 3
    lines = f"0\\t{begin + third}\\t{begin + 2 * third}\\t{mark}" if mark else ""
    script = f"""
      const t = window.trainscope;
      t.program.page_show(1, {1 if mark else 0});
      t.give(new TextEncoder().encode("{lines}"));
      t.program.page_mark();
      t.measure((text, pixels) => 0.55 * pixels * new TextEncoder().encode(text).length);
      await t.load({begin}, {end}, 640);
      t.program.page_draw({begin}, {end}, 900, 600, 0, 0);
      return btoa(Array.from(t.answer(), (byte) => String.fromCharCode(byte)).join(""));"""
    ours = base64.b64decode(chrome.do(script))
    windows = subprocess.run([SCENE, database, str(begin), str(end), "900", "600", *([mark] if mark else [])], check=True, capture_output=True).stdout
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
        cli("import", f"{folder}/hotter.csv", "--into", database, "--name", "hotter")
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
                plain = check_scene(chrome, one, *window)
                assert plain > 1000 and check_scene(chrome, one, *window, mark="here") > plain, window

        # Selected: all of it, as the command line has it.
        summary = {run["name"]: run for run in json.loads(cli("summary", database, "--json"))["runs"]}
        chrome.open(page)
        rows = chrome.do("return window.trainscope.statistics(0, 59900000001);").strip().split("\n")
        power = [line.split("\t") for line in rows if line.startswith("series") and "\tgpu_power\t" in line]
        names = chrome.do("return document.title;").split(" – ")[0].split(", ")
        assert len(power) == 4 and sorted(names) == ["hotter", "smi", "trace"], (rows[:5], names)
        for line in power:
            truth = next(g for g in summary[names[int(line[1])]]["gpus"] if g["rank"] == int(line[5]))["metrics"]["gpu_power"]
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
          const note = async () => { await until(() => location.hash && location.hash !== seen[seen.length - 1]); await wait(100); seen.push(location.hash); };
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
          await until(() => document.querySelector("#found h2") && location.hash.includes("q="));
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

        check_views(chrome, page, database, folder)

        # A limit is kept, and the page says what it cost: figures first.
        small = f"{folder}/small.html"
        said = cli("page", database, "--out", small, "--size", str(os.path.getsize(page) / 1e6 - 0.01))
        assert "left out: Figures" in said and "Kernels" not in said and os.path.getsize(small) < os.path.getsize(page), said
        said = cli("page", database, "--out", small, "--size", str(os.path.getsize(page) / 1e6 - figure_bytes(text) - 0.002))
        assert "left out: Figures" in said and "left out: The critical path of trace." in said, said
        chrome.open(small)
        assert "Left out" in chrome.do("return document.getElementById('left').textContent;")
        check_refusals(folder, database)
        chrome.end()
    print("the page zooms, searches, selects, compares and says the command line's numbers")


def figure_bytes(text):
    return sum(len(one) for one in re.findall(r'id="d-figure-\d+">[^<]*', text)) / 1e6


def check_views(chrome, page, database, folder):
    """Views, their order and the address; comparison and figures as the command line has them."""
    chrome.open(page, "view=compare&compare=smi,hotter")
    told = json.loads(cli("compare", database, "--run", "smi", "--run", "hotter", "--json"))
    printed = cli("compare", database, "--run", "smi", "--run", "hotter")
    shown = chrome.do("""return { first: document.querySelector("#compared h2").textContent, chosen: location.hash,
      reasons: [...document.querySelectorAll("#compared > ul li")].map((one) => one.textContent),
      rows: [...document.querySelectorAll("#compared table")].map((one) => [...one.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent))) };""")
    assert shown["first"] == told["verdict"]["first"] + "." and "view=compare&compare=smi,hotter" in shown["chosen"], shown
    assert shown["reasons"] == [one["text"] for one in told["verdict"]["statements"]], shown["reasons"]
    lines = [" ".join(line.split()) for line in printed.splitlines()]
    rows = [row for table in shown["rows"] for row in table]
    assert len(rows) > 5, rows
    for row in rows:
        words = " ".join(" ".join(row).split())
        assert any(words == line for line in lines), (words, printed)
    turned = chrome.do("""
      const list = document.getElementById("compare-base");
      list.value = "2";
      list.dispatchEvent(new Event("change"));
      document.getElementById("compare-other").value = "0";
      const before = document.querySelector("#compared").firstChild;
      document.getElementById("compare-other").dispatchEvent(new Event("change"));
      await until(() => document.querySelector("#compared h2") !== before);
      await wait(300);
      return { first: document.querySelector("#compared h2").textContent, names: [...list.options].map((one) => one.textContent), hash: location.hash };""")
    base, other = turned["names"][2], turned["names"][0]
    told = json.loads(cli("compare", database, "--run", base, "--run", other, "--json"))
    assert turned["first"] == told["verdict"]["first"] + "." and f"compare={base},{other}" in turned["hash"], turned

    # Tabs go by arrow keys; a table's order stands in the address and comes back.
    there = chrome.do("""
      document.getElementById("tab-timeline").click();
      document.getElementById("tab-timeline").focus();
      for (let i = 0; i < 3; ++i) document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
      await until(() => document.querySelector("#view-kernels table"));
      document.querySelectorAll("#view-kernels th button")[5].click();
      await until(() => location.hash.includes("sort="));
      return { focus: document.activeElement.id, hash: location.hash, panel: document.getElementById("view-kernels").getAttribute("aria-labelledby") };""")
    assert there["focus"] == "tab-kernels" == there["panel"] and "view=kernels" in there["hash"] and "sort=kernels,-6" in there["hash"], there
    chrome.open(page, there["hash"].lstrip("#"))
    again = chrome.do("""return { hash: location.hash, sorted: document.querySelector("#view-kernels th[aria-sort]").textContent,
      rows: [...document.querySelectorAll("#view-kernels tbody tr")].map((row) => [row.cells[0].textContent, +row.cells[4].textContent]) };""")
    kernels = json.loads(cli("kernels", database, "--run", "trace", "--json"))["ranks"][0]["kernels"]
    by_time = [[one["name"], one["count"]] for one in sorted(kernels, key=lambda one: -one["time_us"])]
    assert again["hash"] == there["hash"] and again["sorted"] == "time" and again["rows"] == by_time, (again, by_time)

    # Marks of the reader are drawn, and stand in the address.
    marked = chrome.do("""
      document.getElementById("tab-timeline").click();
      const canvas = document.getElementById("canvas");
      canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "m" }));
      await until(() => location.hash.includes("mark="));
      return { hash: location.hash, list: document.getElementById("marks").textContent };""")
    assert re.search(r"mark=0,[\d.]+,[\d.]+,Mark%201", marked["hash"]) and "Mark 1" in marked["list"], marked
    chrome.open(page, marked["hash"].lstrip("#"))
    assert chrome.do("return location.hash;") == marked["hash"]
    chrome.open(page, "q=layer_norm")
    assert chrome.do("return document.querySelector('#found h2').textContent;") == "200 or more found"

    # Figures are the files that the command line writes, and are pictures.
    chrome.open(page, "view=figures")
    figures = chrome.do("""
      const all = [...document.querySelectorAll("#view-figures figure")];
      for (const one of all) { one.scrollIntoView(); await until(() => one.querySelector("img").naturalWidth > 0); }
      const list = await window.trainscope.json("figures");
      return Promise.all(all.map(async (one, i) => ({ file: list[i].file, title: list[i].title, width: one.querySelector("img").naturalWidth,
        save: one.querySelector("a").download, text: await window.trainscope.text("figure-" + i) })));""")
    assert len(figures) > 3 and all(one["width"] > 0 and one["save"] == one["file"] for one in figures), [(one["file"], one["width"]) for one in figures]
    for kind, runs in {"operators-flame": ["trace"], "timeline": ["smi"], "comparison": turned["names"]}.items():
        out = f"{folder}/{kind}.svg"
        cli("figure", database, "--kind", kind, *(word for run in runs for word in ("--run", run)), "--out", out)
        with open(out) as file:
            svg = file.read()
        assert svg in [one["text"] for one in figures], (kind, [one["file"] for one in figures])


def check_refusals(folder, database):
    def refused(*arguments):
        done = subprocess.run([CLI, "page", *arguments], capture_output=True, text=True)
        assert not os.path.exists(f"{folder}/no.html"), arguments
        return done.returncode, done.stderr

    out = ["--out", f"{folder}/no.html"]
    status, said = refused(database, *out, "--size", "0.1")
    assert status == 2 and "cannot be as small" in said, said
    status, said = refused(f"{folder}/missing.trainscope", *out)
    assert status == 3 and "no such file" in said.lower(), said
    with open(database, "rb") as file:
        whole = file.read()
    with open(f"{folder}/cut.trainscope", "wb") as file:
        file.write(whole[:len(whole) // 2])
    status, said = refused(f"{folder}/cut.trainscope", *out)
    assert status in (3, 4) and said.startswith("error: "), (status, said)
    many = f"{folder}/many.trainscope"
    for i in range(32):
        make_readings(f"{folder}/{i}.csv", 2, more=i)
        cli("import", f"{folder}/{i}.csv", "--into", many, "--name", f"run {i}")
    status, said = refused(many, *out)
    assert status == 2 and "between one run and 31" in said, said


if __name__ == "__main__":
    main()
