#!/usr/bin/env bash
# closure.sh SYSROOT TRIPLET FILE|LIBRARY...: the shared libraries that these need, and theirs in turn, as paths. A LIBRARY
# is a name such as libdl.so.2. SYSROOT is empty for this machine's own.
set -euo pipefail
sysroot=$1 triplet=$2
shift 2
declare -A seen

found() { # NAME
  local folder
  for folder in "$sysroot/usr/lib/$triplet" "$sysroot/lib/$triplet" "$sysroot/usr/lib" "$sysroot/lib"; do
    [ ! -e "$folder/$1" ] || { echo "$folder/$1"; return; }
  done
  echo "closure.sh: there is no $1" >&2
  exit 1
}
follow() { # FILE
  local name
  for name in $(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
    take "$name"
  done
}
take() { # NAME
  [ -z "${seen[$1]:-}" ] || return 0
  local path
  path=$(found "$1")
  seen[$1]=$path
  follow "$path"
}
for given in "$@"; do
  case $given in
    */*) follow "$given" ;;
    *) take "$given" ;;
  esac
done
printf '%s\n' "${seen[@]}" | sort
