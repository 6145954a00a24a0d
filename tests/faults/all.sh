#!/usr/bin/env bash
# all.sh BUILD: what takes too long for every change. 200 programs killed at random moments, a fault at each call that
# reaches the disk, the power gone at each, each byte of a database flipped, and (as root) a full disk at 50 places of each
# operation. Prints what each counted; ends with 1 where something was lost, or said wrongly.
set -uo pipefail
build=$(realpath "${1:?folder of the build}")
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
export QT_QPA_PLATFORM=offscreen QTEST_FUNCTION_TIMEOUT=36000000
export TRAINSCOPE_KILLS=${TRAINSCOPE_KILLS:-200} TRAINSCOPE_FAULTS_EVERY=1 TRAINSCOPE_FLIP_EVERY=1
status=0
for test in tst_Killed tst_Faults tst_PowerLoss tst_PageSums tst_Logs; do
  begin=$SECONDS
  "$build/bin/core_store_tests" "$test" 2>&1 | grep -E "^(QINFO|FAIL!|Totals|XPASS)|Loc:" || true
  [ "${PIPESTATUS[0]}" -eq 0 ] || status=1
  echo "$test: $((SECONDS - begin)) s"
done
if [ "$(id -u)" = 0 ]; then
  "$here/full_disk.sh" "$build/bin" || status=1
else
  echo "SKIPPED: full_disk.sh, which mounts a file system and needs root"
fi
exit $status
