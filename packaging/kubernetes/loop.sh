#!/bin/sh
# Records every job on the GPUs of this node into a file of its own, for as long as the node runs: loop.sh FOLDER [OPTION]...
#
# For nodes without Slurm, and the container of daemonset.yaml. More options go to `record`; --keep 30d unless one says
# otherwise. A recorder that ends by itself (no driver yet, a full disk) is begun again, after 5 s and ever longer, a
# minute at most. TRAINSCOPE_NODE names the program.
set -u
folder=${1:?"loop.sh FOLDER [OPTION]..."}
shift
program=${TRAINSCOPE_NODE:-trainscope-node}
node=${NODE_NAME:-%h}
stopped='' recorder='' pause=5
stop() {
  stopped=1
  [ -z "$recorder" ] || kill -TERM "$recorder" 2>/dev/null
}
trap stop TERM INT HUP
mkdir -p "$folder" || exit 3
while [ -z "$stopped" ]; do
  begun=$(date +%s)
  "$program" record --per-job --into "$folder/%j-$node-%d.trainscope" --keep 30d "$@" &
  recorder=$!
  while kill -0 "$recorder" 2>/dev/null; do wait "$recorder"; status=$?; done
  recorder=''
  [ -z "$stopped" ] || exit 0
  [ $(($(date +%s) - begun)) -lt 60 ] || pause=5
  echo "loop.sh: the recorder ended with $status and is begun again in $pause s" >&2
  sleep "$pause" &
  wait $!
  pause=$((pause * 2 < 60 ? pause * 2 : 60))
done
