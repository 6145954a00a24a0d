#!/usr/bin/env bash
# run.sh BUILD MINUTES [REGEX]: runs the fuzzers of BUILD/bin (those whose name matches) for that long, a slice each, always the one that
# has the fewest runs. What was found and how often each ran is kept in BUILD, so that the next call goes on:
#   corpus/FUZZER     inputs that reach something; what seeds.sh makes is merged into it at the first start, and when seeds.sh changes
#   artifacts/FUZZER  inputs that crashed, hung or used too much memory; run the fuzzer with one as its argument to see why
#   runs              a line for each: name, runs, seconds, coverage, findings
# SLICE: seconds a slice (60). Ends with 1 where there are findings.
set -euo pipefail
build=$1 minutes=$2 wanted=${3:-.}
slice=${SLICE:-60}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
shared=${TRAINSCOPE_SHARED:-$here/../../../shared}
mkdir -p "$build"/{corpus,artifacts,logs,merged}
touch "$build/runs"
# Where memory was allocated is told when a finding is shown again, without these options. What is not there does not take time:
# filling what is allocated, keeping megabytes of what small inputs freed.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:allocator_may_return_null=1:malloc_context_size=0:max_malloc_fill_size=0:quarantine_size_mb=4:thread_local_quarantine_size_kb=64}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1}
# Small inputs reach nearly as much as large ones and run ten times as often: most slices cut them at 256 bytes. A schedule that does
# not weigh each input by how rare everything is that it reaches is faster, too. Inputs that only choose among forms are a byte long:
# what is made of them need not stay so short.
limits=(-rss_limit_mb=2048 -malloc_limit_mb=1024 -timeout=20 -report_slow_units=20 -entropic=0 -len_control=0)
longest=(256 256 256 256 256 256 256 4096)
# In less a table has no rows, and a trace has none beside it.
declare -A longest_of=([fuzz_training_table]=1024 [fuzz_kineto]=1024)
# Handing the pieces of such inputs to other threads takes longer than reading them.
export TRAINSCOPE_THREADS=1

mapfile -t fuzzers < <(find "$build/bin" -maxdepth 1 -type f -executable -name 'fuzz_*' -printf '%f\n' | grep -E "$wanted" | sort)
[ ${#fuzzers[@]} -gt 0 ] || { echo "run.sh: no fuzzers in $build/bin" >&2; exit 2; }

(
  flock 9
  if [ ! -d "$build/seeds" ] || [ "$here/seeds.sh" -nt "$build/seeds" ]; then
    rm -rf "$build/seeds.part"
    "$here/seeds.sh" "$shared" "$build/seeds.part"
    rm -rf "$build/seeds"
    mv "$build/seeds.part" "$build/seeds"
    touch "$build/seeds"
  fi
) 9>"$build/seeds.lock"

kept() { awk -v n="$1" -v c="$2" '$1 == n {v = $c} END {print v + 0}' "$build/runs"; }

# keep NAME RUNS SECONDS COVERAGE FINDINGS; several calls may run on one BUILD.
keep() (
  flock 9
  { grep -v "^$1 " "$build/runs" || true; echo "$*"; } >"$build/runs.part"
  mv "$build/runs.part" "$build/runs"
) 9>"$build/runs.lock"

findings() { mkdir -p "$build/artifacts/$1" && find "$build/artifacts/$1" -type f | wc -l; }

status=0

# merge_seeds NAME: into its corpus, what they reach beyond it. Without them it runs with what it has, which is told in the end.
merge_seeds() {
  local name=$1 log=$build/logs/$1.merge.log
  [ -d "$build/seeds/$name" ] && [ ! "$build/merged/$name" -nt "$build/seeds" ] || return 0
  if "$build/bin/$name" -merge=1 -max_len=4096 "${limits[@]}" -artifact_prefix="$build/artifacts/$name/" \
    "$build/corpus/$name" "$build/seeds/$name" >"$log" 2>&1; then
    touch "$build/merged/$name"
  else
    echo "run.sh: the seeds of $name were not merged:" >&2
    tail -n 5 "$log" >&2
    status=1
  fi
}

run_slice() {
  local name=$1 seconds=$2 log=$build/logs/$1.log runs coverage begin=$SECONDS
  local corpus=$build/corpus/$name
  mkdir -p "$build/artifacts/$name" "$corpus"
  merge_seeds "$name"
  "$build/bin/$name" -max_total_time="$seconds" -print_final_stats=1 -max_len="${longest_of[$name]:-${longest[RANDOM % ${#longest[@]}]}}" "${limits[@]}" -artifact_prefix="$build/artifacts/$name/" "$corpus" >"$log" 2>&1 || true
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)
  # A run that ends with a finding prints no sums: its last line of progress has them.
  [ -n "$runs" ] || runs=$(sed -nE 's/^#([0-9]+).*/\1/p' "$log" | tail -1)
  [ "${runs:-0}" -gt 0 ] || { echo "run.sh: $name did not run:" >&2 && tail -n 5 "$log" >&2 && return 1; }
  coverage=$(sed -nE 's/.* cov: ([0-9]+) .*/\1/p' "$log" | tail -1)
  keep "$name" $(($(kept "$name" 2) + ${runs:-0})) $(($(kept "$name" 3) + SECONDS - begin)) "${coverage:-$(kept "$name" 4)}" "$(findings "$name")"
}

# One that did not run, or has just found something, waits until the others had their turn: it would do so again.
declare -A waits=()
end=$((SECONDS + minutes * 60))
while [ $SECONDS -lt $end ]; do
  [ ${#waits[@]} -lt ${#fuzzers[@]} ] || waits=()
  least="" fewest=""
  for name in "${fuzzers[@]}"; do
    [ -z "${waits[$name]:-}" ] || continue
    count=$(kept "$name" 2)
    if [ -z "$least" ] || [ "$count" -lt "$fewest" ]; then least=$name fewest=$count; fi
  done
  left=$((end - SECONDS))
  before=$(findings "$least")
  run_slice "$least" $((left < slice ? left : slice)) || status=1 waits[$least]=1
  [ "$(findings "$least")" -eq "$before" ] || waits[$least]=1
done

printf '%-26s %12s %10s %9s %9s\n' fuzzer runs coverage runs/s findings
for name in "${fuzzers[@]}"; do
  seconds=$(kept "$name" 3)
  printf '%-26s %12d %10d %9d %9d\n' "$name" "$(kept "$name" 2)" "$(kept "$name" 4)" $(($(kept "$name" 2) / (seconds > 0 ? seconds : 1))) "$(findings "$name")"
  [ "$(findings "$name")" -eq 0 ] || status=1
done
exit $status
