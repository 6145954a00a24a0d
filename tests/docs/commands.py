#!/usr/bin/python3
"""The commands of README, of the manual and of --help on the built-in sample: they run, and README's say what it says.

commands.py PROGRAM SAMPLE"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
# Commands that wait for somebody, or write a page that is built apart.
WAITING = ("mcp", "serve", "record", "page")
FEWEST = 90


class Shell:
    def __init__(self, program, sample, folder):
        self.sample, self.folder = sample, folder
        (folder / "bin").mkdir()
        (folder / "bin" / "trainscope-cli").symlink_to(pathlib.Path(program).resolve())

    def run(self, command):
        place = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        shutil.copy(self.sample, place / "sample.trainscope")
        done = subprocess.run(["bash", "-c", f"set -o pipefail; PATH={self.folder}/bin:$PATH; {command}"], cwd=place,
                              capture_output=True, text=True, check=False)
        shutil.rmtree(place)
        return done


def shown_blocks(text):
    """(command, output) of the blocks ```console."""
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.S | re.M):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def examples(text, prefix):
    """Calls of trainscope-cli at the beginning of lines, each with the lines that it goes on in."""
    lines = iter(text.splitlines())
    for line in lines:
        if not line.startswith(prefix + "trainscope-cli "):
            continue
        command = line.strip()
        while command.endswith("\\") or command.count('"') % 2:
            command = command.removesuffix("\\") + " " + next(lines).strip()
        yield command


def is_of_sample(command):
    name = command.split()[1]
    if name in WAITING or "{" in command or "…" in command:
        return False
    is_planned = name in ("layout", "predict") and not re.search(r"\.(trainscope|csv|json)\b", command)
    return is_planned or " sample.trainscope" in command


def main(program, sample):
    wrong, ran = 0, 0

    def complain(text):
        nonlocal wrong
        wrong += 1
        print(text + "\n", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        shell = Shell(program, pathlib.Path(sample), pathlib.Path(folder))
        readme = (SOURCE / "README.md").read_text(encoding="utf-8")
        for command, output in shown_blocks(readme):
            if command.startswith("cp "):
                continue
            done = shell.run(command)
            ran += 1
            if done.stdout.rstrip() != output.rstrip():
                complain(f"README.md: {command}\nshould say:\n{done.stdout}{done.stderr}")
        saved = ""
        for file, prefix in [(SOURCE / "README.md", ""), (SOURCE / "resources/help/commands.md", "  "),
                             *((page, "") for page in sorted((SOURCE / "resources/manual").glob("*.md")))]:
            for command in examples(file.read_text(encoding="utf-8"), prefix):
                if not is_of_sample(command):
                    continue
                # An example may ask for what the one before it saved.
                done = shell.run(f"{saved} >/dev/null && {command}" if "--saved" in command else command)
                saved = command if "--save " in command else saved
                ran += 1
                if done.returncode != 0 or not done.stdout.strip():
                    complain(f"{file.name}: {command}\nstatus {done.returncode}: {done.stderr.strip()}")
    print(f"{ran} commands, {wrong} wrong")
    if ran < FEWEST:
        sys.exit(f"Only {ran} commands were found, not {FEWEST}.")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
