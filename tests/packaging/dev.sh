#!/usr/bin/env bash
# dev.sh FOLDER: what `dev` of the sources in FOLDER decides, without installing or building anything.
set -euo pipefail
source "$1/dev" help >/dev/null
failed() { echo "dev.sh: $*"; exit 1; }

# Services that are new are masked before they are installed; one that is there (munge) stays as it is.
as_root() { echo "$*"; }
systemctl() { [ "$1 $2" = "cat munge.service" ]; }
has_systemd() { true; }
got=$(keep_services_off git prometheus slurm-wlm zsh)
[ "$got" = "systemctl mask --quiet prometheus.service slurmctld.service slurmd.service" ] || failed "it would call '$got'"
[ -z "$(keep_services_off git zsh)" ] || failed "it masks services that nobody installs"
has_systemd() { false; }
[ -z "$(keep_services_off prometheus)" ] || failed "it masks where no systemd runs"

# The time of a package made of sources without their history is that of the newest file, whatever was built there.
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cd "$folder"
mkdir .build core
touch -d @1700000000.5 core/new
touch -d @1600000000 old
[ "$(source_time)" = 1700000000 ] || failed "without history the time is '$(source_time)'"

# Without apt nothing is installed, and one sentence says what the build needs.
got=$(PATH=/nowhere && install_missing git 2>&1)
[ "$(grep -c . <<<"$got")" = 1 ] || failed "without apt it says '$got'"
case $got in *"no apt"*"GCC 12"*"Qt 6.4"*libsqlite3-dev*) ;; *) failed "without apt it says '$got'" ;; esac
