#!/usr/bin/env bash
# seeds.sh SHARED OUT: cuts small pieces out of real files (SHARED/data, where they are there) and of the checkout's own,
# a folder OUT/FUZZER of them for each fuzzer. run.sh minimises them into the corpus.
set -u
shared=$1/data out=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
own=$here/tests/standins/data

plain() { # the bytes of a file, decompressed
  case $1 in
    *.gz) gzip -dc "$1" 2>/dev/null || true ;;
    *) cat "$1" ;;
  esac
}

# cut FUZZER BYTES FILE...: the first bytes of each, and as many from its second third, from a line's beginning on.
cut() {
  local fuzzer=$1 bytes=$2 file name size
  shift 2
  mkdir -p "$out/$fuzzer"
  for file in "$@"; do
    [ -f "$file" ] || continue
    name=$(basename "$file")
    plain "$file" 2>/dev/null | head -c "$bytes" >"$out/$fuzzer/$name.head" || true
    size=$(plain "$file" 2>/dev/null | head -c 3000000 | wc -c)
    [ "$size" -gt $((3 * bytes)) ] || continue
    plain "$file" 2>/dev/null | head -c 3000000 | tail -c +$((size / 3)) | head -c $((2 * bytes)) | tail -n +2 | head -c "$bytes" \
      >"$out/$fuzzer/$name.middle" || true
  done
}

# events FILE: a trace of the first events, closed.
events() {
  mkdir -p "$out/fuzz_kineto"
  plain "$1" 2>/dev/null | head -c 400000 | tr -d '\n' | sed -E 's/("traceEvents" *: *\[)/\1\n/; s/\}, *\{"ph"/},\n{"ph"/g; s/\}, *\{ *"ph"/},\n{"ph"/g' \
    | head -10 | sed '$ s/,$/]}/' | head -c 4000 >"$out/fuzz_kineto/$(basename "$1").events" || true
}

# rows DATABASE NAME FUZZER: the schema and the first rows of each table, as a small database.
rows() {
  command -v sqlite3 >/dev/null && [ -f "$1" ] || return 0
  local made=$out/$3/$2 table
  mkdir -p "$out/$3"
  rm -f "$made"
  sqlite3 "file:$1?mode=ro&immutable=1" .schema | grep -v sqlite_sequence | sqlite3 "$made" 2>/dev/null || true
  for table in $(sqlite3 "$made" "SELECT name FROM sqlite_schema WHERE type='table'"); do
    sqlite3 "$made" "ATTACH 'file:$1?mode=ro&immutable=1' AS big; INSERT INTO \"$table\" SELECT * FROM big.\"$table\" LIMIT 3" 2>/dev/null || true
  done
  sqlite3 "$made" "PRAGMA page_size=512; VACUUM" 2>/dev/null || true
}

for trace in "$shared"/kineto/*.json.gz "$shared"/kineto/*/*.json "$own"/kineto/pair/*; do
  [ -f "$trace" ] && events "$trace"
done
cut fuzz_nvsmi 1500 "$shared"/nvidia_smi/* "$own"/nvidia_smi/*
cut fuzz_meters 1500 "$shared"/{amd_smi,dcgm,mlperf_power,prometheus,zeus,nvidia_smi}/* "$own"/nvidia_smi/*
cut fuzz_charllm_csv 600 "$shared"/mlperf_power/* "$shared"/nvidia_smi/*
cut fuzz_number 40 "$shared"/nvidia_smi/*
cut fuzz_trainlog 3000 "$shared"/train_logs/* "$own"/train_logs/*
cut fuzz_nccl 3000 "$shared"/topology/*.out "$own"/topology/*.out
cut fuzz_topology 3000 "$shared"/topology/* "$own"/topology/*
cut fuzz_exectrace 3000 "$shared"/chakra_et/*.json "$shared"/chakra_et/*.et "$shared"/chakra_et/*.json.gz
cut fuzz_operator_timings 800 "$shared"/operator_samples/*/*
cut fuzz_training_table 1200 "$shared"/measured_training.csv
cut fuzz_engine 3000 "$shared"/prometheus/*.json
cut fuzz_rocprof 3000 "$shared"/kineto/*mi300*.json.gz
cut fuzz_nsys 3000 "$shared"/nsys/*.csv
cut fuzz_settings 3000 "$here"/resources/{hardware,models,operator_work,kernel_categories}.json
cut fuzz_prediction_request 3000 "$here"/resources/models.json
cut fuzz_registry 1500 "$shared"/{nvidia_smi,amd_smi,train_logs,zeus}/* "$own"/*/*
cut fuzz_launch_yaml 3000 "$here"/.clang-format "$here"/.clang-tidy "$here"/packaging/*/*.sh
cut fuzz_flightrecorder 1000 "$shared"/zeus/*.json
rows "$shared/nsys/flame_torch-ex.sqlite" report.sqlite fuzz_nsys

# Archives of the pieces, questions out of the manual, and names.
mkdir -p "$out"/fuzz_{archive,sql,shown_text,signature}
piece=$(mktemp -d)
trap 'rm -rf "$piece"' EXIT
printf '1,2\n3,4\n' >"$piece/gpu_power_0.csv"
printf '{"traceEvents":[]}' >"$piece/a.json"
tar -C "$piece" -cf "$out/fuzz_archive/a.tar" .
gzip -c "$out/fuzz_archive/a.tar" >"$out/fuzz_archive/a.tar.gz"
zstd -q -f "$out/fuzz_archive/a.tar" -o "$out/fuzz_archive/a.tar.zst" 2>/dev/null || true
gzip -c "$piece/gpu_power_0.csv" >"$out/fuzz_archive/a.csv.gz"
command -v zip >/dev/null && (place=$(readlink -f "$out") && cd "$piece" && zip -q "$place/fuzz_archive/a.zip" ./*) || true
number=0
grep -hoE '\b(SELECT|WITH|PRAGMA) [^`"]*' "$here"/resources/manual/query.md "$here"/app/cli/commands/QueryCommand.cpp \
  "$here"/tests/core/store/tst_SqlSamples.cpp | while read -r line; do
  number=$((number + 1))
  printf '%s' "$line" >"$out/fuzz_sql/$number"
done
printf 'metric = '"'"'gpu_power'"'"' AND time_ns BETWEEN 1 AND 9000000000 GROUP BY rank' >"$out/fuzz_sql/where"
printf '=cmd|a!A0\033[31m\342\200\256x' >"$out/fuzz_shown_text/formula"
printf '"a ""b"", c"\r\n-5,+3.5' >"$out/fuzz_shown_text/quotes"
grep -ahoE '"Input Dims": *\[[^}]{0,400}' <(plain "$shared"/kineto/tracelens_h100_bert_small.json.gz 2>/dev/null | head -c 3000000 | tr -d '\n') 2>/dev/null \
  | sort -u | head -40 | while read -r line; do printf '{%s}' "$line" >"$out/fuzz_signature/$(printf '%s' "$line" | cksum | tr -d ' ')"; done || true
find "$out" -type f -size 0 -delete
