#!/usr/bin/env bash
# The OpenID provider of zitadel/oidc's example, built from the Go module proxy and kept in the cache folder.
#   oidc.sh build   builds it where it isn't there (about a minute and a half, 70 processor seconds), prints the folder of the program
#   oidc.sh find    prints that folder; exit code 1 where it isn't built
set -euo pipefail

name=oidc
source "$(dirname "${BASH_SOURCE[0]}")/go-program.sh"
