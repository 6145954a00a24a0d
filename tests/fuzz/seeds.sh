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
    name=${file#"$shared"/}
    name=${name//\//_}
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

# seed FUZZER NAME: what is printed to it, which may say of what it is in its first byte, and have several parts between \036.
seed() {
  mkdir -p "$out/$1"
  cat >"$out/$1/$2"
}

# lead FUZZER BYTE: the byte, as printf takes it, in front of its pieces so far.
lead() {
  local piece
  for piece in "$out/$1"/*; do
    [ -f "$piece" ] || continue
    { printf '%b' "$2" && cat "$piece"; } >"$piece.led" && mv "$piece.led" "$piece"
  done
}

# choices FUZZER NUMBER: inputs that only choose, up to that.
choices() {
  local choice
  for ((choice = 0; choice < $2; choice++)); do printf '%b' "\\0$(printf '%o' "$choice")" | seed "$1" "choice$choice"; done
}

for trace in "$shared"/kineto/*.json.gz "$shared"/kineto/*/*.json "$own"/kineto/pair/*; do
  [ -f "$trace" ] && events "$trace"
done
cut fuzz_nvsmi 1500 "$shared"/nvidia_smi/* "$own"/nvidia_smi/*
cut fuzz_meters 1500 "$shared"/{amd_smi,dcgm,mlperf_power,prometheus,zeus,nvidia_smi}/* "$own"/nvidia_smi/* \
  "$shared"/wild_small/*/{smi,power,gpu,log,emissions,amd_smi,rocm_smi,tegrastats,dmon,monitor,rocm,power_log,gpu_power}.*
cut fuzz_number 40 "$shared"/nvidia_smi/*
cut fuzz_trainlog 3000 "$shared"/train_logs/* "$own"/train_logs/* \
  "$shared"/wild_small/*/{train,training,trainer_log,megatron,titan,log,pretrain,base_train,train_log,result_0,worker_0,wandb_export}.*
cut fuzz_nccl 3000 "$shared"/topology/*.out "$own"/topology/*.out "$shared"/wild_small/*nccl-{tests,logs}*/{,*/}*.log
cut fuzz_nccl_inspector 1000 "$shared"/wild_small/*inspector*/*.log
lead fuzz_nccl_inspector '\01'
cut fuzz_memory_snapshot 3000 "$shared"/wild_small/*/*.pickle
cut fuzz_xplane 3000 "$shared"/wild_small/*/{,both/}*.xplane.pb
lead fuzz_xplane '\02'
cut fuzz_tracker_events 3000 "$shared"/tensorboard/*
lead fuzz_tracker_events '\02'
printf 'Epoch: 0 | Step: 1 | PPO Epoch: 1 | Actor Loss: 0.5 | Critic Loss: 0.2 | Unsupervised Loss: 0.0\nEnd-to-End => Latency: 5.0s, TFLOPs: 22.5, Samples/sec: 8.0, Time/seq 0.1s, Batch Size: 32, Total Seq. Length: 512\nAverage reward score: -4.5\nEpoch: 0, Step: 2, Rank: 0, loss = 2.4\nModel Parameters: 0.3 B, Latency: 0.5s, TFLOPs: 14.9, Samples/sec: 32.0\n' | seed fuzz_trainlog deepspeed_chat
printf '(TaskRunner pid=7) step:1 - actor/pg_loss:np.float64(-0.01) - actor/lr:1e-06 - timing_s/step:40.0 - perf/throughput:200.0\nstep:1 - val/score:0.5\n' | seed fuzz_trainlog verl
printf 'Step 1 | loss:3.5 lr:2e-05 tokens_per_second_per_gpu:9077.2\n1|2|Loss: 2.5:   2%%|2  | 2/100 [00:04<03:16,  2.00s/it]\r1|3|Loss: 2.4:   3%%|2  | 3/100 [00:06<03:16,  2.00s/it]\n' | seed fuzz_trainlog torchtune
printf 'Num_devices: 8, shape (8,)\ncompleted step: 1, seconds: 5.5, TFLOP/s/device: 136.0, Tokens/s/device: 8000.0, total_weights: 65536, loss: 11.0\n' | seed fuzz_trainlog maxtext
printf '[batch=1/3]:\n\t Train loss/train/total: 11.5\n\t Train time/train: 0.01\n[batch=2/3]:\n\t Train throughput/batches_per_sec: 0.5\n\t Train loss/train/total: 10.5\n' | seed fuzz_trainlog composer
printf 'epoch,lr-AdamW,step,train_loss,val_loss\n,0.001,9,,\n0,,9,4.5,\n0,,19,3.5,3.7\n' | seed fuzz_trainlog table
printf ':::MLL 1571433686.0 run_start: {"value": null, "metadata": {}}\n:::MLLOG {"time_ms": 1571433688000, "key": "tracked_stats", "value": {"train_step_timing": 2.0}, "metadata": {"step": 512}}\n:::MLLOG {"time_ms": 1571433689000, "key": "block_stop", "value": null, "metadata": {"first_epoch_num": 1}}\n' | seed fuzz_trainlog mllog_times
printf '# size count type redop root time algbw busbw #wrong\n 1048576 262144 float sum -1n1:7:8 [0] NCCL INFO Connected all rings\n 20.00 52.43 52.43 0n1:7:9 [1] NCCL INFO x\n 21.00 50.00 50.00 N/A\n' | seed fuzz_nccl cut_rows
cut fuzz_topology 3000 "$shared"/topology/* "$own"/topology/*
cut fuzz_exectrace 3000 "$shared"/chakra_et/*.json "$shared"/chakra_et/*.et "$shared"/chakra_et/*.json.gz
cut fuzz_operator_timings 800 "$shared"/operator_samples/*/*
cut fuzz_training_table 1200 "$shared"/measured_training.csv
cut fuzz_engine 3000 "$shared"/prometheus/*.json
lead fuzz_engine '\0'
cut fuzz_nsys 3000 "$shared"/nsys/*.csv
lead fuzz_nsys '\01'
cut fuzz_settings 3000 "$here"/resources/{hardware,models,operator_work,kernel_categories}.json
cut fuzz_prediction_request 3000 "$here"/resources/models.json
cut fuzz_registry 1500 "$shared"/{nvidia_smi,amd_smi,train_logs,zeus}/* "$own"/*/*
lead fuzz_registry c
cut fuzz_launch_yaml 3000 "$here"/.clang-format "$here"/.clang-tidy "$here"/packaging/*/*.sh

# Telemetry of a run; beside it a configuration, a script, a trace and the execution trace of its process.
lines=$(for i in 0 1 2 3 4 5 6 7 8 9 10 11; do printf '175500000%d.5,%d\n' $((i % 10)) $((300 + i)); done)
printf '%s\n\036%s\n\0361755000000.0,4294967290\n1755000000.1,4\n\0361755000000,5\n' "$lines" "$lines" | seed fuzz_charllm_csv run
printf '1755000000,n/a\n1755000001,\nt,v\n1.755e9,1e3\n' | seed fuzz_charllm_csv odd
trace='{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":5,"args":{"Record function id":8}}]}'
nodes='{"schema":"1.1.0","pid":1,"nodes":[{"id":2,"name":"aten::mm","ctrl_deps":1,"inputs":{"values":[[47,415,0,6,4,"cuda:0"]],"shapes":[[2,3]],"types":["Tensor(float)"]},"outputs":{"values":[],"shapes":[],"types":[]},"attrs":[{"name":"rf_id","type":"uint64","value":8},{"name":"tid","type":"uint64","value":1}]}]}'
printf '%s\036%s' "$trace" "$nodes" | seed fuzz_kineto with_nodes
printf 'a%s\n\036dtrainer: {devices: 8}\nmodel: {tensor_model_parallel_size: 2}\n\036etorchrun --nproc_per_node 8 train.py --tensor-model-parallel-size 2\n' "$lines" | seed fuzz_registry run
printf 'b%s\036g%s\036d{devices: 1}' "$trace" "$nodes" | seed fuzz_registry traces
entry='"record_id":0,"pg_id":0,"process_group":["0","default_pg"],"collective_seq_id":1,"p2p_seq_id":0,"profiling_name":"nccl:all_reduce","input_sizes":[[3,4],[5]],"input_dtypes":["Float"],"output_sizes":[[3,4]],"state":"completed","is_p2p":false,"time_discovered_started_ns":1724066820000002000,"time_discovered_completed_ns":1724066820000005000,"duration_ms":0.0031}'
printf '%s]}' "$entry" | seed fuzz_flightrecorder entry
printf '"profiling_name":"nccl:send 2->3","p2p_seq_id":7,"state":"started","is_p2p":true}]}' | seed fuzz_flightrecorder message
printf '{"version":"2.10","pg_config":{"1":{"name":"1","desc":"tp","ranks":"[2, 3]"}},"pg_status":{},"entries":[{"time_created_ns":1724066820000001000,%s]}' "$entry" | seed fuzz_flightrecorder dump
printf 'i{"pg_config":{},"entries":[{"time_created_ns":1724066820000001000,%s]}' "$entry" | seed fuzz_registry dump

python3 - <<'END' 2>/dev/null | seed fuzz_memory_snapshot snapshot || true
import pickle, sys
calls = [{'name': 'forward', 'filename': 'model.py', 'line': 3}]
event = lambda action, address, size: {'action': action, 'addr': address, 'size': size, 'stream': 0, 'time_us': 1760000000000000, 'frames': calls}
blocks = [{'address': 4096, 'size': 1024, 'requested_size': 1000, 'state': 'active_allocated', 'frames': calls}]
segment = {'device': 0, 'address': 4096, 'total_size': 2048, 'segment_type': 'small', 'is_expandable': True, 'blocks': blocks}
events = [event('segment_map', 4096, 2048), event('alloc', 4096, 1000), event('free_requested', 4096, 1000), {'action': 'oom', 'device_free': 1, 'size': 9}]
notes = [{'device': 0, 'stage': 'START', 'name': 'step 1', 'time_us': 1}, {'device': 0, 'stage': 'END', 'name': 'step 1', 'time_us': 9}]
sys.stdout.buffer.write(pickle.dumps({'segments': [segment], 'device_traces': [events], 'external_annotations': notes}, 4))
END

printf '\0031\n2\n7 3\nend 3\nend\nnonsense\n' | seed fuzz_mark_pipe marks

# Those that make what they change, by their first byte; without changes it is sound.
choices fuzz_nsys 4
choices fuzz_rocprof 7
choices fuzz_xplane 3
choices fuzz_perfetto 4
choices fuzz_operations 2
choices fuzz_tracker_wandb 1
choices fuzz_tracker_events 1
choices fuzz_tracker_mlflow 2
choices fuzz_nccl_inspector 1
choices fuzz_engine 8
choices fuzz_kept_sums 9
for choice in 1 5; do printf '%b' "\\0$choice" | cat - <(printf '\05\0\0\0\0\0\0\0%.0s' {1..24}) | seed fuzz_kept_sums "numbers$choice"; done

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
lead fuzz_archive '\0'
choices fuzz_archive 8
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

# asked NAME PARAMS: a call of that tool, each for itself and behind a handshake.
asked() {
  local call='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'$1'","arguments":'$2
  printf '\0%s' "$call}}" | seed fuzz_mcp "$1.session"
  printf '\1%s' "$call,"'"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}' |
    seed fuzz_mcp "$1.alone"
}
for tool in runs overview findings kernels timeline replay; do asked $tool '{"run":"a","rows":3}'; done
asked sql '{"sql":"SELECT * FROM samples"}'
asked predict '{"model":"llama3-8b","cluster":"8xH100","layout":"tp=2","global_batch":"64"}'
printf '\0[{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","id":2,"method":"ping"}]' | seed fuzz_mcp batch
