#!/usr/bin/env bash
# Compose's own loader (compose-go) behind a small program of ours, built from the Go module proxy and kept in the cache folder.
#   compose.sh build   builds it where it isn't there (about 10 s of an idle core), prints the folder of the program
#   compose.sh find    prints that folder; exit code 1 where it isn't built
set -euo pipefail

name=compose
source "$(dirname "${BASH_SOURCE[0]}")/go-program.sh"
