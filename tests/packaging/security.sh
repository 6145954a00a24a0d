#!/usr/bin/env bash
# security.sh FOLDER: each promise of SECURITY.md in FOLDER names tests that are there.
set -euo pipefail
cd "$1"
rows=0
while IFS= read -r row; do
  # shellcheck disable=SC2016
  tests=$(sed 's/ |$//; s/.* | //' <<<"$row" | grep -o '`[^`]*`' | tr -d '`') || { echo "security.sh: no test in: $row"; exit 1; }
  for test in $tests; do
    [ -e "tests/$test" ] || [ -e "tests/$test.cpp" ] || { echo "security.sh: there is no test $test"; exit 1; }
  done
  rows=$((rows + 1))
done < <(sed -n '/^| source /,/^$/p' SECURITY.md | tail -n +3 | grep '^|')
[ "$rows" -gt 15 ] || { echo "security.sh: only $rows rows were found"; exit 1; }
