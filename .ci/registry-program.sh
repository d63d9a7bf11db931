# Sourced by scripts that install one package of a registry into a folder of the cache. They set `name`, `version`, `program`, whose path
# in that folder `install` prints, and `get`, a function that gets it into the folder where it runs: from PyPI unless set.
folder=${XDG_CACHE_HOME:-$HOME/.cache}/statewright/$name/$version

declare -F get >/dev/null || get() {
  python3 -m venv "$folder"
  bin/pip install --quiet --disable-pip-version-check "$name==$version"
}

install() {
  # Written last: a folder without it is one whose package is missing.
  if [ ! -e "$folder/installed" ]; then
    mkdir -p "$folder"
    (cd "$folder" && get) >&2
    touch "$folder/installed"
  fi
  echo "$folder/$program"
}

case ${1:-} in
  install) install ;;
  *)
    sed -n '2,3s/^# //p' "${BASH_SOURCE[1]}" >&2
    exit 2
    ;;
esac
