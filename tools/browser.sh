#!/usr/bin/env bash
# Installs Chromium, with which the portal's pages are tested.
set -euo pipefail

usage() {
  cat <<'TEXT'
tools/browser.sh install | status

  install  installs Debian's package chromium if it is missing (as root), and prints what status prints
  status   prints CHROMIUM=<file>; exit code 1 if it is not installed

A Chromium in another place is found by the environment variable CHROMIUM.
TEXT
}

say() { printf 'browser: %s\n' "$*" >&2; }

find_browser() {
  if [ -n "${CHROMIUM:-}" ]; then printf '%s\n' "$CHROMIUM"; else command -v chromium || command -v chromium-browser; fi
}

print_browser() {
  local file
  file=$(find_browser) && printf 'CHROMIUM=%s\n' "$file"
}

install_browser() {
  if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    say 'chromium is missing: install it, for example with "sudo apt-get install chromium", or set CHROMIUM to its file'
    return 1
  fi
  say 'installing chromium with apt-get'
  # A page without any font has no text to look at.
  if ! { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    chromium fonts-dejavu-core; } </dev/null >&2; then
    say 'apt-get could not install chromium: see its output above'
    return 1
  fi
}

case "${1:-}" in
  install)
    find_browser >/dev/null || install_browser
    print_browser
    ;;
  status) print_browser ;;
  -h | --help | help) usage ;;
  *) usage >&2 && exit 2 ;;
esac
