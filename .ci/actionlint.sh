#!/usr/bin/env bash
# actionlint, which judges workflows of GitHub Actions, built from the Go module proxy and kept in the cache folder.
#   actionlint.sh build   builds it where it isn't there (about 10 s of an idle core), prints the folder of the program
#   actionlint.sh find    prints that folder; exit code 1 where it isn't built
set -euo pipefail

name=actionlint
package=github.com/rhysd/actionlint/cmd/actionlint
source "$(dirname "${BASH_SOURCE[0]}")/go-program.sh"
