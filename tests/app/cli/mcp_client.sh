#!/usr/bin/env bash
# mcp_client.sh PROGRAM: clients of others ask `trainscope-cli mcp`. TRAINSCOPE_MCP_CLIENT names a folder in which
# npm install @modelcontextprotocol/client@2 @modelcontextprotocol/sdk@1
# was run; nothing is fetched here.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
command -v node >/dev/null || { echo "SKIPPED: node is not installed; no client of others was tried."; exit 0; }
[ -d "${TRAINSCOPE_MCP_CLIENT:-}/node_modules" ] ||
  { echo "SKIPPED: TRAINSCOPE_MCP_CLIENT names no folder with the clients; none was tried."; exit 0; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf 'timestamp, index, power.draw [W]\n2026/01/31 12:00:00.000, 0, 200 W\n2026/01/31 12:00:01.000, 0, 200 W\n' >"$folder/log.csv"
"$1" import "$folder/log.csv" --into "$folder/one.trainscope" --name job >/dev/null
node "$here/mcp_client.mjs" "$1" "$folder/one.trainscope"
