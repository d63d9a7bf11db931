#!/usr/bin/env bash
# The extension pgvector for the PostgreSQL server that is installed here, of whatever major: compiled from Debian's source
# package against the headers of that server, because Debian 12 itself brings none.
#   pgvector.sh        installs it; does nothing when it is there. Needs root, gcc, and a Debian with apt
# DESTDIR: installs below another root, as make does.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
bin=$("$here/postgres.sh" find)
major=$("$bin/postgres" --version | sed -E 's/^[^0-9]*([0-9]+).*/\1/')
share=${DESTDIR:-}/usr/share/postgresql/$major/extension
lib=${DESTDIR:-}/usr/lib/postgresql/$major/lib
[ ! -f "$share/vector.control" ] || exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null || ! command -v gcc >/dev/null; then
  echo "pgvector is not installed for PostgreSQL $major, and building it needs root, apt and gcc" >&2
  exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir -p state/lists/partial cache/archives/partial
touch status
# The mirror that this machine itself uses.
mirror=$({ sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/debian.sources; awk '$1 == "deb" { print $2 }' /etc/apt/sources.list; } 2>/dev/null | grep '/debian/*$' | head -n 1 || true)
mirror=${mirror:-http://deb.debian.org/debian}
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >sources
source_only=(-o "Dir::Etc::sourcelist=$work/sources" -o Dir::Etc::sourceparts=- -o "Dir::State=$work/state" -o "Dir::State::status=$work/status" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root)
apt-get "${source_only[@]}" -qq update
apt-get -qq update
# Unpacked beside, not installed: their own dependencies are a compiler suite that nothing here needs.
apt-get -qq -o APT::Sandbox::User=root download "postgresql-server-dev-$major" libpq-dev
apt-get "${source_only[@]}" -qq source --download-only pgvector
for package in *.deb; do dpkg-deb -x "$package" headers; done
tar xzf pgvector_*.orig.tar.gz
cd pgvector-*/
version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" vector.control)
printf '%s\n' src/*.c | xargs -P "$(nproc)" -I{} gcc -O2 -fPIC -c {} -ftree-vectorize -fassociative-math -fno-signed-zeros \
  -fno-trapping-math -fno-math-errno -I"$work/headers/usr/include/postgresql/$major/server" -I"$work/headers/usr/include/postgresql"
gcc -shared -o vector.so ./*.o -lm
install -D -m 644 vector.so "$lib/vector.so"
install -D -m 644 sql/vector.sql "$share/vector--$version.sql"
# Last: it is what says that all is there.
install -D -m 644 vector.control "$share/vector.control"
