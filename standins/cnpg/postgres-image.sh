#!/usr/bin/env bash
# The entry point of an image of PostgreSQL for the stand-in kubelet, with the programs of this machine. It does what the official
# image's does (github.com/docker-library/postgres) with POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB, each with _FILE,
# POSTGRES_INITDB_ARGS, POSTGRES_INITDB_WALDIR, POSTGRES_HOST_AUTH_METHOD and PGDATA; it reads no /docker-entrypoint-initdb.d.
set -euo pipefail

case "${1:-}" in
  '' | -*) ;;
  postgres) shift ;;
  *) exec "$@" ;;
esac
bin=$(bash "$(dirname "$0")/../../.ci/postgres.sh" find)
data=${PGDATA:-/var/lib/postgresql/data}

# All interfaces of a pod are its own address here (kubelet/own-address.mjs).
own=$(awk -v name="$HOSTNAME" '{ for (i = 2; i <= NF; i++) if ($i == name) { print $1; exit } }' /etc/hosts)

# The image knows its user by name, whatever number the pod gives it; initdb refuses one that /etc/passwd lacks.
as_user=(unshare --user --map-user=daemon --map-group=daemon --)

# value NAME: of the variable, or of the file that NAME_FILE names.
value() {
  local file=$1_FILE
  if [ -n "${!file:-}" ]; then cat "${!file}"; else printf %s "${!1:-}"; fi
}

first_start() {
  local user password database waldir=${POSTGRES_INITDB_WALDIR:-} method=${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256}
  user=$(value POSTGRES_USER)
  user=${user:-postgres}
  password=$(value POSTGRES_PASSWORD)
  database=$(value POSTGRES_DB)
  database=${database:-$user}
  if [ -z "$password" ] && [ "$method" != trust ]; then
    echo 'Error: Database is uninitialized and superuser password is not specified.' >&2
    exit 1
  fi
  mkdir -p -m 700 "$data"
  # The official image trusts 127.0.0.1, which is the pod itself there, and every pod here.
  # shellcheck disable=SC2086
  "${as_user[@]}" "$bin/initdb" -D "$data" -U "$user" -E UTF8 --locale=C.UTF-8 --auth-local=trust \
    "--auth-host=$method" ${waldir:+"--waldir=$waldir"} ${password:+--pwfile=/dev/fd/3} ${POSTGRES_INITDB_ARGS:-} 3<<<"$password"
  echo "host all all all $method" >>"$data/pg_hba.conf"
  if [ "$database" != postgres ]; then
    printf 'CREATE DATABASE "%s"\n' "$database" | "${as_user[@]}" "$bin/postgres" --single -D "$data" -j postgres >/dev/null
  fi
}

# A standby of CloudNativePG's stand-in: a copy of the primary, or what was the primary itself, put back to where they parted.
follow() {
  local wal=${POSTGRES_INITDB_WALDIR:-}
  until "${as_user[@]}" "$bin/psql" -XAtqc 'select 1' "$PRIMARY dbname=postgres" >/dev/null; do sleep 0.2; done
  if [ -s "$data/PG_VERSION" ] &&
    ! "${as_user[@]}" "$bin/pg_rewind" -D "$data" --source-server="$PRIMARY dbname=postgres"; then
    rm -rf "$data"
  fi
  if [ ! -s "$data/PG_VERSION" ]; then
    rm -rf "$data" ${wal:+"$wal"}
    "${as_user[@]}" "$bin/pg_basebackup" -D "$data" -d "$PRIMARY" -S "$PRIMARY_SLOT" -X stream -c fast ${wal:+"--waldir=$wal"}
  fi
  # The last: a copy that was broken off has none.
  touch "$data/standby.signal"
}

if [ "${INSTANCE_ROLE:-}" = replica ]; then
  # The first process of a container hears no signal that it has no trap for.
  trap 'exit 143' TERM INT
  [ -f "$data/standby.signal" ] || follow
fi
[ -s "$data/PG_VERSION" ] || first_start
# CloudNativePG moves the log to its own volume when one is added later.
if [ -n "${POSTGRES_INITDB_WALDIR:-}" ] && [ ! -L "$data/pg_wal" ]; then
  mkdir -p -m 700 "$POSTGRES_INITDB_WALDIR"
  cp -a "$data/pg_wal/." "$POSTGRES_INITDB_WALDIR/"
  rm -rf "$data/pg_wal"
  ln -s "$POSTGRES_INITDB_WALDIR" "$data/pg_wal"
fi

socket=/var/run/postgresql
[ -w "$socket" ] || socket=
"${as_user[@]}" "$bin/postgres" -D "$data" -c "listen_addresses=${own:-*}" -c "unix_socket_directories=$socket" "$@" &
server=$!
# The image's STOPSIGNAL is SIGINT, which waits for no client.
trap 'kill -INT $server' TERM INT
while wait "$server" && code=0 || code=$?; kill -0 "$server" 2>/dev/null; do :; done
exit "$code"
