#!/usr/bin/env bash
# check-window.sh BUNDLE.tar.xz ROOT [PICTURE.png]: opens the window of a bundle in a clean root that has no Qt, no font and no
# X, as nobody, on an Xvfb beside it; and exports a figure. PICTURE shows the window. Needs root, for chroot.
set -euo pipefail
bundle=$1 root=$2 picture=${3:-}
name=$(basename "$bundle" .tar.xz)
work=$(mktemp -d)
fail() { echo "check-window.sh: $name in $root: $*" >&2; exit 1; }
cleanup() {
  [ -z "${window:-}" ] || kill "$window" 2>/dev/null || true
  [ -z "${server:-}" ] || kill "$server" 2>/dev/null || true
  ! mountpoint -q "$root/proc" || umount "$root/proc"
  rm -rf "$work" "$root/bundle" "$root/work"
}
trap cleanup EXIT
rm -rf "$root/bundle" "$root/work"
tar -xJf "$bundle" -C "$work"
mv "$work/$name" "$root/bundle"
chmod -R a-w "$root/bundle"
mkdir -m 777 "$root/work"
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
inside() { chroot --userspec=65534:65534 "$root" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/work LC_ALL=C.UTF-8 "$@"; }

inside /bundle/trainscope --version | grep -q '^trainscope ' || fail "it does not start"
inside /bundle/trainscope-cli figure /bundle/share/trainscope/sample.trainscope --kind timeline \
  --run "pytorch gpt-255m 1xH100" --out /work/timeline.pdf >/dev/null || fail "no figure"
grep -aq '^%PDF' "$root/work/timeline.pdf" || fail "the figure is no PDF"
# All libraries of both programs, their plugins and modules lie in the folder.
find "$root/bundle/plugins" "$root/bundle/qml" -name '*.so' | while read -r plugin; do
  inside /bundle/lib/ld-linux-x86-64.so.2 --library-path /bundle/lib --list "${plugin#"$root"}" >"$work/list" 2>&1 || fail "$plugin: $(cat "$work/list")"
  ! grep 'not found' "$work/list" || fail "$plugin lacks libraries"
done

# By TCP on this machine alone: a root has no folder of sockets.
display=97
Xvfb :$display -screen 0 1440x900x24 -listen tcp -ac >"$work/xvfb" 2>&1 &
server=$!
for _ in $(seq 100); do DISPLAY=:$display xdotool getdisplaygeometry >/dev/null 2>&1 && break; sleep 0.1; done
inside DISPLAY=127.0.0.1:$display XDG_RUNTIME_DIR=/work /bundle/trainscope --sample >"$work/said" 2>&1 &
window=$!
for _ in $(seq 300); do
  kill -0 "$window" 2>/dev/null || fail "the window ended: $(cat "$work/said")"
  id=$(DISPLAY=:$display xdotool search --onlyvisible --name '^sample.*Trainscope$' 2>/dev/null | head -n 1) && [ -n "$id" ] && break
  sleep 0.1
done
[ -n "${id:-}" ] || fail "no window with the sample came: $(cat "$work/said")"
# Until a page of text and figures, which has many shades, stands still.
before=
for _ in $(seq 120); do
  sleep 1
  DISPLAY=:$display import -window root "$work/shot.png"
  colours=$(identify -format %k "$work/shot.png") now=$(identify -format '%#' "$work/shot.png")
  [ "$colours" -lt 400 ] || [ "$now" != "$before" ] || break
  before=$now
done
[ -z "$picture" ] || cp "$work/shot.png" "$picture"
[ "$colours" -ge 400 ] || fail "the window shows $colours colours: $(cat "$work/said")"
! grep -iE 'error|cannot|failed|not found' "$work/said" || fail "it says: $(cat "$work/said")"
echo "$name in $root: the window shows the sample ($colours colours), a figure is exported"
