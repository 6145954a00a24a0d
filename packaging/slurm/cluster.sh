#!/usr/bin/env bash
# A cluster of Slurm on this one machine, for as long as a command runs: cluster.sh [-n NODES] COMMAND...
#
# Everything lies in a temporary folder and runs as who calls it: munged with a key of its own, slurmctld, and a slurmd
# for each node, which all are this machine. Lines in $SLURM_CONF_LINES are added to its configuration. Needs Debian's
# slurm-wlm (or a Slurm built with --enable-multiple-slurmd).
# The command finds the cluster by SLURM_CONF; its exit status is passed on.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin

nodes=2
if [ "${1:-}" = -n ]; then
  nodes=$2
  shift 2
fi
[ $# -gt 0 ] || { sed -n 2p "$0" | cut -c3- >&2; exit 2; }
for program in munged slurmctld slurmd srun; do
  command -v $program >/dev/null || { echo "cluster.sh: $program is not installed (Debian: slurm-wlm)" >&2; exit 3; }
done

# Nobody else reaches it: what munged vouches for runs as who calls this.
folder=$(mktemp -d "${TMPDIR:-/tmp}/slurm-XXXXXX")
started=()
stop() {
  local process
  for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
  for process in "${started[@]}"; do wait "$process" 2>/dev/null || true; done
  rm -rf "$folder"
}
trap stop EXIT
start() { # LOG COMMAND...
  local log=$1
  shift
  "$@" >"$folder/$log" 2>&1 &
  started+=($!)
}
failed() {
  echo "cluster.sh: $1" >&2
  tail -n 5 "$folder"/*.log >&2
  exit 3
}
free_ports() { # COUNT: the first of so many neighbours that nobody listens to
  local first=$((20000 + RANDOM % 20000)) port
  for ((port = first; port < first + $1; ++port)); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      free_ports "$1"
      return
    fi
  done
  echo "$first"
}

mkdir -m 755 "$folder/munge" "$folder/state"
mkdir -m 700 "$folder/key"
dd if=/dev/urandom of="$folder/key/key" bs=128 count=1 status=none
chmod 600 "$folder/key/key"
start munged.log munged --foreground --force --key-file="$folder/key/key" --socket="$folder/munge/socket" \
  --pid-file="$folder/munge/pid" --log-file="$folder/munge.log" --seed-file="$folder/key/seed" --num-threads=2

port=$(free_ports $((nodes + 1)))
user=$(id -un)
cat >"$folder/slurm.conf" <<CONF
ClusterName=here
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$folder/munge/socket
SlurmctldPort=$port
StateSaveLocation=$folder/state
SlurmctldPidFile=$folder/slurmctld.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmdLogFile=$folder/slurmd-%n.log
SlurmdSpoolDir=$folder/spool-%n
SlurmdParameters=config_overrides
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/linear
SchedulerType=sched/builtin
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
CommunicationParameters=NoAddrCache
CONF
for ((i = 1; i <= nodes; ++i)); do
  mkdir "$folder/spool-node$i"
  echo "NodeName=node$i NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$((port + i)) CPUs=1 State=UNKNOWN"
done >>"$folder/slurm.conf"
{
  printf '%s\n' "${SLURM_CONF_LINES:-}"
  echo "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
} >>"$folder/slurm.conf"
echo "CgroupAutomount=no" >"$folder/cgroup.conf"
export SLURM_CONF=$folder/slurm.conf

for ((i = 0; i < 100; ++i)); do [ -S "$folder/munge/socket" ] && break; sleep 0.05; done
[ -S "$folder/munge/socket" ] || failed "munged does not start"
start slurmctld-start.log slurmctld -D -f "$SLURM_CONF"
for ((i = 1; i <= nodes; ++i)); do start "slurmd-start-$i.log" slurmd -D -f "$SLURM_CONF" -N "node$i"; done
for ((i = 0; i < 600; ++i)); do
  [ "$(sinfo -h -t idle -o %D 2>/dev/null || true)" = "$nodes" ] && break
  sleep 0.1
done
[ "$(sinfo -h -t idle -o %D 2>/dev/null || true)" = "$nodes" ] || failed "the nodes do not come up"
"$@"
