# Sourced by scripts that build one program of a Go module and keep it in the cache folder. They set `name`, whose folder
# beside this file has go.mod and go.sum, perhaps a program of ours. They may set:
#   package        what to build, of that folder unless set
#   program        the name of its file, `name` unless set
#   compile FILE   a function that builds it otherwise; it runs in that folder
#   other ARGS     a function for what a caller asks besides `build` and `find`
program=${program:-$name}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
sources=$here/$name
cache=${XDG_CACHE_HOME:-$HOME/.cache}/statewright/$name
programs=$cache/$(find "$sources" -type f | LC_ALL=C sort | xargs cat | sha256sum | cut -c 1-16)

find_programs() {
  [ -s "$programs/$program" ] || { echo "$program is not built: .ci/$name.sh build" >&2; return 1; }
  echo "$programs"
}

declare -F compile >/dev/null || compile() {
  nice -n 15 go build -ldflags "-s -w" -o "$1" "${package:-.}"
}

declare -F other >/dev/null || other() {
  sed -n '2,4s/^# //p' "$here/$name.sh" >&2
  exit 2
}

# Whoever comes second waits for the first one's program.
build() {
  if find_programs 2>/dev/null; then return 0; fi
  # Where Go's own installer puts it, which a bare PATH leaves out.
  export PATH="$PATH:/usr/local/go/bin"
  command -v go >/dev/null || { echo "$name.sh needs Go 1.26 or later" >&2; return 1; }
  mkdir -p "$cache"
  exec 9>"$cache/lock"
  flock 9
  if find_programs 2>/dev/null; then return 0; fi
  local made=$programs.$$
  mkdir -p "$made"
  (cd "$sources" && export CGO_ENABLED=0 GOFLAGS="-mod=readonly -buildvcs=false -trimpath ${GOFLAGS:-}" && compile "$made/$program") >&2 ||
    { rm -rf "$made"; return 1; }
  mv "$made" "$programs"
  find_programs
}

case "${1:-}" in
  build) build ;;
  find) find_programs ;;
  *) other "$@" ;;
esac
