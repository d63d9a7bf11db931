#!/usr/bin/env bash
# Cyclonus, which evaluates network policies, built from the Go module proxy and kept in the cache folder.
#   cyclonus.sh build   builds it where it isn't there (about 2 minutes of two idle cores), prints the folder of the program
#   cyclonus.sh find    prints that folder; exit code 1 where it isn't built
set -euo pipefail

sources=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/cyclonus
print=$(cat "$sources/go.mod" "$sources/go.sum" | sha256sum | cut -c 1-16)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/statewright/cyclonus
programs=$cache/$print

find_programs() {
  [ -x "$programs/cyclonus" ] || { echo "cyclonus is not built: .ci/cyclonus.sh build" >&2; return 1; }
  echo "$programs"
}

# Whoever comes second waits for the first one's program.
build() {
  if find_programs 2>/dev/null; then return 0; fi
  # Where Go's own installer puts it, which a bare PATH leaves out.
  export PATH="$PATH:/usr/local/go/bin"
  command -v go >/dev/null || { echo "cyclonus.sh needs Go 1.26 or later" >&2; return 1; }
  mkdir -p "$cache"
  exec 9>"$cache/lock"
  flock 9
  if find_programs 2>/dev/null; then return 0; fi
  local made=$cache/$print.$$
  mkdir -p "$made"
  (cd "$sources" && CGO_ENABLED=0 GOFLAGS="-mod=readonly -buildvcs=false ${GOFLAGS:-}" nice -n 15 go build -trimpath \
    -ldflags "-s -w" -o "$made/cyclonus" github.com/mattfenwick/cyclonus/cmd/cyclonus) >&2 || { rm -rf "$made"; return 1; }
  mv "$made" "$programs"
  find_programs
}

case "${1:-}" in
  build) build ;;
  find) find_programs ;;
  *) sed -n '2,4s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
