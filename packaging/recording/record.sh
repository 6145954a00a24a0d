#!/bin/sh
# Records the small GPT, its operators and the machine on a node with one NVIDIA GPU or more, into
# the folder $1, in $2 seconds (360 unless given). Changes no clock, limit or mode of the GPU. See README.md.
set -eu
out=${1:-recording}
budget=${2:-360}
here=$(dirname "$0")
mkdir -p "$out"
nvidia-smi -q > "$out/nvidia-smi-q.txt"
nvidia-smi topo -m > "$out/topology.txt" || true
fields=timestamp,index,power.draw.instant,power.draw.average,temperature.gpu,temperature.memory,clocks.sm,clocks.mem
fields=$fields,utilization.gpu,utilization.memory,memory.used,clocks_event_reasons.active
nvidia-smi --query-gpu=$fields --format=csv -lms 100 > "$out/nvidia-smi.csv" &
log=$!
trap 'kill $log 2> /dev/null || true' EXIT
# A tenth is left for what starts, ends, and is imported and exported.
trainscope-cli record --interval 20ms --gpus 0 --model layers=12,hidden=1024,heads=16,vocabulary=50304 \
  --into "$out/run.trainscope" --kineto "$out/traces" \
  -- timeout $((budget * 62 / 100)) python3 "$here/train.py" --out "$out" --budget $((budget * 6 / 10)) \
  || echo "train.py ended with $?; what it did is recorded."
timeout $((budget * 32 / 100)) python3 "$here/operators.py" --out "$out/operators.csv" --budget $((budget * 3 / 10)) \
  || echo "operators.py ended with $?."
trainscope-cli export "$out/run.trainscope" --out "$out/samples"
