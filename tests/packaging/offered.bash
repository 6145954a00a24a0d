# Completes each line of the standard input as a terminal would and prints what is offered, joined by blanks.
source /usr/share/bash-completion/bash_completion
_completion_loader trainscope-cli || true # 124: loaded
compopt() { :; } # works only while a terminal completes
completer=$(complete -p trainscope-cli)
[[ $completer =~ -F\ ([a-z_]+) ]] || { echo "no function completes: $completer" >&2; exit 1; }
completer=${BASH_REMATCH[1]}
while read -r COMP_LINE; do
  # Words as a terminal has them: between blanks that nothing escapes, and at =.
  line=${COMP_LINE//\\ /$'\x1f'}
  read -ra COMP_WORDS <<<"${line//=/ = }"
  COMP_WORDS=("${COMP_WORDS[@]//$'\x1f'/\\ }")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_POINT=${#COMP_LINE} COMPREPLY=()
  "$completer" trainscope-cli "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
  echo "${COMPREPLY[*]}"
done
