#!/usr/bin/env bash
# completions.sh bash|zsh|fish FOLDER: what the shell itself completes a command line of FOLDER's trainscope-cli to.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
shell=$1
PATH=$(readlink -f "$2"):$PATH
command -v "$shell" >/dev/null || { echo "SKIPPED: $shell is not installed; its completion was not tried."; exit 0; }
[ "$shell" != bash ] || [ -e /usr/share/bash-completion/bash_completion ] ||
  { echo "SKIPPED: bash-completion is not installed; bash's completion was not tried."; exit 0; }
[ "$shell" != zsh ] || { [ -c /dev/ptmx ] && [ -e /dev/pts/ptmx ]; } ||
  { echo "SKIPPED: there are no pseudo-terminals (/dev/ptmx, /dev/pts), in which zsh is tried."; exit 0; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder XDG_CONFIG_HOME=$folder XDG_DATA_HOME=$folder/share
printf 'timestamp, index, power.draw [W]\n2024/01/02 03:04:05.000, 0, 100 W\n2024/01/02 03:04:06.000, 0, 110 W\n' >smi.csv
trainscope-cli import smi.csv --into runs.trainscope --name 'measured-here' >/dev/null
touch runs.txt
# What a stranger may call a run.
mkdir logs
for name in 'x$(touch ran)`touch ran`' "it's 5% of: *"; do
  cp smi.csv "logs/${#name}.csv" # of one log there is one run
  trainscope-cli import "logs/${#name}.csv" --into hostile.trainscope --name "$name" >/dev/null
done
mkdir 'with blanks'
cp runs.trainscope 'with blanks/my runs.trainscope'

# What the shell offers for the last word of each line of the standard input, one line each; tried as the shell finds it.
offered() {
  case $shell in
    bash) bash --norc "$here/offered.bash" ;;
    zsh) zsh -f "$here/offered.zsh" "$folder/share/zsh" ;;
    fish) fish "$here/offered.fish" ;;
  esac 2>>complaints
}
mkdir -p share/bash-completion/completions share/zsh share/fish/vendor_completions.d
templates=$here/../../packaging/completions
trainscope-cli document bash "$templates/trainscope-cli.bash.in" >share/bash-completion/completions/trainscope-cli
trainscope-cli document zsh "$templates/_trainscope-cli.in" >share/zsh/_trainscope-cli
trainscope-cli document fish "$templates/trainscope-cli.fish.in" >share/fish/vendor_completions.d/trainscope-cli.fish

expected='figure
--width-mm
light
runs.trainscope
measured-here'
got=$(offered <<'LINES'
trainscope-cli figu
trainscope-cli figure runs.trainscope --width
trainscope-cli figure runs.trainscope --theme li
trainscope-cli info runs.tr
trainscope-cli summary runs.trainscope --run meas
LINES
)
got=${got//=/} # zsh adds what a value may stand behind
diff <(echo "$expected") <(echo "$got") || { echo "completions.sh: $shell completes otherwise (left: expected)"; exit 1; }

# The command decides which options there are, not a word that is called like another command.
expected='--normalise
time
base
node
module
chrome-json
smi.csv
smi.csv
smi.csv
default
trainscope-cli
smi.csv'
got=$(offered <<'LINES'
trainscope-cli figure runs.trainscope --kind layout --norm
trainscope-cli predict --objective t
trainscope-cli figure runs.trainscope --optimization b
trainscope-cli figure runs.trainscope --per no
trainscope-cli operators runs.trainscope --by mo
trainscope-cli export runs.trainscope --format ch
trainscope-cli export runs.trainscope --out sm
trainscope-cli predict --table sm
trainscope-cli profile sm
trainscope-cli kernels runs.trainscope --categories def
trainscope-cli record --into new.trainscope -- trainscope-c
trainscope-cli record --into new.trainscope -- cat sm
LINES
)
diff <(echo "$expected") <(echo "$got") || { echo "completions.sh: $shell completes otherwise (left: expected)"; exit 1; }

# Values behind =, databases below the home and in quotes, and names as they are: none is run.
expected="light
smi.csv
measured-here
measured-here
measured-here"
got=$(offered <<'LINES'
trainscope-cli figure runs.trainscope --theme=li
trainscope-cli export runs.trainscope --out=sm
trainscope-cli summary runs.trainscope --run=meas
trainscope-cli summary ~/runs.trainscope --run meas
trainscope-cli summary ~/with\ blanks/my\ runs.trainscope --run meas
LINES
)
got=$(sed 's/^--[a-z]*=//' <<<"$got") # zsh shows the whole word
diff <(echo "$expected") <(echo "$got") || { echo "completions.sh: $shell completes otherwise (left: expected)"; exit 1; }
offered >hostile <<'LINES'
trainscope-cli summary hostile.trainscope --run x
trainscope-cli summary hostile.trainscope --run it
LINES
[ -z "$(find . -name ran)" ] || { echo "completions.sh: $shell runs the name of a run"; exit 1; }
grep -Eq 'touch\\? ran' hostile && grep -q 's.*5%' hostile || { echo "completions.sh: $shell offers for hostile names:"; cat hostile; exit 1; }

# Nothing is offered where nothing is known; zsh leaves the word as it was typed.
got=$(offered <<'LINES'
trainscope-cli predict --layout t
trainscope-cli figure runs.trainscope --frame smi
trainscope-cli export runs.trainscope --format smi
trainscope-cli predict --objective x
LINES
)
case $shell in zsh) nothing=$'t\nsmi\nsmi\nx' ;; *) nothing= ;; esac
[ "$got" = "$nothing" ] || { echo "completions.sh: $shell offers '$got' where nothing is known"; exit 1; }

# A file that is no database is not offered for one.
got=$(echo 'trainscope-cli info run' | offered)
[ "$got" = runs.trainscope ] || { echo "completions.sh: $shell offers '$got' for a database"; exit 1; }
[ ! -s complaints ] || { echo "completions.sh: $shell complains:"; cat complaints; exit 1; }
