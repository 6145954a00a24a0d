#!/usr/bin/env bash
# Records a command on each node of a Slurm job, and makes one run of all of them: record.sh OUT.trainscope COMMAND...
#
# In an allocation (sbatch, salloc) or from outside, then on $NODES nodes. OUT lies in a folder that all nodes see; the
# parts stay beside it, in OUT.parts. The command's exit status is passed on, and where that is 0 the import's (1: in
# part).
set -euo pipefail
# The program: $TRAINSCOPE_NODE, else that of the bundle around this script, else the one on PATH.
program=${TRAINSCOPE_NODE:-}
for one in "$(dirname "$(realpath "$0")")/../../trainscope-node" trainscope-cli trainscope-node; do
  [ -n "$program" ] || program=$(command -v "$one" || true)
done
[ -n "$program" ] || { echo "$(basename "$0"): there is no trainscope-cli or trainscope-node on PATH; TRAINSCOPE_NODE names one" >&2; exit 127; }
[ $# -ge 2 ] || { sed -n 2p "$0" | cut -c3- >&2; exit 2; }
out=$1
shift
mkdir -p "$out.parts"
status=0 merged=0
srun -N "${SLURM_NNODES:-${NODES:-1}}" --ntasks-per-node 1 \
  "$program" record ${INTERVAL:+--interval "$INTERVAL"} ${TRAINSCOPE_OPTIONS:-} --into "$out.parts/%j-%n.trainscope" -- "$@" || status=$?
"$program" import "$out.parts"/*.trainscope --into "$out" || merged=$?
exit $((status != 0 ? status : merged))
