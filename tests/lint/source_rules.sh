#!/usr/bin/env bash
# Rules that no tool knows. Prints every offender and fails if there is one.
set -uo pipefail
cd "$1" || exit 2
status=0
report() {
  [ -z "$2" ] && return
  printf '%s:\n%s\n\n' "$1" "$2"
  status=1
}
sources=$(find core importers app qml tests -name '*.cpp' -o -name '*.h' -o -name '*.qml' | sort)

report "includes that climb out of their folder" "$(grep -nE '#include "\.\./' $sources)"
report "Qt in what trainscope-node is made of" "$(grep -nE '#include <Q|#include <Qt' $(find core importers app/importing app/manual app/recording app/cli -name '*.cpp' -o -name '*.h'))"
report "a store read in core/plot, which makes pictures of plain values" "$(grep -rnE 'store::Store\b|core/store/Store\.h' core/plot)"
report "colour literals outside the theme" "$(grep -nE '"#[0-9a-fA-F]{3,8}"' $(find qml -name '*.qml'))"
report "a build that writes into the source folder" "$(grep -rnF 'CMAKE_SOURCE_DIR}/.build' . --include='*.cmake' --include=CMakeLists.txt --exclude-dir=.build)"
report "words of unfinished work" "$(grep -nE '\b(TODO|FIXME|XXX)\b' $sources)"
report "headers without #pragma once" "$(for f in $(find core importers app -name '*.h'); do head -1 "$f" | grep -q 'pragma once' || echo "$f"; done)"
window=$(find qml -name '*.qml')
report "texts other than UiText, which shows markup as it is written" "$(grep -nE '(^|[ .])(Text|Label|TextEdit|TextInput) \{' $window | grep -vE '^qml/(controls/UiText|manual/ManualPage)\.qml:')"
report "rich text outside the manual" "$(grep -n 'textFormat:' $window | grep -v 'PlainText' | grep -v '^qml/manual/')"
report "controls that show rich text or make keys of ampersands" "$(grep -nE '^import QtQuick\.Controls' $window)"
# A test waits for a condition; a duration that is the subject stands in support/Lasting.h. In QML wait(0) hands out events.
report "tests that sleep; wait for a condition" "$(grep -rnE '\b(qWait|qSleep|sleep_for|sleep_until|nanosleep|m?u?sleep)\(|\bwait\([^)0]' tests --include='*.cpp' --include='*.h' --include='*.qml' | grep -vE '^tests/support/Lasting\.h:|^[^:]*\.(cpp|h):[0-9]+:.*\bwait\(')"
# One class is read in one place.
report "classes with members in more than one .cpp of a folder" "$(find core importers app -name '*.cpp' | sort | xargs awk '
  match($0, /^[A-Za-z_].*[ &*~][A-Z][A-Za-z0-9]*::~?[A-Za-z_]+\(/) {
    name = substr($0, 1, RLENGTH); sub(/::~?[A-Za-z_]+\($/, "", name); sub(/.*[ &*]/, "", name)
    folder = FILENAME; sub(/\/[^\/]*$/, "", folder)
    key = folder ": " name
    if (key in file && file[key] != FILENAME) print key
    file[key] = FILENAME
  }' | sort -u)"
exit $status
