#!/usr/bin/env bash
# A real Neo4j (community kernel and Bolt server) for tests, in a folder of its own, on a free loopback port. Needs a JDK
# of 17 or later; its libraries come from Maven Central once and are kept in the cache folder.
#   neo4j.sh fetch       brings the JDK and the libraries, prints their folder
#   neo4j.sh start DIR   starts one with its data in DIR, prints its NEO4J_URL (user and password are part of it)
#   neo4j.sh stop DIR    stops it and removes DIR
# NEO4J_HEAP: the heap at most, 768m unless told.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/neo4j
libraries=${XDG_CACHE_HOME:-$HOME/.cache}/statewright/neo4j-5.26.30

# A program, by the Debian package that brings it where this may install one.
need() {
  if command -v "$1" >/dev/null; then return 0; fi
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "neo4j.sh needs $1" >&2
    return 1
  fi
  apt-get update -qq >&2
  apt-get install -y -qq --no-install-recommends "$2" >&2
}

fetch() {
  need javac default-jdk-headless
  [ ! -f "$libraries/.complete" ] || return 0
  need mvn maven
  mkdir -p "$libraries"
  mvn -q -B -f "$here/pom.xml" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$libraries" >&2
  touch "$libraries/.complete"
}

free_port() {
  node -e 'const s = require("net").createServer(); s.listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })'
}

opened_modules() {
  local package
  for package in java.lang java.io java.nio java.util.concurrent sun.nio.ch; do
    echo "--add-opens=java.base/$package=ALL-UNNAMED"
  done
}

launch() {
  local dir=$1 port=$2
  # C1 only: a test run is over before the better compiler has paid for itself.
  # shellcheck disable=SC2046
  setsid java -Xms128m "-Xmx${NEO4J_HEAP:-768m}" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC $(opened_modules) \
    -cp "$libraries/*" "$here/Server.java" "$dir/home" "$port" "$dir/password" >"$dir/log" 2>&1 </dev/null &
  echo $! >"$dir/pid"
}

# Until it answers, for at most four minutes: the machine may be busy.
await_ready() {
  local dir=$1
  for _ in $(seq 1 480); do
    if grep -q '^READY' "$dir/log"; then return 0; fi
    kill -0 "$(cat "$dir/pid")" 2>/dev/null || return 1
    sleep 0.5
  done
  return 1
}

start() {
  local dir=$1 port attempt
  fetch
  mkdir -p "$dir"
  (umask 077 && head -c 18 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$dir/password")
  # Between finding a port and taking it someone else may have: then another one.
  for attempt in 1 2 3; do
    port=$(free_port)
    launch "$dir" "$port"
    if await_ready "$dir"; then
      echo "bolt://neo4j:$(cat "$dir/password")@127.0.0.1:$port"
      return 0
    fi
    echo "attempt $attempt on port $port failed" >&2
    end "$dir"
  done
  tail -n 30 "$dir/log" >&2
  return 1
}

# The store's lock is free when the process is gone, not before.
end() {
  local pid
  pid=$(cat "$1/pid" 2>/dev/null) || return 0
  kill "$pid" 2>/dev/null || return 0
  for _ in $(seq 1 120); do
    kill -0 "$pid" 2>/dev/null || return 0
    sleep 0.5
  done
  kill -9 "$pid" 2>/dev/null || true
}

stop() {
  end "$1"
  rm -rf "$1"
}

case "${1:-}" in
  fetch) fetch && echo "$libraries" ;;
  start) start "${2:?the folder}" ;;
  stop) stop "${2:?the folder}" ;;
  *)
    echo "usage: neo4j.sh fetch | start DIR | stop DIR" >&2
    exit 2
    ;;
esac
