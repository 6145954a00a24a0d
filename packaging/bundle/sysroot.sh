#!/usr/bin/env bash
# sysroot.sh ARCHITECTURE FOLDER PACKAGE...: unpacks packages of this Debian for another architecture, with all that they
# depend on, into FOLDER. As an ordinary user; the machine's own packages stay as they are, which apt's multiarch cannot
# promise (libisal, yaml-cpp and cctz exist for one architecture at a time).
set -euo pipefail
architecture=$1 root=$2
shift 2
wanted="$architecture $*"
[ "$(cat "$root/.packages" 2>/dev/null)" != "$wanted" ] || exit 0

rm -rf "$root"
mkdir -p "$root/.apt/state/lists/partial" "$root/.apt/cache/archives/partial"
: >"$root/.apt/status"
apt=(-o APT::Architecture="$architecture" -o APT::Architectures::="$architecture" -o APT::Sandbox::User=
  -o Dir::State="$PWD/$root/.apt/state" -o Dir::State::status="$PWD/$root/.apt/status" -o Dir::Cache="$PWD/$root/.apt/cache"
  -o APT::Install-Recommends=false -o Acquire::Languages=none -o Debug::NoLocking=true)
case $root in /*) apt=("${apt[@]//$PWD\/\//\/}") ;; esac
apt-get "${apt[@]}" -qq update
apt-get "${apt[@]}" -qq --yes --download-only install "$@" >/dev/null
# Programs of packages are of no use here; what is not unpacked cannot be run by mistake.
mkdir "$root/.lists"
for package in "$root"/.apt/cache/archives/*.deb; do
  dpkg-deb --extract "$package" "$root"
  dpkg-deb --fsys-tarfile "$package" | tar --list | sed 's/^[.]//' >"$root/.lists/$(dpkg-deb --field "$package" Package)"
done
rm -rf "$root/.apt/cache" "$root/.apt/state/lists"
# Links with absolute paths would lead out of the folder.
find "$root" -type l -lname '/*' | while read -r link; do
  ln -sfn "$(realpath -m --relative-to "$(dirname "$link")" "$root$(readlink "$link")")" "$link"
done
echo "$wanted" >"$root/.packages"
