#!/usr/bin/env bash
# Installs the generators with which clients of the API are tried, and the one that generates the types of clients/python.
set -euo pipefail
cd "$(dirname "$0")/generators"

usage() {
  cat <<'TEXT'
tools/generators.sh install | folder [what]

  install  installs what tools/generators/ lists from PyPI and npm, if it is missing: openapi-python-client,
           datamodel-code-generator and mypy into a virtual environment, openapi-typescript into node_modules
  folder   prints the folder that contains venv/ and node_modules/; if it is not installed, stderr says that what is skipped

The folder is in ${XDG_CACHE_HOME:-~/.cache}/siteprint-generators and has the name of the list's checksum. Without Python 3.11 and
pip, or if the packages cannot be fetched, nothing is installed and stderr says why. With REQUIRE_SERVICES=1 the exit code is 1 if
something is skipped.
TEXT
}

name=generators
. ../optional-check.sh

cache=${XDG_CACHE_HOME:-${HOME:?set HOME or XDG_CACHE_HOME: the generators are installed below it}/.cache}/siteprint-generators
folder=$cache/$(cat requirements.txt package-lock.json | cksum | cut -d ' ' -f 1)

# Files are installed into a folder of their own, which gets its name when it is complete.
install_into() { # folder
  rm -rf "$1" && mkdir -p "$1" && cp package.json package-lock.json "$1" &&
    python3 -m venv "$1/venv" &&
    "$1/venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement requirements.txt &&
    npm ci --prefix "$1" --silent --ignore-scripts --no-audit --no-fund
}

install_missing() {
  [ ! -d "$folder" ] || return 0
  require_venv
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || skip 'python3 is older than 3.11: install a later version'
  say 'installing generators from PyPI and npm'
  local new=$folder.new-$$
  trap 'rm -rf "$folder".new-$$' EXIT
  install_into "$new" >&2 || { say 'that failed; trying once more' && install_into "$new" >&2; } ||
    skip 'the generators could not be installed from PyPI and npm: see the messages above'
  # Another process may have been faster.
  [ -d "$folder" ] || mv "$new" "$folder"
}

case "${1:-}" in
  install) install_missing ;;
  folder)
    [ -d "$folder" ] || skip "${2:-what needs the generators}: run tools/generators.sh install"
    printf '%s\n' "$folder"
    ;;
  -h | --help | help) usage ;;
  *) usage >&2 && exit 2 ;;
esac
