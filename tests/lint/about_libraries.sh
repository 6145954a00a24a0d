#!/usr/bin/env bash
# The sheet About names the libraries that CMakeLists.txt looks for, all of them and no other.
set -uo pipefail
cd "$1" || exit 2
# Names without case, version and marks: "Eigen3" and "Eigen", "libarchive" and "archive".
plain() { tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9]//g; s/^lib//; s/[0-9]+$//; s/^zstd$/zstandard/; /^$/d' | sort -u; }
sought=$(sed -nE 's/^ *(find_package|pkg_check_modules)\(([^ ]+) .*/\2/p; s/^ *find_library\([^ ]+ ([^ ]+) .*/\1/p' CMakeLists.txt \
  | grep -vxE 'Threads|PkgConfig' | plain)
named=$(sed -nE 's/.*"Built with (.*)\. Set in .*/\1/p' qml/*/AboutSheet.qml | sed -E 's/ *\([^)]*\)//g; s/, | and /\n/g' | plain)
[ -n "$named" ] && diff <(echo "$sought") <(echo "$named") \
  || { echo "AboutSheet.qml (>) does not name the libraries that CMakeLists.txt looks for (<)"; exit 1; }
