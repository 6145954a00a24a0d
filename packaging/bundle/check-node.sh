#!/usr/bin/env bash
# check-node.sh BUNDLE.tar.xz FAKE_NVML.so ROOT...: uses a bundle as a stranger would in clean roots of distributions (made by
# debootstrap, nothing added), as nobody, from a folder that cannot be written. Needs root, for chroot. A bundle of another
# architecture is run by qemu, in the first root alone. What it imported and says of it stays in $KEEP, where that is a folder,
# and is compared with what lies there: databases of one architecture are read on the other, and the numbers are the same.
set -euo pipefail
bundle=$1 fake=$2
shift 2
source=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
name=$(basename "$bundle" .tar.xz)
architecture=${name##*-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xJf "$bundle" -C "$work"
folder=$work/$name

fail() { echo "check-node.sh: $name in $root: $*" >&2; exit 1; }

# Commands inside a root: as nobody, with an environment that is nearly empty.
inside() { chroot --userspec=65534:65534 "$root" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/nonexistent "${variables[@]}" "$@"; }
if [ "$architecture" = "$(uname -m)" ]; then
  node() { inside /bundle/trainscope-node "$@"; }
else
  emulator=$(command -v qemu-"$architecture"-static) || { echo "SKIPPED: no qemu for $architecture"; exit 0; }
  set -- "$1"
  node() { inside /emulator /bundle/lib/ld-linux-aarch64.so.1 --library-path /bundle/lib /bundle/lib/trainscope-node "$@"; }
fi

for root in "$@"; do
  variables=()
  rm -rf "$root/bundle" "$root/work" "$root/emulator"
  cp -r "$folder" "$root/bundle"
  [ -z "${emulator:-}" ] || install -m 755 "$emulator" "$root/emulator"
  install -m 755 "$fake" "$root/bundle/fake_nvml.so"
  chmod -R a-w "$root/bundle"
  mkdir -m 777 "$root/work"
  cp -r "$source/resources/recording" "$root/work/recording"
  chmod -R a+rX "$root/work"

  [ "$(node --version)" = "trainscope-node $(sed 's/~.*//' "$folder/version")" ] || fail "it says another version: $(node --version)"
  node import /work/recording --into /work/run.trainscope --name recorded >"$work/import" || fail "the import gave $?: $(cat "$work/import")"
  node summary /work/run.trainscope --json >"$work/summary"
  if [ -e "$work/first" ]; then
    cmp "$work/first" "$work/summary" || fail "its summary differs from that in the first root"
  else
    cp "$work/summary" "$work/first"
  fi
  if [ -n "${KEEP:-}" ]; then
    for other in "$KEEP"/*.json; do
      [ -e "$other" ] || continue
      cmp "$other" "$work/summary" || fail "its summary differs from $other"
      install -m 644 "${other%.json}.trainscope" "$root/work/run-of-another.trainscope"
      node summary /work/run-of-another.trainscope --json | sed 's/run-of-another/run/' | cmp - "$other" || fail "it reads ${other%.json}.trainscope differently"
    done
    cp "$root/work/run.trainscope" "$KEEP/$architecture.trainscope"
    cp "$work/summary" "$KEEP/$architecture.json"
  fi
  node query /work/run.trainscope "select count(*) > 0 from samples" | grep -q '^1$' || fail "a query has no samples"
  node check /work/run.trainscope >/dev/null || fail "the database is damaged"
  node info /work/run.trainscope | grep -q recorded || fail "the run is not listed"
  mkdir -m 777 "$root/work/export"
  node export /work/run.trainscope --help >/dev/null || fail "export has no help"

  # The recorded command has the environment that the program was given.
  variables=(TRAINSCOPE_NVML=/bundle/fake_nvml.so TRAINSCOPE_FAKE_GPUS=2 LD_LIBRARY_PATH=/opt/site/lib)
  node record --into /work/recorded.trainscope --interval 100ms -- /bin/sh -c 'echo "$LD_LIBRARY_PATH"; sleep 1' >"$work/said"
  grep -qx /opt/site/lib "$work/said" || fail "the recorded command has another LD_LIBRARY_PATH: $(cat "$work/said")"
  variables=()
  gpus=$(node query /work/recorded.trainscope "select count(distinct rank) from samples where metric = 'gpu_power'" | tail -n 1)
  [ "$gpus" = 2 ] || fail "of two GPUs $gpus were recorded"
  node import /work/run.trainscope /work/recorded.trainscope --into /work/both.trainscope >/dev/null || fail "merging gave $?"

  # No library from outside the folder.
  variables=(LD_DEBUG=files)
  loader=$(basename "$(ls "$root"/bundle/lib/ld-linux-*)")
  inside ${emulator:+/emulator} "/bundle/lib/$loader" --library-path /bundle/lib /bundle/lib/trainscope-node info /work/run.trainscope \
    2>&1 >/dev/null | sed -n 's/.*calling init: \(.*\)/\1/p' | sort -u >"$work/loaded"
  [ -s "$work/loaded" ] || fail "the loader does not say what it loads"
  ! grep -v '^/bundle/' "$work/loaded" || fail "a library from outside was loaded"
  variables=()

  begin=$(date +%s%N)
  for _ in 1 2 3 4 5 6 7 8 9 10; do node --version >/dev/null; done
  echo "$name in $root: import, summary, query, check, record and merging work; it starts in $((($(date +%s%N) - begin) / 10000000)) ms, chroot and env included"
  rm -rf "$root/bundle" "$root/work" "$root/emulator"
done
