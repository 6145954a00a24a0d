#!/usr/bin/env bash
# Imports files on all nodes of a Slurm job, a share on each, into one database: import.sh OUT.trainscope NAME FILE...
#
# Each node writes a database of its own, which are merged at the end: for traces of hundreds of ranks that one machine
# would read for hours. All nodes see the files and the folder of OUT. NAME is the run's. The
# exit status is that of the imports, 0 where all are done.
set -euo pipefail
# The program: $TRAINSCOPE_NODE, else that of the bundle around this script, else the one on PATH.
program=${TRAINSCOPE_NODE:-}
for one in "$(dirname "$(realpath "$0")")/../../trainscope-node" trainscope-cli trainscope-node; do
  [ -n "$program" ] || program=$(command -v "$one" || true)
done
[ -n "$program" ] || { echo "$(basename "$0"): there is no trainscope-cli or trainscope-node on PATH; TRAINSCOPE_NODE names one" >&2; exit 127; }
[ $# -ge 3 ] || { sed -n 2p "$0" | cut -c3- >&2; exit 2; }
out=$1 name=$2
shift 2
mkdir -p "$out.parts"
status=0 merged=0
# shellcheck disable=SC2016
srun -N "${SLURM_NNODES:-${NODES:-1}}" --ntasks-per-node 1 bash -c '
  program=$1 parts=$2 name=$3 i=0 mine=() status=0
  shift 3
  for file; do
    if ((i++ % SLURM_NNODES == SLURM_NODEID)); then mine+=("$file"); fi
  done
  # A folder at a time: the files of several would be several runs.
  while [ ${#mine[@]} -gt 0 ]; do
    folder=$(dirname "${mine[0]}") here=() rest=()
    for file in "${mine[@]}"; do
      if [ "$(dirname "$file")" = "$folder" ]; then here+=("$file"); else rest+=("$file"); fi
    done
    "$program" import "${here[@]}" --name "$name" --into "$parts/$SLURM_NODEID.trainscope" || status=$?
    mine=("${rest[@]}")
  done
  exit $status
' bash "$program" "$out.parts" "$name" "$@" || status=$?
"$program" import "$out.parts"/*.trainscope --into "$out" || merged=$?
exit $((status != 0 ? status : merged))
