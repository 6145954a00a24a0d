#!/usr/bin/env bash
# Comments are main clauses: no block begins with a question word or with "Of", in any room.
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

# A block is a run of lines that are comments alone; comments behind code are not looked at.
report "comments that begin with a subordinate clause" "$(awk '
  FNR == 1 { inside = 0 }
  !/^[ \t]*\/\// { inside = 0; next }
  inside { next }
  {
    inside = 1
    text = $0
    sub(/^[ \t]*\/+[!<]?[ \t]*/, "", text)
    if (text ~ /^(What|Where|Whether|Of|That|Which|Whose|Who|Whom|How|When|Why)([^A-Za-z_]|$)/) print FILENAME ":" FNR ": " text
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
