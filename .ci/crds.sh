#!/usr/bin/env bash
# Definitions of other people's kinds that the chart uses, from the modules of those who publish them.
#   crds.sh build   gathers them in one file where it isn't there, prints the folder of crds.yaml
#   crds.sh find    prints that folder; exit code 1 where it isn't gathered
set -euo pipefail

name=crds
program=crds.yaml

compile() {
  published sigs.k8s.io/gateway-api config/crd/standard/gateway.networking.k8s.io_httproutes.yaml >"$1"
  for kind in servicemonitors prometheusrules; do
    published github.com/prometheus-operator/prometheus-operator \
      "example/prometheus-operator-crd/monitoring.coreos.com_$kind.yaml" >>"$1"
  done
}

# go.sum has the digest of each module.
published() {
  local folder
  go mod download "$1"
  folder=$(go list -m -f '{{.Dir}}' "$1")
  printf -- '---\n'
  cat "$folder/$2"
}

source "$(dirname "${BASH_SOURCE[0]}")/go-program.sh"
