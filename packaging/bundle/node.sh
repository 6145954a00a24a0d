#!/usr/bin/env bash
# node.sh ARCHITECTURE VERSION BUILD SYSROOT PAGE OUT: puts the trainscope-node of a build folder with its loader and libraries
# into OUT/trainscope-node-VERSION-ARCHITECTURE. SYSROOT is empty for this machine's own libraries; PAGE is the program of pages.
set -euo pipefail
architecture=$1 version=$2 build=$3 sysroot=$4 page=$5 out=$6
here=$(dirname "$(readlink -f "$0")")
triplet=$architecture-linux-gnu
case $architecture in
  x86_64) loader=ld-linux-x86-64.so.2 strip=strip ;;
  aarch64) loader=ld-linux-aarch64.so.1 strip=aarch64-linux-gnu-strip ;;
  *) echo "node.sh: there is no bundle for $architecture" >&2; exit 2 ;;
esac
folder=$out/trainscope-node-$version-$architecture

rm -rf "$folder"
mkdir -p "$folder/lib" "$folder/licenses" "$folder/examples"
cp -r "$here/../slurm" "$here/../kubernetes" "$folder/examples/"
cp -r "$here/../skills" "$folder/"
install -D -m 644 "$page" "$folder/share/trainscope/page.html"
install -D -m 644 -t "$folder/python" "$here/../python/trainscope.py" "$here/../python/example.ipynb"
"$strip" -o "$folder/lib/trainscope-node" "$build/bin/trainscope-node"
# NVML names parts of glibc that are empty today; AMD SMI needs libdrm and C++'s library. A node's own could ask for a
# newer glibc than the folder's.
mapfile -t libraries < <("$here/closure.sh" "$sysroot" "$triplet" "$build/bin/trainscope-node" \
  libdl.so.2 libpthread.so.0 librt.so.1 libm.so.6 libstdc++.so.6 libgcc_s.so.1 libdrm.so.2 libdrm_amdgpu.so.1 "$loader")
for library in "${libraries[@]}"; do
  install -m 644 "$(readlink -f "$library")" "$folder/lib/$(basename "$library")"
done
chmod 755 "$folder/lib/$loader" "$folder/lib/trainscope-node"
echo "$version" >"$folder/version"
sed "s/@LOADER@/$loader/" "$here/trainscope-node.in" >"$folder/trainscope-node"
chmod 755 "$folder/trainscope-node"
"$here/requirements.sh" "$folder" >"$folder/requirements"
"$here/licenses.sh" "$sysroot" "$folder/licenses" "${libraries[@]}" "$sysroot/usr/lib/$triplet/libarchive.a"
