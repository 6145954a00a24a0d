# shellcheck shell=bash
# Settings of prolog.sh and epilog.sh, which read this file where it lies beside them, and /etc/trainscope/slurm.sh before.
# Slurm's daemon gives its scripts little of anybody's environment. A variable that is set already stays.

: "${TRAINSCOPE_NODE:=trainscope-node}"           # the program; of the bundle by its whole path, on a folder that all nodes see
: "${TRAINSCOPE_FOLDER:=/var/lib/trainscope}"     # where the files go, %j-%n.trainscope of each job and node
: "${TRAINSCOPE_OPTIONS:=}"                       # more for `record`: --interval 20ms, --model llama3-8b
