#!/usr/bin/env bash
# clang-tidy over the batches of the build, so that headers are read once for many sources. A batch is read again only
# when its text after preprocessing, or the checks, have changed.
set -euo pipefail
cd "$1"
into=$2/lint
mkdir -p "$into/passed"
# The build's commands without its precompiled headers, which are another compiler's.
sed -E 's/ -Winvalid-pch| -include [^ ]*cmake_pch[.]hxx//g' "$2/compile_commands.json" >"$into/compile_commands.json"
tidy() {
  local file=$1 command key
  command=$(grep -F -B1 "\"file\": \"$file\"" "$INTO/compile_commands.json" | sed -nE 's/^ *"command": "(.*) -o .*",$/\1/p')
  key=$( (cat .clang-tidy && eval "${command//\\\"/\"} -E -P '$file'") 2>/dev/null | sha256sum | cut -c1-32)
  [ -e "$INTO/passed/$key" ] && return
  clang-tidy -p "$INTO" --quiet --checks=-bugprone-suspicious-include --extra-arg=-Wno-unknown-warning-option "$file" 2>/dev/null || return 1
  touch "$INTO/passed/$key"
}
export -f tidy
export INTO=$into

sed -nE 's/^ *"file": "(.*)",?$/\1/p' "$into/compile_commands.json" | grep -E "^$2/.*/unity_(core|importers|app)_.*[.]cxx$|^$1/app/main/" |
  sort -u | xargs -P "$(nproc)" -I{} bash -c 'tidy {}'
