#!/usr/bin/env bash
# Begins to record a job on this node, into JOB-NODE.trainscope: as Slurm's Prolog (of the daemon, for every job) or as
# srun's --task-prolog (of a user, for a job step). epilog.sh ends it.
#
# Settings: settings.sh. Ends with 0 whatever happens, since a Prolog that fails takes the node out of service; problems
# stand in JOB-NODE.log beside the recording, or in the system's log. The folder has to be root's (a user's, for a task
# prolog) and nobody else's to write to. What lies there can be read by who wrote it alone, until epilog.sh.
set -u
umask 077
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
# shellcheck source=/dev/null
[ ! -r /etc/trainscope/slurm.sh ] || . /etc/trainscope/slurm.sh
# shellcheck source=/dev/null
. "$here/settings.sh"
# shellcheck source=packaging/slurm/folder.sh
. "$here/folder.sh"
[ "${SLURM_LOCALID:-0}" = 0 ] || exit 0 # one of several tasks of a node
job=${SLURM_JOB_ID:?no job of Slurm}
[[ $job =~ ^[0-9]+$ ]] || exit 0
name=${SLURMD_NODENAME:-$(hostname -s)}

# The daemon does not number the nodes of a job; their list does.
node=${SLURM_NODEID:-} nodes=${SLURM_NNODES:-}
if [ -z "$node" ]; then
  list=$(scontrol show hostnames "${SLURM_JOB_NODELIST:-${SLURM_NODELIST:-$name}}" 2>/dev/null)
  node=$(grep -nxF -- "$name" <<<"$list" | head -n 1 | cut -d: -f1)
  node=$((${node:-1} - 1))
  nodes=$(grep -c . <<<"$list")
fi

(umask 022 && mkdir -p -- "$TRAINSCOPE_FOLDER") || exit 0
folder=$(own_folder "$TRAINSCOPE_FOLDER") || {
  complain "job $job is not recorded: $TRAINSCOPE_FOLDER, or a folder above it, is not $(id -un)'s alone to write to"
  exit 0
}
log=$folder/$job-$node.log note=$folder/.$job-$name.pid
rm -f -- "$log" "$note"
set -C # what is there nevertheless, a link too, is not written to
gpus=${SLURM_JOB_GPUS:-}
# A session of its own: Slurm ends what a prolog leaves behind in its own.
# shellcheck disable=SC2086
setsid "$TRAINSCOPE_NODE" record --until-stopped --into "$folder/%j-%n.trainscope" \
  --job "$job" --node "$node" --nodes "${nodes:-1}" ${gpus:+--gpus "$gpus"} $TRAINSCOPE_OPTIONS \
  </dev/null >"$log" 2>&1 &
recorder=$!
echo "$recorder" >"$note"
for ((i = 0; i < 100; ++i)); do # until it has its session
  read -r _ _ _ _ _ session _ <"/proc/$recorder/stat" || break
  [ "$session" != "$recorder" ] || break
  sleep 0.02
done
exit 0
