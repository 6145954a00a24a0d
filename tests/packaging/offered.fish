# Prints what fish offers for each line of the standard input, joined by blanks and without the descriptions.
set -p fish_complete_path $XDG_DATA_HOME/fish/vendor_completions.d
while read -l line
    echo (complete -C $line | string replace -r '\t.*' '')
end
