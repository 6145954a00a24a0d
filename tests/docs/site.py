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
HARNESS = """<script>
addEventListener("load", () => {
    const field = document.getElementById("search");
    field.value = "exposed communication";
    field.dispatchEvent(new Event("input"));
    document.title = document.querySelector("#hits a").getAttribute("href") + " " + document.documentElement.scrollWidth;
});
</script></body>"""


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
        # On a phone: the search finds, and no page is wider than the screen.
        for page in sorted(pages):
            text = (out / f"{page}.html").read_text(encoding="utf-8")
            (out / f"{page}.html").write_text(text.replace("</body>", HARNESS), encoding="utf-8")
            dom = subprocess.run([browser, "--no-sandbox", "--disable-gpu", "--window-size=390,800",
                                  "--user-data-dir=" + folder + "/browser", "--dump-dom", f"file://{out}/{page}.html"],
                                 capture_output=True, text=True, check=False).stdout
            title = re.search(r"<title>([^<]*)</title>", dom)
            if title is None or not title[1].startswith("numbers.html#exposed-communication "):
                failed(f"on {page} the search finds '{title and title[1]}'")
            if int(title[1].split()[1]) > 500: # chromium's smallest window
                failed(f"{page} is {title[1].split()[1]} pixels wide on a phone")
    print(f"{len(pages)} pages, {len(rows)} sections")


if __name__ == "__main__":
    main(*sys.argv[1:])
