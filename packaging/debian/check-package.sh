#!/usr/bin/env bash
# check-package.sh FILE.deb [FOLDER]: installs a package in a bare Debian, uses it as another user would, and purges it.
#
# The Debian (bookworm, debootstrap's smallest) is made once, in .build/package-check/bare, from the mirrors that apt uses
# here; remove it for a fresh one. The package goes in first, with what it depends on and nothing else, so that whatever is
# missing there fails; displays, what looks at them and what the package recommends follow. Needs root. In FOLDER (default
# .build/package-check/result) the script leaves what it saw: windows, a figure, what lintian said.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
[ "$(id -u)" = 0 ] || { echo "check-package.sh: a chroot needs root" >&2; exit 2; }
package=$(readlink -f "$1")
work=$here/../../.build/package-check
mkdir -p "$work/archives/partial" "${2:-$work/result}"
work=$(readlink -f "$work")
result=$(readlink -f "${2:-$work/result}")
root=$work/root
name=$(dpkg-deb -f "$package" Package)

for program in debootstrap lintian; do
  command -v $program >/dev/null || apt-get install -y -qq --no-install-recommends $program >/dev/null
done
say() { echo "== $*"; }
failed() { echo "check-package.sh: $*" >&2; exit 1; }
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
as_user() { inside runuser -u tester -- env HOME=/home/tester XDG_RUNTIME_DIR=/run/tester "$@"; }
apt() { inside apt-get "$@" >"$work/apt.log" 2>&1 || { cat "$work/apt.log" >&2; failed "apt-get $* fails"; }; }

# What was started inside ends with the script.
stop_inside() {
  local process
  for process in /proc/[0-9]*; do
    [ "$(readlink "$process/root")" != "$root" ] || kill "${process#/proc/}" 2>/dev/null || true
  done
}
unmount() {
  local place
  for place in dev/shm proc var/cache/apt/archives; do umount "$root/$place" 2>/dev/null || true; done
}
trap 'stop_inside; sleep 1; unmount' EXIT
unmount
! grep -q " $root/" /proc/mounts || failed "something is still mounted below $root"

say "lintian"
lintian --fail-on error,warning --tag-display-limit 0 "$package" | tee "$result/lintian.txt"

make_bare() {
  local sources mirror
  sources=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT) $(ORIGIN)' 'Created-By: Packages' |
    awk '$2 ~ /^bookworm(-security)?$/ && $3 == "main" && $4 ~ /^Debian/ {print "deb " $1, $2, $3}' | sort -u)
  mirror=$(awk '$3 == "bookworm" {print $2}' <<<"$sources")
  [ -n "$mirror" ] || failed "apt is given no mirror of bookworm here"
  debootstrap --variant=minbase --cache-dir="$work/archives" bookworm "$root" "$mirror" >"$work/debootstrap.log" ||
    { tail "$work/debootstrap.log" >&2; failed "debootstrap failed"; }
  echo "$sources" >"$root/etc/apt/sources.list"
  echo 'APT::Sandbox::User "root"; Binary::apt::APT::Keep-Downloaded-Packages "true";' >"$root/etc/apt/apt.conf.d/99check"
  mkdir -p "$root/var/cache/apt/archives" "$root/dev/shm"
  mount_inside
  apt update -qq
  inside useradd --create-home tester
  unmount
  mv "$root" "$work/bare"
}
mount_inside() {
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  mount --bind "$work/archives" "$root/var/cache/apt/archives"
  mount -t proc proc "$root/proc"
  mount -t tmpfs tmpfs "$root/dev/shm"
}

say "a bare Debian"
rm -rf "$root"
[ -d "$work/bare" ] || make_bare
cp -a "$work/bare" "$root"
mount_inside
install -d -o 1000 -g 1000 -m 700 "$root/run/tester"

# Every file of the system, but caches, logs and what dpkg and apt keep of all packages.
listed() {
  (cd "$root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./run -o -path ./var/cache \
    -o -path ./var/log -o -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./home \) -prune -o -print | sort)
}
inside dpkg -l | awk '/^ii/ {print $2}' | sort >"$work/packages-before"
listed >"$work/files-before"

say "install, without what is recommended"
cp "$package" "$root/tmp/package.deb"
apt install -y -qq --no-install-recommends /tmp/package.deb
changed=$(inside dpkg --verify "$name") || failed "dpkg cannot verify it"
[ -z "$changed" ] || failed "files are not as the package has them: $changed"
apt check -qq
echo "installed with $(comm -13 "$work/packages-before" <(inside dpkg -l | awk '/^ii/ {print $2}' | sort) | wc -l) packages"

source "$here/check-use.sh"

say "displays, what looks at them, and what the package recommends"
read -ra recommended <<<"$(dpkg-deb -f "$package" Recommends | tr ',' ' ')"
[[ " ${recommended[*]} " = *" qt6-wayland "* ]] || failed "qt6-wayland is not recommended"
around=(xvfb openbox wmctrl x11-apps imagemagick sway grim jq man-db poppler-utils procps
  xdg-utils libfile-mimeinfo-perl libglib2.0-bin shared-mime-info desktop-file-utils appstream bash-completion)
apt install -y -qq --no-install-recommends "${recommended[@]}" "${around[@]}"

source "$here/check-desktop.sh"

say "purge"
apt purge -y -qq "$name" "${recommended[@]}" "${around[@]}"
apt autoremove --purge -y -qq
! inside dpkg -s "$name" >/dev/null 2>&1 || failed "dpkg still knows it"
listed >"$work/files-after"
! comm -13 "$work/files-before" "$work/files-after" | grep -i trainscope || failed "the files above were left behind"
say "left behind by purge and autoremove, of all packages:"
comm -13 "$work/files-before" "$work/files-after" | sed -n 1,20p
say "all is well; seen: $result"
