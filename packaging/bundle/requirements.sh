#!/usr/bin/env bash
# requirements.sh FOLDER: what the programs and libraries of a bundle need, and what it carries of it. Fails where it carries
# too little.
set -euo pipefail
folder=$1
newest() { sort -uV | tail -n 1; }
needed() { find "$folder" -type f \( -name '*.so*' -o -path '*/lib/trainscope*' \) -exec readelf -W --version-info {} + 2>/dev/null |
  sed -n "s/.*Name: $1_\([0-9.]*\) .*/\1/p" | newest; } # PREFIX
carried() { readelf -W --version-info "$folder/lib/$2" | sed -n "s/.*: Rev: 1 .*Name: $1_\([0-9.]*\)\$/\1/p" | newest; } # PREFIX LIBRARY
kernel=$(readelf -n "$folder/lib/libc.so.6" | sed -n 's/.*OS: Linux, ABI: //p')
[ -n "$kernel" ] || { echo "requirements.sh: $folder/lib/libc.so.6 names no kernel" >&2; exit 1; }
echo "Linux $kernel or newer; nothing else of the machine but a shell and readlink."
for pair in "GLIBC libc.so.6" "GLIBCXX libstdc++.so.6"; do
  read -r prefix library <<<"$pair"
  need=$(needed "$prefix") have=$(carried "$prefix" "$library")
  echo "The newest symbol of $library that is needed is ${prefix}_$need; the folder carries ${prefix}_$have."
  [ "$(printf '%s\n' "$need" "$have" | newest)" = "$have" ] || { echo "requirements.sh: $library is too old" >&2; exit 1; }
done
