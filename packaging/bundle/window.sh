#!/usr/bin/env bash
# window.sh VERSION BUILD OUT: puts the window and the command line of a build folder, with Qt, its plugins and modules, a
# font and the loader, into OUT/trainscope-VERSION-x86_64.
set -euo pipefail
version=$1 build=$2 out=$3
here=$(dirname "$(readlink -f "$0")")
triplet=x86_64-linux-gnu
loader=ld-linux-x86-64.so.2
qt=/usr/lib/$triplet/qt6
folder=$out/trainscope-$version-x86_64

plugins=(platforms/libqxcb.so platforms/libqoffscreen.so platforms/libqwayland-generic.so platforms/libqwayland-egl.so
  wayland-shell-integration/libxdg-shell.so wayland-decoration-client/libbradient.so wayland-graphics-integration-client/libqt-plugin-wayland-egl.so
  xcbglintegrations/libqxcb-glx-integration.so xcbglintegrations/libqxcb-egl-integration.so
  platforminputcontexts/libcomposeplatforminputcontextplugin.so platforminputcontexts/libibusplatforminputcontextplugin.so
  platformthemes/libqxdgdesktopportal.so imageformats/libqsvg.so iconengines/libqsvgicon.so tls/libqopensslbackend.so)
modules=(QtQml QtQuick/Controls/Basic QtQuick/Controls/impl QtQuick/Dialogs QtQuick/Layouts QtQuick/Templates
  QtQuick/Window Qt/labs/folderlistmodel Qt/labs/settings)

rm -rf "$folder"
mkdir -p "$folder"/{lib,licenses,plugins,qml,fonts}
DESTDIR=$PWD/$folder/stage cmake --install "$build" --prefix / --strip >/dev/null
mv "$folder/stage/bin/trainscope" "$folder/stage/bin/trainscope-cli" "$folder/lib/"
mv "$folder/stage/share" "$folder/share"
install -D -m 644 -t "$folder/python" "$here/../python/trainscope.py" "$here/../python/example.ipynb"
rm -rf "$folder/stage"

for plugin in "${plugins[@]}"; do
  install -D -m 644 "$qt/plugins/$plugin" "$folder/plugins/$plugin"
done
for module in "${modules[@]}"; do
  mkdir -p "$folder/qml/$module"
  cp -r "$qt/qml/$module/." "$folder/qml/$module/"
done
for file in "$qt"/qml/QtQuick/{,Controls/}*; do # what lies in the folders above those modules
  [ ! -f "$file" ] || cp "$file" "$folder/qml/${file#"$qt/qml/"}"
done
find "$folder/qml" -name '*.so' -exec chmod 644 {} +

qpdf=$(readelf -d /usr/lib/$triplet/libqpdf.so | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p') # loaded by its name
mapfile -t libraries < <(find "$folder/plugins" "$folder/qml" -name '*.so' -print0 |
  xargs -0 "$here/closure.sh" "" "$triplet" "$folder/lib/trainscope" "$folder/lib/trainscope-cli" "$qpdf" libssl.so.3 libdl.so.2 \
    libpthread.so.0 librt.so.1 libdrm_amdgpu.so.1 "$loader")
for library in "${libraries[@]}"; do
  install -m 644 "$(readlink -f "$library")" "$folder/lib/$(basename "$library")"
done
chmod 755 "$folder/lib/$loader"
cp -r /usr/share/fonts/truetype/inter "$folder/fonts/" 2>/dev/null || cp -r /usr/share/fonts/opentype/inter "$folder/fonts/"
cp -r /usr/share/X11/xkb "$folder/share/xkb"
cp "$here/fonts.conf" "$folder/fonts/"
printf '[Paths]\nPrefix = ..\nPlugins = plugins\nQmlImports = qml\n' >"$folder/lib/qt.conf" # beside the loader, which is what runs
for program in trainscope trainscope-cli; do
  sed "s/@LOADER@/$loader/; s/@PROGRAM@/$program/" "$here/trainscope.in" >"$folder/$program"
  chmod 755 "$folder/$program"
done
echo "$version" >"$folder/version"
"$here/requirements.sh" "$folder" >"$folder/requirements"
"$here/licenses.sh" "" "$folder/licenses" "${libraries[@]}"
