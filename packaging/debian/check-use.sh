# shellcheck shell=bash disable=SC2154
# Part of check-package.sh: the package in use as the user `tester`, with what it depends on and nothing else.

home=$root/home/tester
awk 'BEGIN {
  print "timestamp, index, name, power.draw [W], temperature.gpu"
  for (i = 0; i < 100; ++i) for (gpu = 0; gpu < 2; ++gpu)
    printf "2024/01/02 03:%02d:%02d.000, %d, NVIDIA H100 80GB HBM3, %d.50 W, %d\n", i / 60, i % 60, gpu, 100 + 100 * gpu + i % 10, 40 + i / 10
}' >"$home/telemetry.csv"
chown -R 1000:1000 "$home"
in_home() { as_user sh -c "cd && $1"; }

say "the command line"
in_home 'trainscope-cli --version'
in_home 'trainscope-cli import telemetry.csv --into job.trainscope --name job' >/dev/null
mean=$(in_home "trainscope-cli query job.trainscope \"SELECT avg(value) FROM samples WHERE metric='gpu_power' AND rank=1\"" | tail -n 1)
[ "$(tr -d ' ' <<<"$mean")" = 205 ] || failed "the mean power is not 205 W but $mean"
in_home 'trainscope-cli figure job.trainscope --kind timeline --out figure.pdf'
in_home 'trainscope-cli report job.trainscope --out report.pdf && trainscope-cli report job.trainscope --out report.html' >/dev/null
cp "$home"/figure.pdf "$home"/report.pdf "$result"

wait_for() { # SECONDS WHAT COMMAND...
  local seconds=$1 what=$2
  shift 2
  for ((i = 0; i < seconds * 5; ++i)); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.2
  done
  tail -n 20 "$result"/*.log >&2
  failed "after $seconds s there is no $what"
}

say "a window without a display"
in_home 'QT_QPA_PLATFORM=offscreen QT_LOGGING_RULES=qt.scenegraph.time.renderloop=true trainscope job.trainscope' >"$result/offscreen.log" 2>&1 &
wait_for 60 "frame without a display" grep 'Frame rendered' "$result/offscreen.log"
sleep 3
kill -0 $! || failed "the window did not stay"
! grep -E 'is not installed|[.]qml:' "$result/offscreen.log" || failed "the window lacks something, see above"
stop_inside
wait $! || true # it was told to end
