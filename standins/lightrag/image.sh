#!/usr/bin/env bash
# The entry point of an image of LightRAG for the stand-in kubelet: the server of `.ci/lightrag.sh VERSION install`, whose environment is
# the first word. Everything else it knows by its own variables. As the image's (github.com/HKUDS/LightRAG), its folders and the ranks of
# its tokenizer are below /app/data unless told: a volume there hides the ranks.
set -euo pipefail

environment=$1
shift
export WORKING_DIR=${WORKING_DIR:-/app/data/rag_storage} INPUT_DIR=${INPUT_DIR:-/app/data/inputs} PYTHONUNBUFFERED=1
export TIKTOKEN_CACHE_DIR=${TIKTOKEN_CACHE_DIR:-$(dirname "$environment")/tiktoken}
[ ! -d /app/data ] || export TIKTOKEN_CACHE_DIR=/app/data/tiktoken

# All interfaces of a pod are its own address here (kubelet/own-address.mjs).
own=$(awk -v name="$HOSTNAME" '{ for (i = 2; i <= NF; i++) if ($i == name) { print $1; exit } }' /etc/hosts)
[ "${HOST:-0.0.0.0}" != 0.0.0.0 ] || export HOST=${own:-0.0.0.0}
# `python` of the machine may be a shim that needs more than the container has.
exec "$environment/bin/python" -m lightrag.api.lightrag_server "$@"
