#!/usr/bin/env bash
# A real PostgreSQL for tests, in a folder of its own, on a free loopback port, fsync on (the tests kill processes and
# look at what survived).
#   postgres.sh find         prints the folder of the server's programs
#   postgres.sh start DIR    starts one with its data in DIR, prints its DATABASE_URL
#   postgres.sh restart DIR MODE   restarts it on its port; MODE is pg_ctl's: fast, or immediate, which is a crash
#   postgres.sh stop DIR     stops it and removes DIR
# POSTGRES_OPTIONS: further options of the server, `-c name=value` each.
set -euo pipefail

programs() {
  local dir candidates
  candidates=$(command -v initdb || true)
  [ -z "$candidates" ] || candidates=$(dirname "$(readlink -f "$candidates")")
  # The newest major first.
  for dir in "$candidates" $(ls -d /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /opt/homebrew/opt/postgresql*/bin 2>/dev/null | sort -Vr); do
    if [ -x "$dir/initdb" ] && [ -x "$dir/postgres" ] && [ -x "$dir/pg_ctl" ]; then
      echo "$dir"
      return 0
    fi
  done
  echo "no PostgreSQL server is installed" >&2
  return 1
}

# The server refuses to run as root.
as_server() {
  if [ "$(id -u)" = 0 ]; then
    (cd / && setpriv --reuid=postgres --regid=postgres --init-groups env -i HOME=/tmp PATH=/usr/bin:/bin LC_ALL=C.UTF-8 "$@")
  else
    "$@"
  fi
}

free_port() {
  node -e 'const s = require("net").createServer(); s.listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })'
}

start() {
  local dir=$1 bin port attempt
  bin=$(programs)
  mkdir -p "$dir"
  chmod 711 "$dir"
  if [ "$(id -u)" = 0 ]; then chown postgres "$dir"; fi
  as_server "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 >"$dir.initdb.log" 2>&1 ||
    { cat "$dir.initdb.log" >&2; return 1; }
  rm -f "$dir.initdb.log"
  # Between finding a port and taking it someone else may have: then another one.
  for attempt in 1 2 3 4 5; do
    port=$(free_port)
    if as_server "$bin/pg_ctl" -D "$dir/data" -l "$dir/data/log" -w -t 60 -s start \
      -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=on -c max_connections=200 ${POSTGRES_OPTIONS:-}" >&2; then
      echo "postgres://postgres@127.0.0.1:$port/postgres"
      return 0
    fi
    echo "attempt $attempt on port $port failed" >&2
  done
  tail -n 20 "$dir/data/log" >&2
  return 1
}

# The settings of the start are remembered in the data folder.
restart() {
  local dir=$1 mode=$2 bin
  bin=$(programs)
  as_server "$bin/pg_ctl" -D "$dir/data" -l "$dir/data/log" -m "$mode" -w -t 60 -s restart >&2
}

# Whether the server of a folder runs. A crash leaves its pid in a file, and that may be somebody else's by now: the server works
# in its data folder.
runs() {
  local pid
  pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null) || return 1
  [ ! -d /proc/self ] || [ "$(readlink "/proc/$pid/cwd")" = "$(readlink -f "$1/data")" ]
}

stop() {
  local dir=$1 bin
  bin=$(programs)
  ! runs "$dir" || as_server "$bin/pg_ctl" -D "$dir/data" -m immediate -w -t 30 -s stop || true
  rm -rf "$dir"
}

case "${1:-}" in
  find) programs ;;
  start) start "${2:?the folder}" ;;
  restart) restart "${2:?the folder}" "${3:?fast or immediate}" ;;
  stop) stop "${2:?the folder}" ;;
  *)
    echo "usage: postgres.sh find | start DIR | restart DIR fast|immediate | stop DIR" >&2
    exit 2
    ;;
esac
