#!/usr/bin/env bash
# Grafana's own types of dashboards, built from the Go module proxy and kept in the cache folder.
#   grafana.sh build   builds it where it isn't there (half a minute of two idle cores), prints the folder of the program
#   grafana.sh find    prints that folder; exit code 1 where it isn't built
set -euo pipefail

name=grafana
source "$(dirname "${BASH_SOURCE[0]}")/go-program.sh"
