#!/usr/bin/env bash
# check-jsonschema of PyPI, which brings the schema of GitLab's pipelines.
#   check-jsonschema.sh install   into a virtual environment in the cache, prints the program; does nothing more when it is there
set -euo pipefail

version=0.39.0
venv=${XDG_CACHE_HOME:-$HOME/.cache}/statewright/check-jsonschema/$version

install() {
  if [ ! -x "$venv/bin/check-jsonschema" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check "check-jsonschema==$version" >&2
  fi
  echo "$venv/bin/check-jsonschema"
}

case ${1:-} in
  install) install ;;
  *)
    sed -n '2,3s/^# //p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
