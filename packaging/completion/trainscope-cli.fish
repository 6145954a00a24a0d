# fish completion of trainscope-cli

function __trainscope_cli_runs
    for word in (commandline -opc)
        if string match -q '*.trainscope' -- $word; and test -f $word
            trainscope-cli query $word 'SELECT name FROM run ORDER BY name' 2>/dev/null | tail -n +2
        end
    end
end

set -l commands import info summary kernels align collectives findings layout topology figure report export query remove vacuum check
set -l metrics gpu_power mem_power gpu_temperature mem_temperature sm_clock mem_clock gpu_utilization \
    mem_utilization nvlink_rx nvlink_tx pcie_rx pcie_tx ib_rx ib_tx kernels
set -l chosen __fish_seen_subcommand_from

complete -c trainscope-cli -n "not $chosen $commands" -f
complete -c trainscope-cli -n "not $chosen $commands" -l version -d 'Print the version'
complete -c trainscope-cli -l help -d 'Print the help'
complete -c trainscope-cli -n "not $chosen $commands" -a import -d 'Read files and folders into a run database'
complete -c trainscope-cli -n "not $chosen $commands" -a info -d 'List the runs, layouts and sources'
complete -c trainscope-cli -n "not $chosen $commands" -a summary -d 'Means, extremes, totals and energy'
complete -c trainscope-cli -n "not $chosen $commands" -a kernels -d 'Kernels and busy, overlapped and idle time'
complete -c trainscope-cli -n "not $chosen $commands" -a layout -d 'Ranks, groups, layers and schedule'
complete -c trainscope-cli -n "not $chosen $commands" -a align -d 'How far the clocks of the ranks are apart'
complete -c trainscope-cli -n "not $chosen $commands" -a collectives -d 'Bandwidths, waits and stragglers'
complete -c trainscope-cli -n "not $chosen $commands" -a findings -d 'What deserves attention'
complete -c trainscope-cli -n "not $chosen $commands" -a topology -d 'GPUs and network cards of a node'
complete -c trainscope-cli -n "not $chosen $commands" -a figure -d 'Draw a figure as PNG, PDF or SVG'
complete -c trainscope-cli -n "not $chosen $commands" -a report -d 'Findings, tables and figures as one file'
complete -c trainscope-cli -n "not $chosen $commands" -a export -d 'Write samples, kernels and spans as CSV'
complete -c trainscope-cli -n "not $chosen $commands" -a query -d 'Ask the database in SQL'
complete -c trainscope-cli -n "not $chosen $commands" -a remove -d 'Remove a run from a database'
complete -c trainscope-cli -n "not $chosen $commands" -a vacuum -d 'Give unused space back to the system'
complete -c trainscope-cli -n "not $chosen $commands" -a check -d 'List what is damaged'

complete -c trainscope-cli -n "$chosen import" -l into -r -F -d 'The run database'
complete -c trainscope-cli -n "$chosen import" -l name -x -d 'Name of the run, or a prefix'
complete -c trainscope-cli -n "$chosen import" -l format -x -a 'charllm kineto nvsmi' -d 'Read as this format only'
complete -c trainscope-cli -n "$chosen import" -l threads -x -d 'Threads to read with'
complete -c trainscope-cli -n "$chosen import info summary kernels align collectives findings layout topology query check" -l json -d 'Print one JSON object'
complete -c trainscope-cli -n "$chosen summary" -l detail -d 'Also throttling, airflow, settling, bursts and spectrum'
complete -c trainscope-cli -n "$chosen summary" -l steady -d 'Leave out warm-up and unsettled iterations'
complete -c trainscope-cli -n "$chosen summary kernels align collectives findings layout figure report export remove" -l run -x -a '(__trainscope_cli_runs)' -d 'The run'
complete -c trainscope-cli -n "$chosen kernels" -l categories -r -F -a 'default charllm' -d 'Table of kernel categories'
complete -c trainscope-cli -n "$chosen kernels" -l steady -d 'Leave out warm-up and unsettled iterations'
complete -c trainscope-cli -n "$chosen kernels" -l iteration -x -d 'Only this iteration'
complete -c trainscope-cli -n "$chosen figure export" -l metric -x -a "$metrics" -d 'The metric'
complete -c trainscope-cli -n "$chosen figure report export" -l out -r -F -d 'Where to write'
complete -c trainscope-cli -n "$chosen remove" -l vacuum -d 'Give the space back afterwards'
complete -c trainscope-cli -n "$chosen export" -l force -d 'Replace files of the same names'
complete -c trainscope-cli -n "$chosen figure" -l kind -x \
  -a 'timeline heatmap parallelism-sweep optimization-sweep microbatch-sweep kernels stage-breakdown spectrum' -d 'What to draw'
