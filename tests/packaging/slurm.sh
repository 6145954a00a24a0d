#!/usr/bin/env bash
# slurm.sh FOLDER: what the scripts in FOLDER end with, whoever fails; a Slurm of one node and a trainscope-cli that say so.
set -euo pipefail
scripts=$1
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cat >"$folder/srun" <<'FAKE'
#!/usr/bin/env bash
while [[ $1 == -* ]]; do shift 2; done
SLURM_NODEID=0 SLURM_NNODES=1 exec "$@"
FAKE
cat >"$folder/trainscope-cli" <<'FAKE'
#!/usr/bin/env bash
if [ "$1" = record ]; then while [ "$1" != -- ]; do shift; done; shift; exec "$@"; fi
case "$*" in *" --into job.trainscope") exit "$MERGE" ;; *bad*) exit 3 ;; esac
FAKE
chmod +x "$folder/srun" "$folder/trainscope-cli"
cd "$folder"

status_of() { # MERGE SCRIPT ARGS...
  local status=0 merge=$1 script=$2
  shift 2
  MERGE=$merge PATH=$folder:$PATH "$scripts/$script" job.trainscope "$@" || status=$?
  echo $status
}
expect() { # STATUS MERGE SCRIPT ARGS...
  local expected=$1 got
  shift
  got=$(status_of "$@")
  [ "$got" = "$expected" ] || { echo "slurm.sh: $* ends with $got, not $expected"; exit 1; }
}
expect 0 0 record.sh true
expect 5 0 record.sh sh -c 'exit 5'
expect 5 1 record.sh sh -c 'exit 5' # the command's status, though the import warns
expect 1 1 record.sh true
expect 0 0 import.sh job one/good other/good
expect 1 1 import.sh job one/good other/good
expect 3 0 import.sh job one/bad other/good # the first folder, and yet the second is read
