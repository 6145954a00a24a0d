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
# A node has the bundle alone: the program around the scripts, by whatever name it is found.
mkdir -p "$folder/bundle/examples/slurm"
cp "$scripts/record.sh" "$scripts/import.sh" "$folder/bundle/examples/slurm"
mv "$folder/trainscope-cli" "$folder/bundle/trainscope-node"
scripts=$folder/bundle/examples/slurm
expect 5 0 record.sh sh -c 'exit 5'
expect 3 0 import.sh job one/bad other/good
scripts=$1
mv "$folder/bundle/trainscope-node" "$folder"
expect 5 0 record.sh sh -c 'exit 5'
expect 3 0 import.sh job one/bad other/good

# What prolog.sh and epilog.sh write as root follows no link, and goes into no folder that others can write to.
failed() {
  echo "slurm.sh: $1"
  for process in $victim $recorder; do kill "$process"; done
  exit 1
}
victim='' recorder=''
cat >"$folder/trainscope-node" <<'FAKE'
#!/usr/bin/env bash
trap 'exit 0' TERM
while [ "$1" != --into ]; do shift; done
file=${2/\%j/4711}
echo samples >"${file/\%n/0}"
while sleep 0.05; do :; done
FAKE
chmod +x "$folder/trainscope-node"
owner_and_mode() { stat -c '%u %a' "$1"; }
# The file of a job and its log, once the recorder has begun it.
recorded() { for ((i = 0; i < 100; ++i)); do [ -s "$1" ] && return 0; sleep 0.05; done; return 1; }
job_user=$(id -u)
[ "$job_user" != 0 ] || job_user=65534
in_job() { # FOLDER SCRIPT
  env -u SLURM_LOCALID SLURM_JOB_ID=4711 SLURM_NODEID=0 SLURM_NNODES=1 SLURMD_NODENAME=n SLURM_JOB_UID="$job_user" \
    TRAINSCOPE_FOLDER="$1" TRAINSCOPE_NODE="$folder/trainscope-node" bash "$scripts/$2" 2>>"$folder/said" || failed "$2 fails"
}
chmod 755 "$folder"
mkdir -m 755 "$folder/own" "$folder/open"
mkdir "$folder/open/inside" # the folder itself is fine, and yet can be replaced
chmod 777 "$folder/open"
ln -s "$folder/open" "$folder/linked"
for unsafe in open open/inside linked; do
  in_job "$folder/$unsafe" prolog.sh
  [ -z "$(find "$folder/open/" -type f -o -name '.*.pid')" ] || failed "prolog.sh writes into $unsafe"
done
grep -q 'job 4711 is not recorded' "$folder/said" || failed "prolog.sh does not say why"

echo precious >"$folder/victim"
chmod 640 "$folder/victim"
before=$(owner_and_mode "$folder/victim")
bash -c 'while sleep 1; do :; done' --until-stopped & victim=$!
echo $victim >"$folder/pid of another"
cd "$folder/own"
ln -s ../victim 4711-0.log
ln -s ../victim 4711-1.trainscope
ln -s "../pid of another" .4711-n.pid
in_job "$folder/own" epilog.sh
kill -0 $victim || failed "epilog.sh believes a note that is a link"
in_job "$folder/own" prolog.sh
recorder=$(cat .4711-n.pid)
recorded 4711-0.trainscope || failed "prolog.sh records nothing"
[ "$(find . -type f -name '4711-0.log' -perm 600 -o -type f -name .4711-n.pid -perm 600 | wc -l)" = 2 ] \
  || failed "the log or the note follows a link, or others can read it"
in_job "$folder/own" epilog.sh
! kill -0 "$recorder" 2>/dev/null || failed "epilog.sh does not end the recorder"
[ "$(owner_and_mode 4711-0.trainscope)" = "$job_user 600" ] || failed "the recording is not its user's alone"
[ "$(cat "$folder/victim" "$folder/pid of another")" = "precious
$victim" ] || failed "prolog.sh writes where a link leads"
[ "$(owner_and_mode "$folder/victim")" = "$before" ] || failed "epilog.sh gives away what a link leads to"
kill $victim

# Nobody else reaches the cluster that cluster.sh starts.
if command -v slurmctld >/dev/null || [ -x /usr/sbin/slurmctld ]; then
  # shellcheck disable=SC2016
  mode=$("$scripts/cluster.sh" -n 1 sh -c 'stat -c %a "$(dirname "$SLURM_CONF")"') || failed "cluster.sh does not start"
  [ "$mode" = 700 ] || failed "others can enter the folder of cluster.sh ($mode)"
fi
