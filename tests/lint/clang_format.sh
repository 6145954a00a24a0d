#!/usr/bin/env bash
# Every C++ file stands as clang-format would write it.
set -euo pipefail
cd "$1"
find core importers app tests \( -name '*.cpp' -o -name '*.h' \) -print0 | xargs -0 clang-format --dry-run -Werror
