#!/bin/sh
# Records the small GPT, its operators and the machine on a node with one NVIDIA GPU or more, into
# the folder $1. Changes no clock, limit or mode of the GPU. See README.md.
set -eu
out=${1:-recording}
here=$(dirname "$0")
mkdir -p "$out"
nvidia-smi -q > "$out/nvidia-smi-q.txt"
nvidia-smi topo -m > "$out/topology.txt" || true
fields=timestamp,index,power.draw.instant,power.draw.average,temperature.gpu,temperature.memory,clocks.sm,clocks.mem
fields=$fields,utilization.gpu,utilization.memory,memory.used,clocks_event_reasons.active
nvidia-smi --query-gpu=$fields --format=csv -lms 100 > "$out/nvidia-smi.csv" &
log=$!
trap 'kill $log' EXIT
trainscope-cli record --interval 20ms --gpus 0 --into "$out/run.trainscope" --kineto "$out/traces" \
  -- python3 "$here/train.py" --out "$out"
python3 "$here/operators.py" --out "$out/operators.csv"
trainscope-cli export "$out/run.trainscope" --out "$out/samples"
