#!/usr/bin/env bash
# assemble.sh ESBUILD PROGRAM.wasm PAGE.html: the script, the style and the program in one file.
set -euo pipefail
folder=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
mkdir -p "$(dirname "$3")"
{
  cat "$folder/head.html"
  echo '<style nonce="@NONCE@">'
  cat "$folder/page.css"
  echo '</style>'
  cat "$folder/body.html"
  printf '<script type="application/octet-stream" id="d-program">'
  gzip -9nc "$2" | base64 -w0
  echo '</script>'
  echo '<!--DATA-->'
  echo '<script nonce="@NONCE@">'
  "$1" --bundle --minify --target=es2021 --format=iife "$folder/page.ts"
  echo '</script></body></html>'
} >"$3.new"
mv "$3.new" "$3"
