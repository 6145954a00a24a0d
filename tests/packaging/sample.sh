#!/usr/bin/env bash
# sample.sh FOLDER_OF_PROGRAMS RECORDING: the sample is the same bytes each time that it is made and wherever its recording
# lies, since the package is to be.
set -euo pipefail
make=$1/trainscope-make-sample
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cp -r "$2" "$place/moved"
"$make" "$place/first.trainscope" "$2"
"$make" "$place/second.trainscope" "$place/moved"
cmp "$place/first.trainscope" "$place/second.trainscope"
