#!/usr/bin/env bash
# A real LightRAG server for tests, from PyPI, in a folder of its own, on a free loopback port, offline once installed.
#   lightrag.sh VERSION install          into a virtual environment in the cache, with the drivers of PostgreSQL and Neo4j; does nothing
#                                        when it is there; prints its folder
#   lightrag.sh VERSION start DIR MODEL  starts one with its data in DIR; MODEL is the base of an OpenAI-compatible API that
#                                        chats and embeds (384 dimensions); prints its URL. Its key is `test-key`
#   lightrag.sh VERSION kill DIR         ends it as a crash would
#   lightrag.sh VERSION stop DIR         ends it and removes DIR
# LIGHTRAG_PORT: the port to start on, so that one that was killed comes back where it was.
# LIGHTRAG_CACHE: where the environments are; ~/.cache/statewright/lightrag unless told.
set -euo pipefail

version=${1:?a version of lightrag-hku, as 1.5.7}
here=$(cd "$(dirname "$0")" && pwd)
cache=${LIGHTRAG_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/statewright/lightrag}
venv=$cache/$version

install() {
  # The drivers are what LightRAG's own image has: the server would install them as it starts.
  compgen -G "$venv/lib/python3*/site-packages/asyncpg" >/dev/null && return 0
  mkdir -p "$cache"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "lightrag-hku[api]==$version" neo4j pgvector asyncpg >&2
}

# LightRAG counts tokens by ranks that tiktoken would download; js-tiktoken brings the same ones.
tokens() {
  [ -d "$cache/tiktoken" ] && return 0
  node "$here/lightrag-tokens.mjs" "$cache/tiktoken.$$"
  mv -T "$cache/tiktoken.$$" "$cache/tiktoken" 2>/dev/null || rm -rf "$cache/tiktoken.$$"
}

free_port() {
  node -e 'const s = require("net").createServer(); s.listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })'
}

start() {
  local dir=$1 model=$2 port
  install
  tokens
  mkdir -p "$dir/work" "$dir/input" "$dir/logs"
  port=${LIGHTRAG_PORT:-$(free_port)}
  (
    cd "$dir"
    exec setsid env -i PATH="$PATH" HOME="$dir" PYTHONUNBUFFERED=1 TIKTOKEN_CACHE_DIR="$cache/tiktoken" \
      HOST=127.0.0.1 PORT="$port" LIGHTRAG_API_KEY=test-key WORKING_DIR="$dir/work" INPUT_DIR="$dir/input" LOG_DIR="$dir/logs" \
      LLM_BINDING=openai LLM_MODEL=scripted LLM_BINDING_HOST="$model" LLM_BINDING_API_KEY=none \
      EMBEDDING_BINDING=openai EMBEDDING_MODEL=scripted EMBEDDING_DIM=384 EMBEDDING_BINDING_HOST="$model" \
      EMBEDDING_BINDING_API_KEY=none RERANK_BINDING=null \
      "$venv/bin/lightrag-server" >"$dir/server.log" 2>&1 </dev/null
  ) &
  echo $! >"$dir/pid"
  # It imports much before it listens.
  local attempt
  for attempt in $(seq 1 240); do
    if curl -fsS -o /dev/null "http://127.0.0.1:$port/health" 2>/dev/null; then
      echo "http://127.0.0.1:$port"
      return 0
    fi
    kill -0 "$(cat "$dir/pid")" 2>/dev/null || break
    sleep 0.5
  done
  tail -n 30 "$dir/server.log" >&2
  return 1
}

# Its own group and nothing else.
end() {
  local dir=$1 pid
  [ -f "$dir/pid" ] || return 0
  pid=$(cat "$dir/pid")
  kill -KILL -- "-$pid" 2>/dev/null || kill -KILL "$pid" 2>/dev/null || true
  rm -f "$dir/pid"
}

case "${2:-}" in
  install) install && tokens && echo "$venv" ;;
  start) start "${3:?the folder}" "${4:?the base of the model API}" ;;
  kill) end "${3:?the folder}" ;;
  stop)
    end "${3:?the folder}"
    rm -rf "$3"
    ;;
  *)
    echo "usage: lightrag.sh VERSION install | start DIR MODEL | kill DIR | stop DIR" >&2
    exit 2
    ;;
esac
