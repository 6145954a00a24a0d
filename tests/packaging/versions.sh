#!/usr/bin/env bash
# versions.sh FOLDER: whoever names the version in the sources in FOLDER names that of CMakeLists.txt (packaging/VERSIONING.md).
set -euo pipefail
cd "$1"
version=$(sed -n 's/^project(.* VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
failed() { echo "versions.sh: $*"; exit 1; }

heading=$(grep -m1 '^## ' CHANGELOG.md)
release=$(grep -m1 '<release ' packaging/desktop/org.trainscope.Trainscope.metainfo.xml)
[[ $heading == "## $version, "* ]] || failed "the changelog begins with '$heading', not with $version"
[[ $release == *" version=\"$version\" "* ]] || failed "the newest release of the metadata is $release, not $version"
if [[ $heading == *", unreleased" ]]; then
  [[ $release == *' type="development" '* ]] || failed "$version is unreleased by the changelog and released by the metadata"
else
  date=${heading##*, }
  [[ $release == *" date=\"$date\""* && $release != *development* ]] || failed "$version is of $date by the changelog, by the metadata $release"
fi
! grep -nF "$version" packaging/man/* || failed "pages are given the version by the build"
pages=$(sed -n 's/^set(TRAINSCOPE_MANUAL \(.*\)/\1/p' app/CMakeLists.txt | wc -w)
[ "$pages" = "$(ls resources/manual/*.md | wc -l)" ] || failed "TRAINSCOPE_MANUAL does not name each page in resources/manual"
