#!/usr/bin/env bash
# pack.sh FOLDER: FOLDER.tar.xz beside it, the same bytes for the same files; times are those of SOURCE_DATE_EPOCH.
set -euo pipefail
folder=$1
tar --create --directory "$(dirname "$folder")" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
  --format=gnu "$(basename "$folder")" | xz -9 --extreme --threads=1 >"$folder.tar.xz"
ls -l "$folder.tar.xz" | awk '{ printf "%s, %.1f MB\n", $NF, $5 / 1e6 }'
