#!/usr/bin/env python3
"""Runs every small benchmark once, when a week's worth of commits has come since the table of performance.md was made.

smoke.py BUILD     BUILD: folder of a build whose tests run
A benchmark that only compiles may still read what is no longer written. Times of this build are not optimised and say
nothing; an error of a benchmark fails.
"""
import os
import re
import subprocess
import sys

WEEK = 500  # commits
# What takes longer than a second without optimisation.
LARGE = "/[0-9]{7,}|min_time:[12]|/100/|/1024/|windowFrame|qCustomPlotFrame"

build = os.path.realpath(sys.argv[1])
source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))


def git(*words):
    done = subprocess.run(["git", "-C", source, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=False)
    return done.stdout.strip()


def commits_since_table():
    if git("rev-parse", "--is-shallow-repository") != "false":
        return None
    table = git("log", "-1", "--format=%H", "--", "resources/help/performance.md")
    return int(git("rev-list", "--count", f"{table}..HEAD"))


commits = commits_since_table()
if "--now" not in sys.argv and (commits is None or commits < WEEK):
    history = "the history is not here" if commits is None else f"{commits} of {WEEK} commits since the last table"
    print(f"SKIPPED: {history}")
    sys.exit(0)
subprocess.run(["cmake", "--build", build, "--target", "trainscope_bench"], check=True, stdout=subprocess.DEVNULL)
done = subprocess.run([os.path.join(build, "bin/trainscope_bench"), "--benchmark_min_time=0", f"--benchmark_filter=-{LARGE}"],
                      stdout=subprocess.PIPE, text=True, check=False, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})
errors = re.findall(r"^.*ERROR OCCURRED.*$", done.stdout, re.MULTILINE)
ran = len(re.findall(r"^\S+ +[0-9.]+ [mun]?s ", done.stdout, re.MULTILINE))
print(f"{ran} benchmarks ran")
sys.exit("\n".join(errors) or (done.returncode if ran else "no benchmark ran"))
