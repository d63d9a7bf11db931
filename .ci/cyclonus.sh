#!/usr/bin/env bash
# Cyclonus, which evaluates network policies, built from the Go module proxy and kept in the cache folder.
#   cyclonus.sh build   builds it where it isn't there (about 2 minutes of two idle cores), prints the folder of the program
#   cyclonus.sh find    prints that folder; exit code 1 where it isn't built
set -euo pipefail

name=cyclonus
package=github.com/mattfenwick/cyclonus/cmd/cyclonus
source "$(dirname "${BASH_SOURCE[0]}")/go-program.sh"
