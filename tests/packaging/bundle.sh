#!/usr/bin/env bash
# bundle.sh BIN SOURCE: a folder as `./dev bundle` makes it, of the program that was just built, and used as on a node.
set -euo pipefail
bin=$1 source=$2
failed() { echo "bundle.sh: $*"; exit 1; }
[ -e /lib/x86_64-linux-gnu/libdrm_amdgpu.so.1 ] || { echo "SKIPPED: libdrm-amdgpu1 is not installed"; exit 0; }
[ "$(uname -m)" = x86_64 ] || { echo "SKIPPED: made for x86-64"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$source/packaging/bundle/node.sh" x86_64 1.2.3 "$bin/.." "" "$bin/../share/trainscope/page.html" .
node=$work/trainscope-node-1.2.3-x86_64
ls "$node/lib" | grep -q 'libQt' && failed "the node's program brings Qt"
grep -q '^Linux 3[.]2[.]0' "$node/requirements" || failed "it needs another kernel: $(cat "$node/requirements")"
# Of Debian 12, where bundles are made; packaging/bundle/README.md names its glibc.
! grep -qx 'VERSION_ID="12"' /etc/os-release || grep -q 'needed is GLIBC_2[.]3[0-6];' "$node/requirements" || failed "it needs another glibc: $(cat "$node/requirements")"

# By a link, from elsewhere, in a folder that cannot be written; the recorded command has the caller's environment.
chmod -R a-w "$node"
ln -s "$node/trainscope-node" "$work/link"
mkdir elsewhere
cd elsewhere
case $(LD_LIBRARY_PATH=/nowhere ../link --version) in "trainscope-node "*) ;; *) failed "it does not start by a link" ;; esac
said=$(TRAINSCOPE_NVML=$bin/fakes/fake_nvml.so TRAINSCOPE_AMDSMI=/nowhere LD_LIBRARY_PATH=/opt/site ../link record --into r.trainscope -- \
  sh -c 'echo "$LD_LIBRARY_PATH"; sleep 3' 2>told) # as long as a busy machine needs for a first reading
grep -qx /opt/site <<<"$said" || failed "the recorded command has another LD_LIBRARY_PATH: $said"
../link query r.trainscope "select count(*) > 0 from samples where metric = 'gpu_power'" | grep -q '^1$' || failed "nothing was recorded"
named=$(PYTHONPATH=$node/python PYTHONDONTWRITEBYTECODE=1 python3 -c \
  'import trainscope; print(*trainscope.open("r.trainscope", frames="columns").runs()["name"])')
[ -n "$named" ] || failed "Python reads no run"
outside=$(LD_DEBUG=files "$node/lib/ld-linux-x86-64.so.2" --library-path "$node/lib" "$node/lib/trainscope-node" info r.trainscope 2>&1 >/dev/null | sed -n 's/.*calling init: \(.*\)/\1/p' | grep -v "^$node/lib/" || true)
[ -z "$outside" ] || failed "libraries from outside the folder: $outside"
chmod -R u+w "$node"

# The same files give the same bytes, whenever they were made.
cd "$work"
mkdir -p small/lib
echo some >small/lib/text
SOURCE_DATE_EPOCH=1700000000 "$source/packaging/bundle/pack.sh" "$work/small" >/dev/null
mv small.tar.xz first
touch -d @1600000000 small/lib/text
SOURCE_DATE_EPOCH=1700000000 "$source/packaging/bundle/pack.sh" "$work/small" >/dev/null
cmp first small.tar.xz || failed "packed twice the bytes differ"
