#!/usr/bin/env bash
# The recording of a training keeps to its time, goes on where memory runs out, and says its phases as they happen; without
# a GPU, on a fake of NVIDIA's library.
# recording.sh BIN SCRIPTS
set -euo pipefail
bin=$1 scripts=$2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export TRAINSCOPE_NVML=$bin/fakes/fake_nvml.so TRAINSCOPE_AMDSMI=/nowhere TRAINSCOPE_FAKE_GPUS=1 PYTHONDONTWRITEBYTECODE=1
for script in "$scripts"/*.py; do python3 -c "import ast, sys; ast.parse(open(sys.argv[1]).read())" "$script"; done
sh -n "$scripts/record.sh"
begin=$(date +%s%N)
"$bin/trainscope-cli" record --model layers=12,hidden=1024,heads=16,vocabulary=50304 --into "$out/run.trainscope" \
  -- python3 "$scripts/train.py" --dry --dry-memory 32 --budget 8 --idle 0.1 --out "$out"
took=$((($(date +%s%N) - begin) / 1000000))
[ "$took" -lt 12000 ] || { echo "took $took ms of 8 s"; exit 1; }
"$bin/trainscope-cli" info "$out/run.trainscope" --json > "$out/info.json"
"$bin/trainscope-cli" summary "$out/run.trainscope" --detail --json > "$out/summary.json"
python3 - "$out" <<'PYTHON'
import json
import sys

folder = sys.argv[1]
plan = json.load(open(f"{folder}/phases.json"))["phases"]
names = [phase["name"] for phase in plan]
assert names == ["eager-4", "eager-16", "eager-16-recompute", "eager-32", "compiled-4", "compiled-16", "compiled-32",
                 "gemm", "copy", "idle"], names
assert {phase["name"] for phase in plan if phase.get("left_out") == "out of memory"} == {"eager-32", "compiled-32"}
assert plan[0]["traced"] and plan[0]["steps"] > 0, plan[0]
run = json.load(open(f"{folder}/info.json"))["runs"][0]
marked = {phase["name"]: phase for phase in run["phases"]}
for phase in plan:
    begin, end = marked[phase["name"]]["start_ns"] / 1e9, marked[phase["name"]]["start_ns"] / 1e9 + marked[phase["name"]]["duration_s"]
    assert abs(begin - phase["begin"]) < 0.5 and abs(end - phase["end"]) < 0.5, (phase, begin, end)
assert "loss" in run["metrics"], run["metrics"]
text = json.dumps(json.load(open(f"{folder}/summary.json")))
assert "tokens_per_s" in text and '"mfu"' in text, text[:2000]
PYTHON
