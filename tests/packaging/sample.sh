#!/usr/bin/env bash
# sample.sh FOLDER_OF_PROGRAMS: the sample is the same bytes each time that it is made, since the package is to be.
set -euo pipefail
make=$1/trainscope-make-sample
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
"$make" "$place/first.trainscope"
"$make" "$place/second.trainscope"
cmp "$place/first.trainscope" "$place/second.trainscope"
