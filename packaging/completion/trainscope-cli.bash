# bash completion of trainscope-cli

_trainscope_cli_databases() {
  mapfile -t COMPREPLY < <(compgen -d -- "$1"; compgen -f -X '!*.trainscope' -- "$1")
}

_trainscope_cli_words() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

# Names of the runs in the database on the command line.
_trainscope_cli_runs() {
  local database=$1 current=$2 names
  [ -f "$database" ] || return
  names=$(trainscope-cli query "$database" "SELECT name FROM run ORDER BY name" 2>/dev/null | tail -n +2)
  local IFS=$'\n'
  mapfile -t COMPREPLY < <(compgen -W "$names" -- "$current")
}

_trainscope_cli() {
  local cur prev words cword current previous options command=
  _get_comp_words_by_ref -n : cur prev words cword
  current=$cur
  previous=$prev
  COMPREPLY=()
  local commands="import info summary kernels align collectives correlate cluster findings compare layout placement topology figure report export query remove vacuum check"
  [ "$cword" -gt 1 ] && command=${words[1]}
  case "$previous" in
    --run) _trainscope_cli_runs "${words[2]}" "$current"; return ;;
    --into) _trainscope_cli_databases "$current"; return ;;
    --format) _trainscope_cli_words "charllm kineto nvsmi" "$current"; return ;;
    --kind) _trainscope_cli_words "timeline heatmap parallelism-sweep optimization-sweep microbatch-sweep kernels stage-breakdown spectrum comparison comparison-board comparison-breakdown comparison-timeline comparison-heatmap layout layout-grid" "$current"; return ;;
    --colour) _trainscope_cli_words "stage tensor data expert context node gpu_temperature gpu_power sm_clock" "$current"; return ;;
    --order) _trainscope_cli_words "tp-cp-ep-dp-pp tp-cp-ep-pp-dp tp-pp-dp" "$current"; return ;;
    --schedule) _trainscope_cli_words "gpipe 1f1b interleaved zero-bubble zero-bubble-v" "$current"; return ;;
    --zero) _trainscope_cli_words "0 1 2 3" "$current"; return ;;
    --theme) _trainscope_cli_words "paper light dark" "$current"; return ;;
    --width-mm) _trainscope_cli_words "84.6 85.7 177.8" "$current"; return ;;
    --metric)
      _trainscope_cli_words "gpu_power mem_power gpu_temperature mem_temperature sm_clock mem_clock \
        gpu_utilization mem_utilization nvlink_rx nvlink_tx pcie_rx pcie_tx ib_rx ib_tx kernels" "$current"
      return ;;
    --out)
      if [ "$command" = export ]; then
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
      else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
      fi
      return ;;
    --categories)
      mapfile -t COMPREPLY < <(compgen -W "default charllm" -- "$current"; compgen -f -- "$current")
      return ;;
    --a|--b)
      _trainscope_cli_words "gpu_power gpu_temperature sm_clock gpu_utilization node_power" "$current"
      return ;;
    --max-lag|--airflow|--power-limit) return ;;
    --csv) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    --name|--threads|--network-gbps|--height-mm|--rank|--from|--to|--iteration) return ;;
    --nodes|--gpus-per-node|--tp|--cp|--dp|--pp|--ep|--etp|--vpp|--shard-size|--layers|--stage-layers|--microbatches|--microbatch-group|--model|--sequence|--micro-batch) return ;;
  esac
  case "$command" in
    import)
      if [[ $current == -* ]]; then
        _trainscope_cli_words "--into --name --format --threads --json --help" "$current"
      else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
      fi
      return ;;
    info) options="--json --help" ;;
    summary) options="--run --detail --steady --power-limit --per-gpu --json --help" ;;
    kernels) options="--run --categories --steady --iteration --json --help" ;;
    layout)
      options="--run --nodes --gpus-per-node --tp --cp --dp --pp --ep --etp --vpp --order --zero --shard-size --layers \
        --stage-layers --embedding-layer --loss-layer --model --sequence --micro-batch --microbatches --microbatch-group \
        --schedule --save --forget --traced --iteration --traffic --rank --tasks --json --help" ;;
    placement) options="--run --out-args --json --help" ;;
    topology)
      if [[ $current == -* ]]; then
        _trainscope_cli_words "--json --help" "$current"
      else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
      fi
      return ;;
    correlate) options="--run --a --b --max-lag --json --help" ;;
    cluster) options="--run --airflow --topology --nodes-per-rack --nvlink-domain --network-gbps --reset --json --help" ;;
    align) options="--run --json --help" ;;
    findings) options="--run --network-gbps --json --help" ;;
    compare) options="--run --saved --save --list --whole-run --normalise --sort --json --help" ;;
    collectives) options="--run --network-gbps --own-clocks --json --help" ;;
    figure)
      options="--kind --run --out --width-mm --height-mm --theme --metric --rank --colour --at --from --to --align-clocks --statistic --log
        --whole-run --per --iteration --planned --stacked --stretch --saved --sort --normalise --categories --model --optimization --csv --help" ;;
    report) options="--run --out --help" ;;
    export) options="--run --metric --out --force --help" ;;
    query) options="--json --help" ;;
    remove) options="--run --vacuum --help" ;;
    vacuum) options="--help" ;;
    check) options="--json --help" ;;
    *) _trainscope_cli_words "$commands --help --version" "$current"; return ;;
  esac
  if [[ $current == -* ]]; then
    _trainscope_cli_words "$options" "$current"
  else
    _trainscope_cli_databases "$current"
  fi
}

complete -o filenames -F _trainscope_cli trainscope-cli
