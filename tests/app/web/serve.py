"""A database that is served: the page in a real browser, who is answered and who is not, and a database that changes meanwhile.

serve.py TRAINSCOPE_CLI TRAINSCOPE_NODE FAKE_NVML
"""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib
from urllib.parse import urlsplit

from page import Browser, cli, make_sources, near

CLI, NODE, NVML = sys.argv[1:4]


class Served:
    """A server, until the end of the block, which Ctrl+C ends."""

    def __init__(self, database, *options, program=CLI):
        self.process = subprocess.Popen([program, "serve", database, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.link = self.process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[0-9a-f]{48}/", self.link), (self.link, self.process.stderr.read() if not self.link else "")
        self.port = urlsplit(self.link).port
        self.path = urlsplit(self.link).path

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.said = self.process.communicate(timeout=60)[1]
        assert self.process.returncode == 0, (self.process.returncode, self.said)

    def ask(self, name="", method="GET", path=None, host=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, self.path + name if path is None else path, headers={"Host": host or f"127.0.0.1:{self.port}", **headers})
        answer = connection.getresponse()
        return answer, answer.read()

    def text(self, name):
        answer, body = self.ask(name)
        assert answer.status == 200, (name, answer.status, body)
        return zlib.decompress(body, -15).decode()


def check_refusals(served):
    for answer, body in (served.ask(path="/"), served.ask(path="/" + "0" * 48 + "/"), served.ask(path=served.path[:-2] + "/"), served.ask(path=served.path[:-1]),
                         served.ask(host="example.org"), served.ask(host="127.0.0.1.example.org"), served.ask(method="POST", path="/")):
        assert answer.status == 403 and body == b"", (answer.status, body)
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "HEAD"):
        assert served.ask(method=method)[0].status == 405, method
    for host in (f"localhost:{served.port}", "localhost", "[::1]:1"):
        answer, body = served.ask(host=host)
        assert answer.status == 200 and b"connect-src 'self'" in body, host
        assert answer.getheader("Cache-Control") == "no-store" and answer.getheader("X-Content-Type-Options") == "nosniff", host
        assert answer.getheader("Referrer-Policy") == "no-referrer" and "frame-ancestors 'none'" in answer.getheader("Content-Security-Policy"), host
    nonces = {re.search(rb"'nonce-([0-9a-f]+)'", served.ask()[1]).group(1) for _ in range(2)}
    assert len(nonces) == 2
    for name in ("parts?p=run.1", "parts?p=sample_chunk.1.2", "parts?p=sample_chunk.x", "parts?p=sample_chunk.1;DROP", "nothing?run=smi", "tables?run=none", "facts?run=none"):
        answer, body = served.ask(name)
        assert answer.status == 500 and body, name
    assert b"none" in served.ask("tables?run=none")[1]


def check_slow_clients(served):
    """Connections that say nothing, half a request, or ask for much and read nothing keep nobody waiting."""
    held = []
    for text in (b"", b"GET ", f"GET {served.path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() * 50):
        for _ in range(6):
            one = socket.create_connection(("127.0.0.1", served.port))
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.sendall(text)
            held.append(one)
    begin = time.monotonic()
    assert served.ask("changed")[0].status == 200
    assert time.monotonic() - begin < 60  # far below the time after which they are given up
    too_long = socket.create_connection(("127.0.0.1", served.port))
    too_long.sendall(b"GET /" + b"x" * 100000)
    for one in held:
        one.close()


def refused(database, *options, status, words):
    done = subprocess.run([CLI, "serve", database, *options], capture_output=True, text=True, timeout=60)
    assert done.returncode == status and words in done.stderr and not done.stdout, done


def check_page(chrome, served, database):
    chrome.open(served.link + "?run=smi")
    summary = {run["name"]: run for run in json.loads(cli("summary", database, "--json"))["runs"]}
    rows = chrome.do("return window.trainscope.statistics(0, 59900000001);").strip().split("\n")
    power = [line.split("\t") for line in rows if line.startswith("series") and "\tgpu_power\t" in line]
    assert len(power) == 2, rows[:5]
    for line in power:
        truth = next(g for g in summary["smi"]["gpus"] if g["rank"] == int(line[5]))["metrics"]["gpu_power"]
        assert int(line[7]) == truth["samples"] and all(near(float(line[8 + i]), truth[k]) for i, k in enumerate(("mean", "min", "max"))), (line, truth)

    chrome.open(served.link + "?run=trace&run=smi")
    kernels = {k["name"]: k for k in json.loads(cli("kernels", database, "--run", "trace", "--json"))["ranks"][0]["kernels"]}
    told = [line.split("\t") for line in chrome.do("return window.trainscope.statistics(0, 20000000000);").split("\n") if line.startswith("kernel")]
    assert len(told) == 4, told
    for line in told:
        truth = kernels[line[3]]
        assert int(line[5]) == truth["count"] and near(float(line[6]), truth["time_us"] / 1e6), (line, truth)
    before = chrome.do("return location.hash;")
    chrome.do("""document.getElementById("canvas").dispatchEvent(new KeyboardEvent("keydown", { key: "w" })); await wait(300);""")
    assert chrome.do("return location.hash;") != before


def check_growth(chrome, served, database, folder):
    """The run goes on for another minute: the page shows it without being asked."""
    chrome.open(served.link + "?run=smi")
    begin, end = chrome.do("return [window.trainscope.program.page_begin(), window.trainscope.program.page_end()];")
    with open(f"{folder}/smi.csv", "a") as out:
        for i in range(600):
            for gpu in range(2):
                out.write(f"2023/11/14 22:{14 + (20 + i // 10) // 60:02d}:{(20 + i / 10) % 60:06.3f}, {gpu}, 500.00 W, 70, 1700 MHz\n")
    cli("import", f"{folder}/smi.csv", "--into", database, "--name", "smi")
    grown = chrome.do("""for (let i = 0; i < 600; ++i) {
        await wait(100);
        const end = window.trainscope.program.page_end();
        if (end > %d && new RegExp("t=[-0-9.]+,(1[12][0-9])").test(location.hash)) return end;
      }""" % (end + 50e9))
    assert grown and near(grown, 120e9 - 0.1e9, 0.01), (end, grown, chrome.do("return location.hash;"))
    rows = chrome.do("return window.trainscope.statistics(60000000000, 119000000000);").split("\n")
    power = [line.split("\t") for line in rows if "\tgpu_power\t" in line]
    assert len(power) == 2 and all(near(float(line[8]), 500) for line in power), rows


def check_recording(chrome, folder):
    """A run that is being recorded: the page's end moves on, and its last values are those of the finished run."""
    database = f"{folder}/recorded.trainscope"
    environment = {**os.environ, "TRAINSCOPE_NVML": NVML, "TRAINSCOPE_AMDSMI": "/nowhere", "TRAINSCOPE_FAKE_GPUS": "2"}
    recorder = subprocess.Popen([CLI, "record", "--into", database, "--name", "live", "--interval", "20ms", "--", "sleep", "60"],
                                env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(600):
        done = subprocess.run([CLI, "query", database, "SELECT count(*) FROM samples", "--json"], capture_output=True, text=True)
        if done.returncode == 0 and '"rows":[[0]]' not in done.stdout.replace(" ", ""):
            break
        time.sleep(0.1)
    with Served(database) as served:
        chrome.open(served.link)
        ends = chrome.do("""const ends = [];
          for (let i = 0; i < 300 && new Set(ends).size < 4; ++i) { await wait(200); ends.push(window.trainscope.program.page_end()); }
          return [...new Set(ends)];""")
        assert len(ends) >= 4 and ends == sorted(ends), ends
        recorder.send_signal(signal.SIGINT)
        recorder.wait(timeout=60)
        metrics = json.loads(cli("summary", database, "--json"))["runs"][0]["gpus"][0]["metrics"]["gpu_power"]
        rows = chrome.do("""for (let i = 0; i < 100; ++i) {
            await wait(200);
            const rows = (await window.trainscope.statistics(0, 1e12)).split("\\n").filter((line) => line.includes("\\tgpu_power\\t"));
            if (rows.length && +rows[0].split("\\t")[7] === %d) return rows;
          }""" % metrics["samples"])
        assert rows and near(float(rows[0].split("\t")[8]), metrics["mean"]), (rows, metrics)


def check_changes(chrome, folder, database):
    """Removed, replaced, cut, put back: the page says so, and goes on when it can."""
    own = f"{folder}/own.trainscope"
    shutil.copy(database, own)
    says = """for (let i = 0; i < 300; ++i) { await wait(100); const told = document.getElementById("state").textContent; if (%s) return told; }"""
    with Served(own) as served:
        chrome.open(served.link + "?run=trace")
        os.rename(own, own + ".away")
        told = chrome.do(says % "told !== ''")
        assert told and own in told, told
        answer, body = served.ask("tables?run=trace")
        assert answer.status == 500 and own.encode() in body, body
        os.rename(own + ".away", own)
        assert chrome.do(says % "told === ''") == "", "it does not go on"
        with open(own, "r+b") as file:
            file.truncate(os.path.getsize(own) // 3)
        answer, body = served.ask("tables?run=trace")
        for _ in range(100):
            if answer.status == 500:
                break
            time.sleep(0.1)
            answer, body = served.ask("tables?run=trace")
        assert answer.status == 500 and body, body
    with Served(database) as served:
        chrome.open(served.link + "?run=trace")
    assert "serve" in chrome.do(says % "told !== ''"), "the page does not say that the server has gone"


def check_many(chrome, folder):
    """A thousand runs: a list, which sorts, narrows, and leads to each."""
    many, sources = f"{folder}/many.trainscope", f"{folder}/many"
    os.mkdir(sources)
    for i in range(1000):
        with open(f"{sources}/run <b>{i:03d}.csv", "w") as out:
            out.write("timestamp, index, power.draw [W]\n")
            for second in range(20):
                out.write(f"2023/11/{1 + i // 48:02d} {i // 2 % 24:02d}:{i % 2 * 30:02d}:{second:02d}.000, 0, {100 + i}.00 W\n")
    subprocess.run([CLI, "import", sources, "--into", many], check=True, capture_output=True, timeout=500)
    with Served(many) as served:
        chrome.open(served.link)
        seen = chrome.do("""const heading = () => document.querySelector("#view-runs h2").textContent;
          const all = heading(), rows = document.querySelectorAll("#view-runs tbody tr").length, box = document.getElementById("search");
          box.value = "B>04"; box.dispatchEvent(new Event("input"));
          const links = [...document.querySelectorAll("#view-runs tbody a")].map((a) => a.getAttribute("href"));
          return { all, rows, some: heading(), links };""")
        assert seen["all"] == "1000 of 1000 runs" and seen["rows"] == 1000 and seen["some"] == "10 of 1000 runs", seen
        assert "040" in seen["links"][0] and "<" not in seen["links"][0], seen
        chrome.open(served.link + seen["links"][0])
        assert "<b>040" in chrome.do("return document.title;"), "the run does not open"


def main():
    with tempfile.TemporaryDirectory() as folder:
        chrome = Browser(folder)
        make_sources(folder)
        database = f"{folder}/x.trainscope"
        cli("import", f"{folder}/smi.csv", "--into", database, "--name", "smi")
        cli("import", f"{folder}/trace.json", "--into", database, "--name", "trace")
        with Served(database) as served:
            check_refusals(served)
            check_page(chrome, served, database)
            check_slow_clients(served)
            refused(database, "--port", str(served.port), status=2, words="--port")
            assert {run["name"] for run in json.loads(served.text("runs"))["runs"]} == {"smi", "trace"}
            assert json.loads(served.text("kernels-0?run=trace"))["ranks"] == json.loads(cli("kernels", database, "--run", "trace", "--json"))["ranks"]
            with Served(database, program=NODE) as other:
                assert other.link.split("/")[3] != served.link.split("/")[3]
                assert json.loads(other.text("overview-0?run=trace")) == json.loads(served.text("overview-0?run=trace"))
            check_growth(chrome, served, database, folder)
        check_recording(chrome, folder)
        check_changes(chrome, folder, database)
        check_many(chrome, folder)
        chrome.end()

        refused(f"{folder}/none.trainscope", status=3, words="no such file")
        newer = f"{folder}/newer.trainscope"
        with sqlite3.connect(newer) as made:  # the mark of run databases, and a version of later
            made.execute(f"PRAGMA application_id = {int.from_bytes(open(database, 'rb').read(72)[68:], 'big')}")
            made.execute("PRAGMA user_version = 999")
        made.close()
        refused(newer, status=4, words="newer")
        with open(newer, "wb") as file:
            file.write(b"no database" * 1000)
        refused(newer, status=4, words=newer)
        refused(database, "--port", "0", status=2, words="--port")
        refused(database, "--port", "65536", status=2, words="--port")
    print("a served database is shown, followed and refused as it should")


main()
