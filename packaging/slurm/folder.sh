# shellcheck shell=bash
# For prolog.sh and epilog.sh, which run as root: where others can put files, remove or replace them, a link of theirs
# would lead what root writes elsewhere.

# own_folder FOLDER: prints where it really lies. Fails unless it and all above it belong to who calls this or to root,
# and nobody else can write there; above it others may beside what is theirs (as in /tmp).
own_folder() {
  local folder at owner mode
  folder=$(realpath -e -- "$1") || return 1
  at=$folder
  while true; do
    read -r owner mode <<<"$(stat -c '%u %a' -- "$at")"
    [ "$owner" = 0 ] || [ "$owner" = "$(id -u)" ] || return 1
    [ $((0$mode & 022)) = 0 ] || { [ "$at" != "$folder" ] && [ $((0$mode & 01000)) != 0 ]; } || return 1
    [ "$at" != / ] || break
    at=$(dirname -- "$at")
  done
  echo "$folder"
}

# complain TEXT: to the caller, and to the system's log, since Slurm keeps nothing of what a Prolog says.
complain() {
  echo "trainscope: $1" >&2
  logger -t trainscope -- "$1" 2>/dev/null
}
