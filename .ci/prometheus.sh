#!/usr/bin/env bash
# Prometheus and promtool, of Debian's package `prometheus`, unpacked into the cache folder. Nothing is installed on the machine.
#   prometheus.sh build   fetches them where they aren't there (19 MB), prints the folder of the programs
#   prometheus.sh find    prints that folder; exit code 1 where they aren't there
set -euo pipefail

cache=${XDG_CACHE_HOME:-$HOME/.cache}/statewright/prometheus

find_programs() {
  [ -x "$cache/prometheus" ] && [ -x "$cache/promtool" ] ||
    { echo "Prometheus is not here: .ci/prometheus.sh build" >&2; return 1; }
  echo "$cache"
}

build() {
  if find_programs 2>/dev/null; then return 0; fi
  mkdir -p "$cache"
  exec 9>"$cache/lock"
  flock 9
  if find_programs 2>/dev/null; then return 0; fi
  local made
  made=$(mktemp -d)
  trap 'rm -rf "$made"' RETURN
  # A machine without lists has none of the package either.
  (cd "$made" && { apt-get download -qq prometheus || { apt-get update -qq && apt-get download -qq prometheus; }; } &&
    dpkg -x prometheus_*.deb .) >&2
  mv "$made/usr/bin/promtool" "$made/usr/bin/prometheus" "$cache"
  find_programs
}

case "${1:-}" in
  build) build ;;
  find) find_programs ;;
  *) sed -n '2,4s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
