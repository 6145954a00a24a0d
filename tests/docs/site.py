#!/usr/bin/python3
"""The manual as a site: every page is in its navigation, nothing comes from a network, and the search finds from disk. Tests
that the page on validation names are there.

site.py PROGRAM SAMPLE"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
# Says the first hit of a search and the width that the page takes to the page that holds it.
HARNESS = """<script>
addEventListener("load", () => {
    const field = document.getElementById("search");
    field.value = "exposed communication";
    field.dispatchEvent(new Event("input"));
    parent.postMessage([document.querySelector("#hits a").getAttribute("href"), document.documentElement.scrollWidth], "*");
});
</script></body>"""
HOLDER = """<script>
addEventListener("message", event => {
    const frame = [...document.querySelectorAll("iframe")].find(one => one.contentWindow === event.source);
    document.body.insertAdjacentHTML("beforeend", `<p>${frame.id} ${event.data.join(" ")}</p>`);
});
</script>"""


def failed(text):
    sys.exit(f"site.py: {text}")


def main(program, sample):
    try:
        import markdown  # noqa: F401
    except ImportError:
        print("SKIPPED: python3-markdown is not installed")
        return
    validation = (SOURCE / "resources/manual/validation.md").read_text(encoding="utf-8")
    for test in re.findall(r"`((?:core|importers|app)/[\w/]+)`", validation):
        if not list((SOURCE / "tests" / test).parent.glob(pathlib.PurePath(test).name + ".*")):
            failed(f"validation.md names {test}, which is no test")
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "site"
        subprocess.run([sys.executable, SOURCE / "packaging/docs/build.py", program, sample, out], check=True)
        pages = {page.stem for page in out.glob("*.html")}
        manual = {page.stem for page in (SOURCE / "resources/manual").glob("*.md")}
        if manual - pages:
            failed(f"pages of the manual are not on the site: {manual - pages}")
        index = (out / "index.html").read_text(encoding="utf-8")
        for page in pages:
            if f'href="{page}.html' not in index:
                failed(f"{page} is not in the navigation")
        for file in [*out.glob("*.html"), *out.glob("*.css"), *out.glob("site.js")]:
            text = file.read_text(encoding="utf-8")
            if re.search(r'(src|srcset)="(https?:)?//|<link[^>]*href="https?:|@import|url\(|fetch\(|XMLHttp', text):
                failed(f"{file.name} asks for something from a network")
            if re.search(r"^\{[a-z]+( [a-z-]+)?\}$", text, re.M):
                failed(f"a list is not filled in on {file.name}")
        rows = json.loads((out / "sections.js").read_text(encoding="utf-8").removeprefix("const sections = ").rstrip(";\n"))
        if len(rows) < 300:
            failed(f"the search has {len(rows)} sections only")
        browser = next((b for b in ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium") if pathlib.Path(b).exists()), None)
        if browser is None:
            print("SKIPPED: there is no browser for the search")
            return
        # On a phone: the search finds, and no page is wider than the screen. All pages are in frames of one, as the browser
        # takes a second to start.
        frames = ""
        for page in sorted(pages):
            text = (out / f"{page}.html").read_text(encoding="utf-8")
            (out / f"{page}.html").write_text(text.replace("</body>", HARNESS), encoding="utf-8")
            frames += f'<iframe id="{page}" src="{page}.html" width="390" height="800"></iframe>'
        (out / "all.html").write_text(f"<body>{HOLDER}{frames}</body>", encoding="utf-8")
        dom = subprocess.run([browser, "--no-sandbox", "--disable-gpu", "--virtual-time-budget=60000",
                              "--user-data-dir=" + folder + "/browser", "--dump-dom", f"file://{out}/all.html"],
                             capture_output=True, text=True, check=False).stdout
        said = {page: (hit, int(width)) for page, hit, width in re.findall(r"<p>(\S+) (\S+) (\d+)</p>", dom)}
        for page in sorted(pages):
            hit, width = said.get(page, (None, 0))
            if hit != "numbers.html#exposed-communication":
                failed(f"on {page} the search finds '{hit}'")
            if width > 390:
                failed(f"{page} is {width} pixels wide on a phone")
    print(f"{len(pages)} pages, {len(rows)} sections")


if __name__ == "__main__":
    main(*sys.argv[1:])
