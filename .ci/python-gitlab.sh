#!/usr/bin/env bash
# python-gitlab of PyPI, a client of GitLab that nobody here wrote.
#   python-gitlab.sh install   into a virtual environment in the cache, prints its Python; does nothing more when it is there
set -euo pipefail

name=python-gitlab
version=8.6.0
program=bin/python
source "$(dirname "${BASH_SOURCE[0]}")/registry-program.sh"
