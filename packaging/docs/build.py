#!/usr/bin/python3
"""The manual as a site: build.py PROGRAM SAMPLE OUT [WINDOWS]

PROGRAM is trainscope-cli, which prints the pages with their lists filled in and draws the figures of SAMPLE. WINDOWS is a
folder with pictures of the window, NAME-light.png and NAME-dark.png, as tests/qml/tst_Pictures.qml takes them; without it
the views are shown by their figures. The pages have relative links and need no network and no server. The same sources
give the same bytes."""
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

import markdown

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
H200, H100, RECORDED = "gpt3-175b 32xH200 tp8-pp4", "gpt3-175b 64xH100 tp8-pp8", "pytorch gpt-255m 1xH100"

# (title, pages); a page is "id", or (id, title) of the same page under another name, which may lead to a section of it.
NAVIGATION = [
    ("Start", ["index", "install", "tour", "concepts", "glossary", "start"]),
    ("How to", ["owndata", "record", "clusters", "compare", "predict", "paper", "query", "python", "engines", "agents",
                "gates"]),
    ("Views", ["overview", "timeline", "layout", ("figures#heatmap", "Heatmap"), "kernels", "iterations", "replay",
               ("figures#sweep", "Sweep"), ("figures#spectrum", "Spectrum"), "findings", "runs"]),
    ("Reference", ["import", "formats", "numbers", "power", "schema", "commands", "figures", "export", "keys"]),
    ("Trust", ["validation", "limits", "safety", "security", ("performance", "Performance")]),
    ("Help", ["troubleshooting", "questions", "tools"]),
    ("Contribute", ["contributing", "architecture", "importer", "versioning", "changelog"]),
]
# Pages of the site alone, by their files.
FILES = {"install": "packaging/docs/install.md", "index": "packaging/docs/index.md",
         "importer": "packaging/docs/importer.md", "security": "SECURITY.md", "contributing": "CONTRIBUTING.md",
         "architecture": "resources/help/architecture.md", "performance": "resources/help/performance.md",
         "versioning": "packaging/VERSIONING.md", "changelog": "CHANGELOG.md"}
# Figures at the head of pages: what they show, and the options of `figure`.
FIGURES = {
    "overview": ("The Overview of a recorded run", ["overview", "--run", RECORDED, "--width-mm", "330"]),
    "timeline": ("Power, clock and temperature of one GPU with its kernels", ["timeline", "--run", RECORDED]),
    "layout": ("GPUs of a simulated job, coloured by their temperature",
               ["layout", "--run", H200, "--colour", "gpu_temperature"]),
    "kernels": ("Operators over the kernels that they launched", ["operators-flame", "--run", RECORDED]),
    "iterations": ("Step times of a recorded run", ["iterations", "--run", RECORDED]),
    "replay": ("The critical path of a step", ["critical-path", "--run", RECORDED, "--capture", "eager-16"]),
    "compare": ("Two simulated jobs side by side", ["comparison", "--run", H200, "--run", H100]),
    "predict": ("A simulated job with another layout", ["prediction", "--run", H200, "--layout", "tp=4,pp=8"]),
}
# Pages that show the window, where pictures of it are there; "figures" holds several views.
WINDOWS = {"index": "overview", "tour": "timeline", "overview": "overview", "timeline": "timeline", "layout": "layout",
           "kernels": "kernels", "iterations": "iterations", "replay": "replay", "compare": "compare",
           "predict": "predict", "findings": "findings", "runs": "runs", "query": "query"}


def slug(text, _separator="-"):
    """As anchorOf() of app/manual makes it, so that links of the manual lead to the same places."""
    return re.sub(r"[^a-z0-9]+", "-", re.sub(r"<[^>]*>|[`*]", "", text).lower()).strip("-")


def code(match):
    """The part of the walked-through importer between the marks // [NAME] and // [end], as a block of code."""
    text = (ROOT / "tests/importers/walkthrough/tst_FirstImporter.cpp").read_text(encoding="utf-8")
    part = re.search(rf"^ *// \[{match[1]}\]\n(.*?)^ *// \[end\]\n", text, re.S | re.M)[1]
    return f"```\n{textwrap.dedent(part)}```"


def plain(markup):
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", markup))).strip()


