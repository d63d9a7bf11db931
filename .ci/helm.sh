#!/usr/bin/env bash
# Helm, built from the Go module proxy and kept in the cache folder.
#   helm.sh build   builds it where it isn't there (about 3 minutes of two idle cores), prints the folder of the program
#   helm.sh find    prints that folder; exit code 1 where it isn't built
set -euo pipefail

name=helm

compile() {
  local version minor each flags
  version=$(awk '{ for (i = 1; i < NF; i++) if ($i == "helm.sh/helm/v3") print $(i + 1) }' go.mod | tail -n 1)
  # The version that `helm template` takes a cluster to have: the one of the client's libraries, as in Helm's own builds.
  minor=$(awk '$1 == "k8s.io/client-go" { split($2, part, "."); print part[2] }' go.mod)
  flags="-s -w -X helm.sh/helm/v3/internal/version.version=$version"
  for each in chartutil lint/rules; do
    flags="$flags -X helm.sh/helm/v3/pkg/$each.k8sVersionMajor=1 -X helm.sh/helm/v3/pkg/$each.k8sVersionMinor=$minor"
  done
  nice -n 15 go build -ldflags "$flags" -o "$1" helm.sh/helm/v3/cmd/helm
}

source "$(dirname "${BASH_SOURCE[0]}")/go-program.sh"
