#!/usr/bin/env bash
# Holds a running server to its own OpenAPI document: random requests from its schemas, and sequences of them, with a token.
#   schemathesis.sh install                 into a virtual environment in the cache; does nothing when it is there
#   schemathesis.sh run URL TOKEN [OPTION...]  at least 50 examples an operation, then stateful; options are schemathesis's own
# SCHEMATHESIS_CACHE: where the environment is; ~/.cache/statewright/schemathesis unless told.
set -euo pipefail

version=4.32.5
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${SCHEMATHESIS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/statewright/schemathesis}
venv=$cache/$version

install() {
  [ -x "$venv/bin/schemathesis" ] && return 0
  mkdir -p "$cache"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$version" >&2
}

# What is checked stands in schemathesis.toml, what is sent beside its own inputs in schemathesis_hooks.py. Left out is
# the stream of events, which ends when its job does.
run() {
  local url=$1 token=$2
  shift 2
  install
  # It leaves what it learned where it runs; a signal to this shell is one to it.
  cd "$(mktemp -d)"
  export SCHEMATHESIS_HOOKS=$here/schemathesis_hooks.py
  exec "$venv/bin/schemathesis" --config-file "$here/schemathesis.toml" run "$url/openapi.json" --url "$url" \
    --header "Authorization: Bearer $token" \
    --max-examples "${SCHEMATHESIS_EXAMPLES:-50}" --phases examples,coverage,fuzzing,stateful \
    --exclude-path-regex '/events$' --request-timeout 60 --suppress-health-check all --warnings off --no-color "$@"
}

case ${1:-} in
  install) install ;;
  run) shift && run "$@" ;;
  *)
    echo "usage: schemathesis.sh install | run URL TOKEN [OPTION...]" >&2
    exit 2
    ;;
esac
