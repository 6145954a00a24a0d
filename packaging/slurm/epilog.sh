#!/usr/bin/env bash
# Ends what prolog.sh began on this node: as Slurm's Epilog, or as srun's --task-epilog. The file is whole then, and
# belongs to the job's user. Ends with 0 whatever happens, for the same reason.
set -u
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
# shellcheck source=/dev/null
[ ! -r /etc/trainscope/slurm.sh ] || . /etc/trainscope/slurm.sh
# shellcheck source=/dev/null
. "$here/settings.sh"
[ "${SLURM_LOCALID:-0}" = 0 ] || exit 0
note=$TRAINSCOPE_FOLDER/.${SLURM_JOB_ID:?no job of Slurm}-${SLURMD_NODENAME:-$(hostname -s)}.pid
[ -r "$note" ] || exit 0
process=$(cat "$note")
rm -f "$note"
# Numbers of processes are given again.
tr '\0' ' ' 2>/dev/null <"/proc/$process/cmdline" | grep -q -- --until-stopped || exit 0
kill -TERM "$process" 2>/dev/null
for ((i = 0; i < 300; ++i)); do
  kill -0 "$process" 2>/dev/null || break
  sleep 0.1
done
if [ "$(id -u)" = 0 ] && [ -n "${SLURM_JOB_UID:-}" ]; then
  chown "$SLURM_JOB_UID" "$TRAINSCOPE_FOLDER/$SLURM_JOB_ID-"*.trainscope "$TRAINSCOPE_FOLDER/$SLURM_JOB_ID-"*.log 2>/dev/null
fi
exit 0
