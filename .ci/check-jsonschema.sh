#!/usr/bin/env bash
# check-jsonschema of PyPI, which brings the schema of GitLab's pipelines.
#   check-jsonschema.sh install   into a virtual environment in the cache, prints the program; does nothing more when it is there
set -euo pipefail

name=check-jsonschema
version=0.39.0
program=bin/check-jsonschema
source "$(dirname "${BASH_SOURCE[0]}")/registry-program.sh"
