#!/usr/bin/env bash
# A disk that becomes full at many places of an import, a merge, a removal, a compaction and a recording: a file
# system in memory, a little larger each time. After each, the database is whole and as before or as after, and a
# failure was told in one line. Needs root, because it mounts; run by hand:
#   tests/faults/full_disk.sh FOLDER_OF_PROGRAMS [PLACES of each, 50]
set -uo pipefail
bin=$(realpath "${1:?folder with trainscope-cli}")
places=${2:-50}
if [ "${TRAINSCOPE_UNSHARED:-}" != 1 ]; then
  TRAINSCOPE_UNSHARED=1 exec unshare -m bash "$(realpath "$0")" "$bin" "$places"
fi
cli=$bin/trainscope-cli
work=$(mktemp -d)
disk=$work/disk
mkdir "$disk"
trap 'umount "$disk" 2>/dev/null; rm -rf "$work"' EXIT
export QT_QPA_PLATFORM=offscreen TRAINSCOPE_NVML=$bin/fakes/fake_nvml.so TRAINSCOPE_AMDSMI=/nowhere TRAINSCOPE_FAKE_FAULTS=

log() { # rows of nvidia-smi that hardly compress
  awk -v rows="$1" -v seed="$2" 'BEGIN { srand(seed); print "timestamp, index, power.draw [W], temperature.gpu"
    for (i = 0; i < rows; ++i) printf "2026/01/31 %02d:%02d:%02d.%03d, 0, %.2f W, %d\n", i / 36000 % 24, i / 600 % 60,
      i / 10 % 60, i % 10 * 100, 100 + 600 * rand(), 30 + 50 * rand() }'
}
log 20000 1 >"$work/old.csv"
log 150000 2 >"$work/new.csv"
log 150000 3 >"$work/third.csv" # merged: of a source that is there already a warning tells
"$cli" import "$work/old.csv" --into "$work/base.db" --name old >/dev/null 2>&1 || exit 2
"$cli" import "$work/new.csv" --into "$work/base.db" --name gone >/dev/null 2>&1 || exit 2
"$cli" import "$work/third.csv" --into "$work/other.db" --name new >/dev/null 2>&1 || exit 2

operate() { # OPERATION DATABASE
  case $1 in
    import) "$cli" import "$work/new.csv" --into "$2" --name new ;;
    merge) "$cli" import "$work/other.db" --into "$2" ;;
    remove) "$cli" remove "$2" --run gone ;;
    vacuum) "$cli" vacuum "$2" ;;
    record) TRAINSCOPE_FAKE_GPUS=8 "$cli" record --into "$2" --name job --interval 10ms -- sleep 3 ;;
  esac
}
# Beside what went wrong, `record` tells on standard error what it recorded.
troubles() { # MESSAGE
  grep -vE '^(Recorded|Sampled) ".*sampling delay' <<<"$1" | sed '/^$/d'
}
state() { "$cli" query "$1" --csv "SELECT run.name, metric, series.count, mean FROM series JOIN run ON run.id=series.run ORDER BY 1, 2"; }
kilobytes() { echo $((($(stat -c %s "$1") + 1023) / 1024)); }

status=0
for operation in import merge remove vacuum record; do
  rm -f "$work"/after.db*
  cp "$work/base.db" "$work/after.db"
  operate $operation "$work/after.db" >/dev/null 2>&1 || { echo "$operation fails on a good disk"; exit 2; }
  before=$(state "$work/base.db")
  after=$(state "$work/after.db")
  first=$(($(kilobytes "$work/base.db") + 16))
  span=$((3 * first))
  [ $operation != record ] || { span=$((2 * first)); first=$((2 * span)); } # with less its run cannot even begin
  told=0 done=0 last=
  for ((place = 0; place < places; ++place)); do
    size=$((first + place * span / places))
    mount -t tmpfs -o size=${size}k none "$disk" || exit 2
    cp "$work/base.db" "$disk/run.db" || exit 2
    message=$(operate $operation "$disk/run.db" 2>&1 >/dev/null)
    code=$?
    mount -o remount,size=1g "$disk"
    left=$(state "$disk/run.db" 2>&1)
    check=$("$cli" check "$disk/run.db" 2>&1) || { echo "$operation, $size KiB: $check"; status=1; }
    if [ $operation = record ]; then
      [ -z "$(comm -23 <(sort <<<"$before") <(sort <<<"$left"))" ] || { echo "record, $size KiB: lost, of $left"; status=1; }
    elif [ "$left" != "$after" ] && { [ $code = 0 ] || [ "$left" != "$before" ]; }; then
      echo "$operation, $size KiB: ended with $code and left"; echo "$left"; status=1
    fi
    trouble=$(troubles "$message")
    # A failure is one line; what was done in spite of the disk may warn, a line each.
    if [ $code != 0 ] && { [ "$(wc -l <<<"$message")" != 1 ] || [[ $message != "error: "* ]]; }; then
      echo "$operation, $size KiB: ended with $code and said:"; echo "$message"; status=1
    elif [ $code = 0 ] && grep -v '^warning: ' <<<"$trouble" | grep -q .; then
      echo "$operation, $size KiB: was done and said:"; echo "$message"; status=1
    fi
    if [ $code = 0 ] && [ -z "$trouble" ]; then done=$((done + 1)); else told=$((told + 1)); last=$trouble; fi
    umount "$disk"
  done
  if [ $told = 0 ] || [ $done = 0 ]; then echo "$operation: the sizes do not reach from too small to large enough"; status=1; fi
  echo "$operation: $places sizes of the disk, $told told, $done succeeded; the last message: ${last##*$'\n'}"
done
exit $status
