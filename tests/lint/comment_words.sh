#!/usr/bin/env bash
# Comments are noun phrases or main clauses: no block begins with a question word or with "Of", nor
# does a comment behind code or a later sentence of a block.
# Sentences for users count with text::counted: "1 rank", "2 ranks", never "1 ranks".
set -uo pipefail
cd "$1" || exit 2
status=0
report() {
  [ -z "$2" ] && return
  printf '%s:\n%s\n\n' "$1" "$2"
  status=1
}
held="core importers app qml tests"
sources=$(find $held -name '*.cpp' -o -name '*.h' -o -name '*.qml' | sort)

words='What|Where|Whether|Of|That|Which|Whose|Who|Whom|How|When|Why'

# A block is a run of lines that are comments alone.
report "comments that begin with a subordinate clause" "$(awk -v words="^($words)([^A-Za-z_]|$)" '
  FNR == 1 { inside = 0 }
  !/^[ \t]*\/\// { inside = 0; next }
  inside { next }
  {
    inside = 1
    text = $0
    sub(/^[ \t]*\/+[!<]?[ \t]*/, "", text)
    if (text ~ words) print FILENAME ":" FNR ": " text
  }' $sources)"

# Behind code in any case, in a block at the begin of a sentence; strings are left out.
report "comments or sentences that begin with a subordinate clause" "$(awk \
  -v behind="^($(printf '%s' "$words" | tr '[:upper:]' '[:lower:]'))([^a-z_(:]|:[^:]|$)" \
  -v sentence="(^|[.?!] )($words)([^A-Za-z_]|$)" '
  !/\/\// { next }
  {
    isBlock = $0 ~ /^[ \t]*\/\//
    text = $0
    gsub(/"([^"\\]|\\.)*"/, "", text)
    if (!match(text, /(^|[ \t])\/\/+[!<]?[ \t]+/)) next
    text = substr(text, RSTART + RLENGTH)
    if (isBlock ? text ~ sentence : tolower(text) ~ behind || text ~ sentence)
      print FILENAME ":" FNR ": " text
  }' $sources)"

# A number before a noun that is always plural. "tokens/s" is a unit, and "{} × {} GPUs" a product.
nouns='GPUs|captures|collectives|columns|copies|devices|files|findings|groups|iterations|kernels|layers|layouts|links'
nouns="$nouns|machines|memsets|metrics|micro-batches|models|nodes|operators|ranks|readings|records|rows|runs|samples"
nouns="$nouns|sources|spans|stages|steps|tokens|units|values|warnings"
before='(more |other |further |later |traced )?' # "1 more kernels" is no better
worded="app/cli app/drawing core/report core/figures core/plot core/analysis/findings"
report "numbers before a plural; count with text::counted" "$(grep -rnP --include='*.cpp' \
  "^(?!\s*//).*\"[^\"]*(?<!× )\{\} (of \{\} )?$before($nouns)\b(?!/)|<< *\" $before($nouns)\b(?!/)" $worded)"

exit $status
