#!/usr/bin/env bash
# Inside a room, a folder includes only folders that stand before it: in_order ROOM FOLDER... names them from the
# lowest up. Those joined by a slash stand side by side and do not know each other.
set -uo pipefail
cd "$1" || exit 2
status=0
in_order() {
  local room=$1 known="" step folder found
  shift
  for step in "$@"; do
    for folder in ${step//\// }; do
      found=$(grep -rnE "#include \"$room/[a-z]+/" "$room/$folder" | grep -vE "#include \"$room/($folder$known)/")
      [ -z "$found" ] && continue
      printf '%s/%s includes what stands higher or beside it:\n%s\n\n' "$room" "$folder" "$found"
      status=1
    done
    known="$known|${step//\//|}"
  done
  for folder in "$room"/*/; do
    [[ "$known|" == *"|$(basename "$folder")|"* ]] || { echo "$folder has no place in the order of $room"; status=1; }
  done
}
in_order core/store codec database samples spans tables maintenance sql
in_order core/analysis statistics derived telemetry iterations machine traces operators energy replay schedule cluster steps findings comparison overview
in_order core/predict operators cost profile step power calibration prediction search
in_order core/plot figures timeline layout comparison prediction operators replay iterations overview
in_order core/figures runs timeline layout comparison prediction operators replay iterations overview
formats=$(find importers -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | grep -vxE "common|sqlite|trace|launch|perfetto|tracker|registry" | sort | paste -sd /)
in_order importers common sqlite/trace launch "$formats" perfetto tracker registry # perfetto holds what kineto and rocprof read
in_order app importing/manual/recording cli/painting/engine comparing/reporting/sample drawing/viewmodels/extension main
in_order app/viewmodels text window manual workspace lanes importing inspector session timeline layout figures query comparison runs prediction operators iterations
exit $status
