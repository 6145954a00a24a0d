#!/usr/bin/env bash
# check.sh [FOLDER]: tries what `./dev bundle` made in clean roots of Debian 11, 12 and 13, which debootstrap makes in FOLDER
# (default: .build/roots). Needs root, debootstrap, and for the window xvfb, xdotool and imagemagick.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
roots=${1:-.build/roots}
fake=.build/bundle/fake_nvml.so
mkdir -p "$roots"
for release in bullseye bookworm trixie; do
  [ ! -e "$roots/$release/.made" ] || continue
  ! grep -q "$(readlink -f "$roots")/$release/" /proc/mounts || { echo "check.sh: something is mounted in $roots/$release" >&2; exit 1; }
  rm -rf "${roots:?}/$release"
  debootstrap --variant=minbase "$release" "$roots/$release" >"$roots/$release.log"
  touch "$roots/$release/.made"
done
all=("$roots/bullseye" "$roots/bookworm" "$roots/trixie")
KEEP=$(mktemp -d)
export KEEP
trap 'rm -rf "$KEEP"' EXIT
for bundle in .build/bundle/trainscope-node-*.tar.xz; do
  architecture=${bundle##*-}
  compiler=${architecture%%.*}-linux-gnu-g++
  "$compiler" -std=c++20 -shared -fPIC -O1 -I. tests/fakes/FakeNvml.cpp -o "$fake"
  packaging/bundle/check-node.sh "$bundle" "$fake" "${all[@]}"
done
packaging/bundle/check-window.sh .build/bundle/trainscope-[0-9]*-x86_64.tar.xz "$roots/trixie" .build/bundle/window.png
