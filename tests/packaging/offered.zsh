# offered.zsh FOLDER: types each line of the standard input into an interactive zsh that has FOLDER's completions, presses
# Tab and prints the last word of the line that comes of it.
zmodload zsh/zpty
zpty typed zsh -f -i
zpty -w typed "stty -echo; PS1= RPS1= PROMPT_EOL_MARK=; unsetopt zle_bracketed_paste; fpath=($1 \$fpath)
autoload -Uz compinit; compinit -u -D
pressed() { zle complete-word; print -rn -- \"<<\$BUFFER>>\"; BUFFER= }
zle -N pressed; bindkey '^I' pressed; print rea''dy"
zpty -r typed out '*ready*'
while read -r line; do
  zpty -w -n typed "$line"$'\t'
  zpty -r typed out '*<<*>>*' || exit 1
  out=${${out##*<<}%%>>*}
  print -r -- ${${(z)out}[-1]}
done
zpty -d typed
