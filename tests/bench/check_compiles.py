#!/usr/bin/env python3
"""Lets the compiler read the benchmarks with the flags of the build that is named, and makes nothing of them."""
import json
import os
import re
import shlex
import subprocess
import sys

build = sys.argv[1]
here = os.path.dirname(os.path.realpath(__file__)) + "/"
made = os.path.join(build, "tests/bench/")  # sources in one batch
with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
    commands = [one for one in json.load(file) if one["file"].startswith((here, made))]
if not commands:
    sys.exit("the build knows no benchmarks")
failed = []
for one in commands:
    # No object is made, so that nothing of the build changes.
    command = re.sub(r" -o \S+ -c (?=\S+$)", " -fsyntax-only ", one["command"])
    if command == one["command"]:
        sys.exit("a command that is not understood: " + command)
    if subprocess.run(shlex.split(command), cwd=one["directory"], check=False).returncode != 0:
        failed.append(one["file"])
sys.exit("do not compile: " + " ".join(failed) if failed else 0)
