#!/usr/bin/env bash
# python-gitlab of PyPI, a client of GitLab that nobody here wrote.
#   python-gitlab.sh install   into a virtual environment in the cache, prints its Python; does nothing more when it is there
set -euo pipefail

version=8.6.0
venv=${XDG_CACHE_HOME:-$HOME/.cache}/statewright/python-gitlab/$version

install() {
  if [ ! -x "$venv/bin/gitlab" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check "python-gitlab==$version" >&2
  fi
  echo "$venv/bin/python"
}

case ${1:-} in
  install) install ;;
  *)
    sed -n '2,3s/^# //p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
