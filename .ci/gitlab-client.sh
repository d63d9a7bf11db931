#!/usr/bin/env bash
# GitLab's own Go client with a walk of ours, built from the Go module proxy and kept in the cache folder.
#   gitlab-client.sh build   builds it where it isn't there, prints the folder of the program
#   gitlab-client.sh find    prints that folder; exit code 1 where it isn't built
set -euo pipefail

name=gitlab-client
source "$(dirname "${BASH_SOURCE[0]}")/go-program.sh"
