#!/usr/bin/env bash
# clang-tidy over one part of the sources, with the flags of the build. Files are read in groups, which takes a
# fraction of the time; a group that does not compile as one is read file by file.
set -euo pipefail
cd "$1"
into=$2/lint/$3
rm -rf "$into"
mkdir -p "$into"
cmake -DSOURCE="$1" -DBINARY="$2" -DPART="$3" -DINTO="$into" -P tests/lint/group_sources.cmake
tidy() { clang-tidy -p "$into" --quiet --extra-arg=-Wno-unknown-warning-option "$@" 2>/dev/null; }

status=0
for group in "$into"/group_*.cpp; do
  found=$(tidy "$group") && continue
  if grep -q 'clang-diagnostic-error' <<<"$found"; then
    found=$(sed -n 's/^#include "\([^"]*\)".*/\1/p' "$group" | xargs clang-tidy -p "$into" --quiet \
      --extra-arg=-Wno-unknown-warning-option 2>/dev/null) && continue
  fi
  printf '%s\n' "$found"
  status=1
done
exit $status
