#!/usr/bin/env bash
# clang-tidy over one room's sources, with the flags of the build.
set -euo pipefail
cd "$1"
find "$3" -name '*.cpp' -print0 | sort -z | xargs -0 clang-tidy -p "$2" --quiet --extra-arg=-Wno-unknown-warning-option 2>/dev/null
