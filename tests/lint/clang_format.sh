#!/usr/bin/env bash
# Every C++ file stands as clang-format would write it.
set -euo pipefail
cd "$1"
clang-format --version | grep -q 'version 14[.]' || { echo "SKIPPED: releases of clang-format differ; this one is not 14, Debian 12's."; exit 0; }
find core importers app tests \( -name '*.cpp' -o -name '*.h' \) -print0 | xargs -0 clang-format --dry-run -Werror
