#!/usr/bin/env bash
# Ends what prolog.sh began on this node: as Slurm's Epilog, or as srun's --task-epilog. The file is whole then, and
# belongs to the job's user. Ends with 0 whatever happens, for the same reason.
set -u
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
# shellcheck source=/dev/null
[ ! -r /etc/trainscope/slurm.sh ] || . /etc/trainscope/slurm.sh
# shellcheck source=/dev/null
. "$here/settings.sh"
# shellcheck source=packaging/slurm/folder.sh
. "$here/folder.sh"
[ "${SLURM_LOCALID:-0}" = 0 ] || exit 0
job=${SLURM_JOB_ID:?no job of Slurm}
[[ $job =~ ^[0-9]+$ ]] && folder=$(own_folder "$TRAINSCOPE_FOLDER") || exit 0
note=$folder/.$job-${SLURMD_NODENAME:-$(hostname -s)}.pid
[ -f "$note" ] && [ ! -L "$note" ] && [ -O "$note" ] || exit 0
read -r process <"$note"
rm -f -- "$note"
# Numbers of processes are given again.
[[ $process =~ ^[0-9]+$ ]] && [ -O "/proc/$process" ] || exit 0
tr '\0' ' ' 2>/dev/null <"/proc/$process/cmdline" | grep -q -- --until-stopped || exit 0
kill -TERM "$process" 2>/dev/null
for ((i = 0; i < 300; ++i)); do
  kill -0 "$process" 2>/dev/null || break
  sleep 0.1
done
if [ "$(id -u)" = 0 ] && [[ ${SLURM_JOB_UID:-} =~ ^[0-9]+$ ]]; then
  for file in "$folder/$job-"*.trainscope "$folder/$job-"*.log; do
    if [ -f "$file" ] && [ ! -L "$file" ]; then chown -h -- "$SLURM_JOB_UID" "$file"; fi
  done
fi
exit 0