class Site:
    def __init__(self, program, sample, out, windows):
        self.program, self.sample, self.out, self.windows = program, sample, out, windows
        self.titles, self.bodies = {}, {}
        self.order = list(dict.fromkeys(name if isinstance(name, str) else name[0].partition("#")[0]
                                        for _, names in NAVIGATION for name in names))

    def run(self, *arguments):
        done = subprocess.run([str(self.program), *arguments], capture_output=True, text=True, check=False,
                              env=os.environ | {"LC_ALL": "C.UTF-8", "TZ": "UTC", "QT_QPA_PLATFORM": "offscreen"})
        if done.returncode:
            sys.exit(f"build.py: {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def commands(self):
        listed = re.search(r"Subcommands:\n((?:  .*\n)+)", self.run("--help")).group(1)
        text = "# Command line\n> every command with its options and examples\n\n"
        for name, about in re.findall(r"^  ([a-z]+) +(.*)$", listed, re.M):
            options = self.run(name, "--help").partition("\n")[2].strip()
            text += f"## {name}\n\n{about}.\n\n```\n{options}\n```\n\n"
        return text

    def source(self, name):
        if name == "commands":
            return self.commands()
        if name in FILES:
            return re.sub(r"^\{code (\w+)\}$", code, (ROOT / FILES[name]).read_text(encoding="utf-8"), flags=re.M)
        return self.run("document", "markdown", name)

    def target(self, link, name):
        """Where a link of a page leads on the site; None: it is a file of the sources."""
        if re.match(r"[a-z]+:|#", link):
            return link
        path, _, anchor = link.partition("#")
        stem = pathlib.PurePath(path).stem
        page = stem if path in (stem, f"resources/manual/{stem}.md", f"../manual/{stem}.md") and stem in self.order else None
        for other, file in FILES.items():
            if pathlib.PurePath(path).name == pathlib.PurePath(file).name and path.endswith((".md",)):
                page = other
        if page is None and name in FILES and path.endswith(".svg"):
            shutil.copy(ROOT / pathlib.PurePath(FILES[name]).parent / path, self.out / path)
            return path
        return None if page is None else f"{page}.html" + (f"#{anchor}" if anchor else "")

    def body(self, name):
        text = self.source(name)
        made = markdown.Markdown(extensions=["tables", "def_list", "fenced_code", "toc", "sane_lists"],
                                 extension_configs={"toc": {"slugify": slug}})
        body = made.convert(text)

        def link(match):
            target = self.target(html.unescape(match[1]), name)
            return f"<code>{match[2]}</code>" if target is None else f'<a href="{html.escape(target)}">{match[2]}</a>'
        body = re.sub(r'<a href="([^"]*)">(.*?)</a>', link, body, flags=re.S)
        body = re.sub(r'(<img [^>]*src=")([^"]*)"', lambda m: m[1] + (self.target(m[2], name) or m[2]) + '"', body)
        body = re.sub(r"<table>.*?</table>", r'<div class="wide">\g<0></div>', body, flags=re.S)
        body = re.sub(r'<(h[23]) id="([^"]*)">(.*?)</\1>', r'<\1 id="\2">\3 <a class="here" href="#\2" '
                      r'aria-label="Link to this section">#</a></\1>', body, flags=re.S)
        taken = set(re.findall(r'id="([^"]*)"', body))
        body = re.sub(r"<dt>(.*?)</dt>", lambda m: f"<dt>{m[1]}</dt>" if slug(m[1]) in taken
                      else f'<dt id="{slug(m[1])}">{m[1]}</dt>', body)
        title = plain(re.search(r"<h1[^>]*>(.*?)</h1>", body, re.S)[1])
        head = re.match(r".*?</h1>\s*(?:<blockquote>.*?</blockquote>)?", body, re.S)
        return title, body[:head.end()] + self.pictures(name) + body[head.end():]

    def shown(self, caption, files):
        images = "".join(f'<a class="{theme}" href="{file}"><img src="{file}" alt="{html.escape(caption)}"></a>'
                         for theme, file in files.items())
        return f"<figure>{images}<figcaption>{html.escape(caption)}</figcaption></figure>\n"

    def pictures(self, name):
        view = WINDOWS.get(name)
        if self.windows and view and all((self.windows / f"{view}-{theme}.png").exists() for theme in ("light", "dark")):
            files = {theme: f"window-{view}-{theme}.png" for theme in ("light", "dark")}
            for theme, file in files.items():
                shutil.copy(self.windows / f"{view}-{theme}.png", self.out / file)
            return self.shown(f"The window: {view}", files)
        if name not in FIGURES:
            return ""
        caption, (kind, *options) = FIGURES[name]
        files = {theme: f"{name}-{theme}.svg" for theme in ("light", "dark")}
        for theme, file in files.items():
            self.run("figure", str(self.sample), "--kind", kind, *options, "--theme", theme, "--out",
                     str(self.out / file), "--csv", str(self.out / "numbers.csv"))
        (self.out / "numbers.csv").unlink(missing_ok=True)
        return self.shown(caption, files)

    def navigation(self, current):
        parts = []
        for title, names in NAVIGATION:
            links = ""
            for each in names:
                place, text = each if isinstance(each, tuple) else (each, None)
                page, _, anchor = place.partition("#")
                here = ' aria-current="page"' if place == current else ""
                links += (f'<li><a href="{page}.html{"#" + anchor if anchor else ""}"{here}>'
                          f"{html.escape(text or self.titles[page])}</a></li>")
            is_open = " open" if any((n if isinstance(n, str) else n[0]) == current for n in names) else ""
            parts.append(f"<details{is_open}><summary>{title}</summary><ul>{links}</ul></details>")
        return "".join(parts)

    def index(self):
        """A row for each section: page, place, title, text."""
        rows = []
        for name in self.order:
            pieces = re.split(r'<h[23] id="([^"]*)">(.*?)</h[23]>', self.bodies[name], flags=re.S)
            rows.append([f"{name}.html", self.titles[name], self.titles[name], plain(pieces[0])])
            for anchor, title, text in zip(pieces[1::3], pieces[2::3], pieces[3::3]):
                heading = plain(re.sub(r'<a class="here".*', "", title, flags=re.S))
                rows.append([f"{name}.html#{anchor}", self.titles[name], heading, plain(text)])
        return "const sections = " + json.dumps(rows, ensure_ascii=False, separators=(",", ":")) + ";\n"

    def neighbours(self, name):
        at = self.order.index(name)
        links = ""
        for step, word in ((-1, "Previous"), (1, "Next")):
            if 0 <= at + step < len(self.order):
                other = self.order[at + step]
                links += f'<a href="{other}.html"><span>{word}</span>{html.escape(self.titles[other])}</a>'
            else:
                links += "<span></span>"
        return links

    def write(self):
        for name in self.order:
            self.titles[name], self.bodies[name] = self.body(name)
        template = (HERE / "page.html").read_text(encoding="utf-8")
        version = re.search(r"project\(.* VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
        for name in self.order:
            page = template
            for mark, text in {"TITLE": html.escape(self.titles[name]), "NAVIGATION": self.navigation(name),
                               "BODY": self.bodies[name], "NEIGHBOURS": self.neighbours(name),
                               "VERSION": version}.items():
                page = page.replace(f"@{mark}@", text)
            (self.out / f"{name}.html").write_text(page, encoding="utf-8")
        (self.out / "sections.js").write_text(self.index(), encoding="utf-8")
        for file in ("site.css", "site.js"):
            shutil.copy(HERE / file, self.out / file)
        self.check()

    def check(self):
        """Every link of every page leads to a file and to a place in it."""
        places = {f"{name}.html": set(re.findall(r'id="([^"]*)"', body)) for name, body in self.bodies.items()}
        wrong = []
        for name, body in self.bodies.items():
            for link in re.findall(r'(?:href|src)="([^"]*)"', body):
                if re.match(r"[a-z]+:", link):
                    continue
                file, _, anchor = html.unescape(link).partition("#")
                file = file or f"{name}.html"
                if not (self.out / file).exists() or (anchor and anchor not in places.get(file, ())):
                    wrong.append(f"{name}: {link}")
        if wrong:
            sys.exit("build.py: links that lead nowhere:\n" + "\n".join(wrong))


def main(program, sample, out, windows=None):
    out = pathlib.Path(out)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    Site(pathlib.Path(program).resolve(), pathlib.Path(sample).resolve(), out,
         pathlib.Path(windows) if windows else None).write()


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    main(*sys.argv[1:])