complete -c trainscope-cli -n "$chosen collectives" -l network-gbps -x -d 'Peak of a network link of a GPU, Gbit/s'
complete -c trainscope-cli -n "$chosen collectives" -l own-clocks -d 'Waits by the clock of each rank'
complete -c trainscope-cli -n "$chosen figure" -l width-mm -x -a '84.6 85.7 177.8' -d 'Width in mm'
complete -c trainscope-cli -n "$chosen figure" -l height-mm -x -d 'Height in mm'
complete -c trainscope-cli -n "$chosen figure" -l theme -x -a 'paper light dark' -d 'Colours'
complete -c trainscope-cli -n "$chosen figure" -l rank -x -d 'Only this rank'
complete -c trainscope-cli -n "$chosen figure" -l from -x -d 'Begin of the window, seconds'
complete -c trainscope-cli -n "$chosen figure" -l to -x -d 'End of the window, seconds'
complete -c trainscope-cli -n "$chosen figure" -l statistic -x -a 'mean peak p99 min total energy' -d 'Of the metric'
complete -c trainscope-cli -n "$chosen figure" -l log -d 'Logarithmic colours or amplitudes'
complete -c trainscope-cli -n "$chosen figure" -l whole-run -d 'Warm-up and unsettled time too'
complete -c trainscope-cli -n "$chosen figure" -l per -x -a 'run stage rank' -d 'A bar of kernels per'
complete -c trainscope-cli -n "$chosen figure" -l normalise -d 'Shares instead of sums'
complete -c trainscope-cli -n "$chosen figure" -l categories -r -a 'default charllm' -d 'Kernel categories'
complete -c trainscope-cli -n "$chosen figure" -l model -x -d 'Only runs of this model'
complete -c trainscope-cli -n "$chosen figure" -l optimization -x -a 'base cc act cc+act' -d 'Only runs with'
complete -c trainscope-cli -n "$chosen figure" -l align-clocks -d 'Traces of all ranks on one clock'
complete -c trainscope-cli -n "$chosen figure" -l csv -r -F -d 'Where the numbers go'
complete -c trainscope-cli -n "$chosen layout" -l nodes -x -d 'Nodes'
complete -c trainscope-cli -n "$chosen layout" -l gpus-per-node -x -d 'GPUs of a node'
complete -c trainscope-cli -n "$chosen layout" -l tp -x -d 'Tensor parallelism'
complete -c trainscope-cli -n "$chosen layout" -l cp -x -d 'Context parallelism'
complete -c trainscope-cli -n "$chosen layout" -l dp -x -d 'Data parallelism'
complete -c trainscope-cli -n "$chosen layout" -l pp -x -d 'Pipeline parallelism'
complete -c trainscope-cli -n "$chosen layout" -l ep -x -d 'Expert parallelism'
complete -c trainscope-cli -n "$chosen layout" -l etp -x -d 'Tensor parallelism of the experts'
complete -c trainscope-cli -n "$chosen layout" -l vpp -x -d 'Virtual stages'
complete -c trainscope-cli -n "$chosen layout" -l order -x -a 'tp-cp-ep-dp-pp tp-cp-ep-pp-dp tp-pp-dp' -d 'Rank order, fastest first'
complete -c trainscope-cli -n "$chosen layout" -l zero -x -a '0 1 2 3' -d 'ZeRO stage'
complete -c trainscope-cli -n "$chosen layout" -l shard-size -x -d 'Ranks of a shard group'
complete -c trainscope-cli -n "$chosen layout" -l layers -x -d 'Layers of the model'
complete -c trainscope-cli -n "$chosen layout" -l stage-layers -x -d 'Layers of each stage'
complete -c trainscope-cli -n "$chosen layout" -l embedding-layer -d 'The embedding counts as a layer'
complete -c trainscope-cli -n "$chosen layout" -l loss-layer -d 'The loss counts as a layer'
complete -c trainscope-cli -n "$chosen layout" -l microbatches -x -d 'Micro-batches of a step'
complete -c trainscope-cli -n "$chosen layout" -l schedule -x -a 'gpipe 1f1b interleaved zero-bubble' -d 'Order of the work'
complete -c trainscope-cli -n "$chosen layout" -l tasks -d 'Also the planned work'
complete -c trainscope-cli -n "$chosen layout" -l model -x -d 'A model of the catalogue'
complete -c trainscope-cli -n "$chosen layout" -l sequence -x -d 'Tokens of a sample'
complete -c trainscope-cli -n "$chosen layout" -l micro-batch -x -d 'Samples of a micro-batch'
