#!/usr/bin/env bash
# The house has a budget: lines of C++ and QML in core, importers, app and qml. The number below only falls; a feature
# pays by what it makes superfluous. Lines that formatting adds do not count: the commit that reformats raises the
# number by exactly those.
set -uo pipefail
cd "$1" || exit 2
budget=249950

files=$(find core importers app qml -name '*.cpp' -o -name '*.h' -o -name '*.qml')
lines=$(xargs cat <<<"$files" | wc -l)
types=$(xargs grep -hE '^ *(class|struct|enum class) [A-Za-z_]+[^;]*$' <<<"$files" | wc -l)
echo "$lines of $budget lines in $(wc -l <<<"$files") files, $types types"
[ "$lines" -le "$budget" ] || { echo "$((lines - budget)) lines too many: see tests/lint/line_budget.sh" >&2; exit 1; }
