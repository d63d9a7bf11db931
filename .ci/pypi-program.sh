# Sourced by scripts that install one package of PyPI into a virtual environment in the cache. They set `name`, `version`, and `program`,
# whose path `install` prints.
venv=${XDG_CACHE_HOME:-$HOME/.cache}/statewright/$name/$version

install() {
  # Written last: an environment without it is one whose package is missing.
  if [ ! -e "$venv/installed" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check "$name==$version" >&2
    touch "$venv/installed"
  fi
  echo "$venv/bin/$program"
}

case ${1:-} in
  install) install ;;
  *)
    sed -n '2,3s/^# //p' "${BASH_SOURCE[1]}" >&2
    exit 2
    ;;
esac
