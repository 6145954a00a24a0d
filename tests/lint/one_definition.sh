#!/usr/bin/env bash
# No two types share a qualified name: where two are linked into one program, one's functions may serve the other.
# Looks at the types that start a line inside named namespaces, of headers and sources, the tests' included; each
# program of the benchmarks and fuzzers stands alone, but shares the rooms' names.
set -euo pipefail
cd "$1"
find core importers app tests \( -name '*.h' -o -name '*.cpp' \) -print0 | sort -z | xargs -0 awk '
  FNR == 1 { depth = 0; hidden = 0 }
  /^namespace \{|^inline namespace \{/ { hidden = 1 }
  /^namespace [A-Za-z_:0-9]+ \{/ { path[++depth] = $2; hidden = 0 }
  /^\} \/\/ namespace$/ { hidden = 0 }
  /^\} \/\/ namespace [A-Za-z_:0-9]+/ { if (depth > 0) --depth }
  /^(enum )?(class|struct|union|enum) [A-Za-z_0-9]+[^;]*$/ && !hidden {
    name = ""
    for (i = 1; i <= depth; ++i) name = name path[i] "::"
    for (i = 1; i <= NF; ++i) if ($i !~ /^(enum|class|struct|union|final|\[\[nodiscard\]\])$/) { name = name $i; break }
    sub(/[:{].?$/, "", name)
    if (name in file && file[name] != FILENAME) { print name ": " file[name] " and " FILENAME; found = 1 }
    file[name] = FILENAME
  }
  END { exit found }'
