#!/usr/bin/env bash
# licenses.sh SYSROOT FOLDER FILE...: the copyright files of the Debian packages that these files are of, one each. SYSROOT
# is empty for this machine, else what sysroot.sh unpacked.
set -euo pipefail
sysroot=$1 folder=$2
shift 2

# Debian moves /lib into /usr/lib; lists of packages have either.
package_of() { # PATH, without the sysroot
  local path
  for path in "$1" "${1#/usr}" "/usr$1"; do
    if [ -n "$sysroot" ]; then
      (cd "$sysroot/.lists" && grep -lxF "$path" -- * 2>/dev/null | head -n 1) || true
    else
      dpkg-query --search "$path" 2>/dev/null | sed -n "1s/:.*//p" || true
    fi
  done | head -n 1 || true
}
for file in "$@"; do
  package=$(package_of "${file#"$sysroot"}")
  license=$sysroot/usr/share/doc/$package/copyright
  [ -n "$package" ] && [ -e "$license" ] || { echo "licenses.sh: $file has no copyright file" >&2; exit 1; }
  install -m 644 "$license" "$folder/$package"
done
