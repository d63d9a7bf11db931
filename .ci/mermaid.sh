#!/usr/bin/env bash
# Mermaid of npm's registry, which draws the text of a chart, kept in the cache folder. No package of ours depends on it.
#   mermaid.sh fetch   gets it where it isn't there, prints the folder of its programs
set -euo pipefail

version=11.17.2
folder=${XDG_CACHE_HOME:-$HOME/.cache}/statewright/mermaid/$version

fetch() {
  # Written last: a folder without it is one whose package is missing.
  if [ ! -e "$folder/fetched" ]; then
    mkdir -p "$folder"
    (cd "$folder" && npm pack --silent --fetch-retries 1 "mermaid@$version" >&2 && tar -xzf "mermaid-$version.tgz" package/dist/mermaid.min.js)
    touch "$folder/fetched"
  fi
  echo "$folder/package/dist"
}

case ${1:-} in
  fetch) fetch ;;
  *)
    sed -n '2,3s/^# //p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
