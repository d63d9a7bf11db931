#!/usr/bin/env bash
# Helm, built from the Go module proxy and kept in the cache folder.
#   helm.sh build   builds it where it isn't there (about 3 minutes of two idle cores), prints the folder of the program
#   helm.sh find    prints that folder; exit code 1 where it isn't built
set -euo pipefail

sources=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/helm
print=$(cat "$sources/go.mod" "$sources/go.sum" | sha256sum | cut -c 1-16)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/statewright/helm
programs=$cache/$print

find_programs() {
  [ -x "$programs/helm" ] || { echo "helm is not built: .ci/helm.sh build" >&2; return 1; }
  echo "$programs"
}

# Whoever comes second waits for the first one's program.
build() {
  if find_programs 2>/dev/null; then return 0; fi
  # Where Go's own installer puts it, which a bare PATH leaves out.
  export PATH="$PATH:/usr/local/go/bin"
  command -v go >/dev/null || { echo "helm.sh needs Go 1.26 or later" >&2; return 1; }
  mkdir -p "$cache"
  exec 9>"$cache/lock"
  flock 9
  if find_programs 2>/dev/null; then return 0; fi
  local made=$cache/$print.$$ version minor info=helm.sh/helm/v3
  version=$(awk '$2 == "helm.sh/helm/v3" { print $3 } $1 == "helm.sh/helm/v3" { print $2 }' "$sources/go.mod" | tail -n 1)
  # What `helm template` without a cluster takes for its version: the one of the client's libraries, as Helm's own builds have it.
  minor=$(awk '$1 == "k8s.io/client-go" { split($2, part, "."); print part[2] }' "$sources/go.mod")
  mkdir -p "$made"
  (cd "$sources" && CGO_ENABLED=0 GOFLAGS="-mod=readonly -buildvcs=false ${GOFLAGS:-}" nice -n 15 go build -trimpath \
    -ldflags "-s -w -X $info/internal/version.version=$version -X $info/pkg/chartutil.k8sVersionMajor=1 -X $info/pkg/chartutil.k8sVersionMinor=$minor -X $info/pkg/lint/rules.k8sVersionMajor=1 -X $info/pkg/lint/rules.k8sVersionMinor=$minor" \
    -o "$made/helm" helm.sh/helm/v3/cmd/helm) >&2 || { rm -rf "$made"; return 1; }
  mv "$made" "$programs"
  find_programs
}

case "${1:-}" in
  build) build ;;
  find) find_programs ;;
  *) sed -n '2,4s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
