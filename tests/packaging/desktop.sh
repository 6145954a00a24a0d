#!/usr/bin/env bash
# desktop.sh FOLDER: what a desktop is told of Trainscope, read by a desktop's own programs.
set -euo pipefail
cd "$1"
for program in desktop-file-validate appstreamcli update-mime-database gio sqlite3; do
  command -v $program >/dev/null || { echo "SKIPPED: $program is not installed; the desktop files were not tried."; exit 0; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

desktop-file-validate --warn-kde org.trainscope.Trainscope.desktop
# AppStream 1 wants a page on the web, which there is none of; older ones do not know the tag.
override=()
appstreamcli --version | grep -q 'version: 0[.]' || override=(--override=url-homepage-missing=info)
appstreamcli validate --no-net --pedantic "${override[@]}" org.trainscope.Trainscope.metainfo.xml
grep -qx 'MimeType=application/x-trainscope;' org.trainscope.Trainscope.desktop

# A run database is known by its name, and under any name by what is in it; another SQLite database is not one.
mkdir -p "$folder/mime/packages"
cp org.trainscope.Trainscope.xml "$folder/mime/packages"
XDG_DATA_HOME=$folder update-mime-database "$folder/mime"
sqlite3 "$folder/ours" 'PRAGMA application_id=0x54525343; CREATE TABLE run(id)'
sqlite3 "$folder/other" 'CREATE TABLE run(id)'
cp "$folder/ours" "$folder/ours.trainscope"
type_of() { XDG_DATA_HOME=$folder gio info -a standard::content-type "$folder/$1" | sed -n 's/.*standard::content-type: //p'; }
for file in ours ours.trainscope; do
  [ "$(type_of $file)" = application/x-trainscope ] || { echo "$file is taken for $(type_of $file)"; exit 1; }
done
[ "$(type_of other)" = application/vnd.sqlite3 ] || { echo "another database is taken for $(type_of other)"; exit 1; }
