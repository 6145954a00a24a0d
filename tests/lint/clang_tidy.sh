#!/usr/bin/env bash
# clang-tidy over each library as one source, since most of its time goes to the standard headers of every source that it
# reads. A library is read again only when its text after preprocessing, or the checks, have changed.
set -euo pipefail
cd "$1"
clang-tidy --version | grep -q 'version 14[.]' || { echo "SKIPPED: releases of clang-tidy check other things; this one is not 14, Debian 12's."; exit 0; }
export INTO=$2/lint
mkdir -p "$INTO/passed"
# The build's commands without its precompiled headers: a library is read with all of its own text.
sed -E 's/ -Winvalid-pch| --param [^ ]*|( -Xclang)? -include(-pch)?( -Xclang)? [^ ]*cmake_pch[.]hxx(.pch)?| -Xclang -fno-[a-z]*-?pch[a-z-]*//g' "$2/compile_commands.json" >"$INTO/compile_commands.json"
files() { sed -nE 's/^ *"file": "(.*)",?$/\1/p' "$INTO/compile_commands.json" | sort -u | grep -E "$1"; }

tidy() {
  local name=$1 first=$2 flags text key
  flags=$(grep -F -B1 "\"file\": \"$first\"" "$INTO/compile_commands.json" |
    sed -nE 's/^ *"command": "[^ ]* (.*) -o .*",$/\1/p' | sed -E 's/\\(["\\])/\1/g')
  flags+=" -Wno-unknown-warning-option -ferror-limit=0"
  text=$INTO/$name.text
  eval "clang++ $flags -E -P '$INTO/$name.cpp'" 2>"$text.log" >"$text" || { cat "$text.log" && return 1; }
  key=$(cat .clang-tidy "$text" | sha256sum | cut -c1-32)
  rm "$text" "$text.log"
  [ -e "$INTO/passed/$key" ] && return
  eval "clang-tidy --quiet --checks=-bugprone-suspicious-include '$INTO/$name.cpp' -- $flags" 2>/dev/null || return 1
  touch "$INTO/passed/$key"
}
export -f tidy

# Name and first source of each library, the largest first.
files "^$2/.*/unity_(core|importers|app|web)_.*[.]cxx$|^$1/app/(main|extension)/" | awk -v into="$INTO" '
  { name = $0; sub(/[.]dir\/Unity\/.*|[.]cpp$/, "", name); sub(/.*\//, "", name) }
  !(name in first) { first[name] = $0 }
  { print "#include \"" $0 "\"" > (into "/" name ".cpp"); ++count[name] }
  END { for (name in first) print count[name], name, first[name] }' |
  sort -rn | cut -d' ' -f2- | xargs -P "$(nproc)" -L1 bash -c 'tidy "$0" "$1"'
