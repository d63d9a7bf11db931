#!/usr/bin/env bash
# Mermaid of npm's registry, which draws the text of a chart. No package of ours depends on it.
#   mermaid.sh install   into the cache, prints the folder of its programs; does nothing more when it is there
set -euo pipefail

name=mermaid
version=11.17.2
program=package/dist
get() {
  npm pack --silent --fetch-retries 1 "$name@$version"
  tar -xzf "$name-$version.tgz" package/dist/mermaid.min.js
}
source "$(dirname "${BASH_SOURCE[0]}")/registry-program.sh"
