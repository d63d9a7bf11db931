#!/usr/bin/env bash
# The entry point of an image of Neo4j for the stand-in kubelet: the community server, from the libraries of `.ci/neo4j.sh fetch`, whose
# folder is the first word. It does what the official image's does (github.com/neo4j/docker-neo4j) with NEO4J_AUTH and NEO4J_AUTH_FILE,
# and writes each other NEO4J_... into neo4j.conf, where the server checks it. It reads no NEO4J_PLUGINS.
set -euo pipefail

libraries=$1
shift
# The image's folders: its user may write everywhere below them.
home=/tmp/neo4j
conf=$home/conf
mkdir -p "$conf" "$home"/{run,lib,plugins,import}

# All interfaces of a pod are its own address here (kubelet/own-address.mjs).
own=$(awk -v name="$HOSTNAME" '{ for (i = 2; i <= NF; i++) if ($i == name) { print $1; exit } }' /etc/hosts)

# server_memory_heap_max__size is server.memory.heap.max_size.
setting() {
  local name=${1#NEO4J_}
  name=${name//_/.}
  printf %s "${name//../_}"
}

{
  echo "server.default_listen_address=${own:-0.0.0.0}"
  echo 'server.directories.data=/data'
  echo 'server.directories.logs=/logs'
  # Otherwise two logs of 256 MB each.
  echo 'db.tx_log.preallocate=false'
  for name in $(compgen -e NEO4J_); do
    case $name in
      NEO4J_AUTH | NEO4J_AUTH_FILE | NEO4J_HOME | NEO4J_CONF | NEO4J_EDITION) ;;
      *) echo "$(setting "$name")=${!name}" ;;
    esac
  done
} >"$conf/neo4j.conf"

# C1 only: a test run is over before the better compiler has paid for itself.
java=(java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC "-Xms${NEO4J_server_memory_heap_initial__size:-128m}" "-Xmx${NEO4J_server_memory_heap_max__size:-768m}")
for package in java.lang java.io java.nio java.util.concurrent sun.nio.ch; do
  java+=("--add-opens=java.base/$package=ALL-UNNAMED")
done
java+=(-cp "$libraries/*")

auth=${NEO4J_AUTH:-}
[ -z "${NEO4J_AUTH_FILE:-}" ] || auth=$(cat "$NEO4J_AUTH_FILE")
if [ -n "$auth" ] && [ "$auth" != none ] && [ ! -e /data/dbms/auth.ini ] && [ ! -d /data/databases/system ]; then
  NEO4J_HOME=$home NEO4J_CONF=$conf "${java[@]}" org.neo4j.cli.AdminTool dbms set-initial-password "${auth#neo4j/}"
fi
exec "${java[@]}" org.neo4j.server.CommunityEntryPoint "--home-dir=$home" "--config-dir=$conf" "$@"
