#!/usr/bin/python3
"""The manual's page on the schema names each column of the tables that it describes, and no other.

schema.py PROGRAM SAMPLE"""
import csv
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
LATER = {"launch"}  # it names the columns that people ask for


def main(program, sample):
    def query(sql):
        done = subprocess.run([program, "query", sample, sql, "--csv"], capture_output=True, text=True, check=True)
        return [row[0] for row in csv.reader(done.stdout.splitlines())][1:]

    page = (SOURCE / "resources/manual/schema.md").read_text(encoding="utf-8")
    described = {}
    for table, text in re.findall(r"^## ([a-z_]+)\n(.*?)(?=^## |\Z)", page, re.S | re.M):
        first = re.findall(r"^\|([^|]*)\|", text, re.M)
        described[table] = {name for cell in first for name in re.findall(r"`([a-z_]+)`", cell)}
    for table, names in re.findall(r"^\| `([a-z_]+)` \| (`[^|]*) \|", page[page.index("## Others"):page.index("## Joins")], re.M):
        described[table] = set(re.findall(r"`([a-z_]+)`", names))
    wrong = []
    for table, names in described.items():
        columns = set(query(f"SELECT name FROM pragma_table_info('{table}')"))
        lacking = set() if table in LATER else columns - names
        if lacking or names - columns:
            wrong.append(f"{table}: lacks {sorted(lacking)}, and has {sorted(names - columns)}")
    # Its queries answer.
    for sql in re.findall(r"^```\n(SELECT.*?)^```$", page, re.S | re.M):
        if not query(sql):
            wrong.append(f"no answer: {sql}")
    if len(described) < 15 or wrong:
        sys.exit("\n".join(wrong) or f"only {sorted(described)} were found")
    print(f"{len(described)} tables")


if __name__ == "__main__":
    main(*sys.argv[1:])
