#!/usr/bin/env bash
# check-reproducible.sh [FOLDER]: makes the package here and, from a clone in FOLDER (default: a temporary one) without ccache,
# again; the two are to be the same bytes. Only what is committed is compared. Takes as long as a first build.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
[ -z "$(git status --porcelain --untracked-files=no)" ] || { echo "check-reproducible.sh: there are changes that are not committed" >&2; exit 2; }
other=${1:-$(mktemp -d)}/trainscope
git clone -q . "$other"
first=$(./dev package | tail -n 1)
second=$other/$(cd "$other" && CCACHE_DISABLE=1 TZ=Asia/Kolkata LC_ALL=C ./dev package | tail -n 1)
sha256sum "$first" "$second"
cmp "$first" "$second" || { echo "check-reproducible.sh: they differ (diffoscope tells where); the second is left in $other" >&2; exit 1; }
rm -rf "$other"
echo "the same bytes"
