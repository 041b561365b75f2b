# Sourced by scripts whose work is skipped where something is missing; with REQUIRE_SERVICES=1 they fail instead. A script sets `name`,
# the beginning of its messages, before.

say() { printf '%s: %s\n' "$name" "$*" >&2; }

skip() {
  say "SKIPPED: $1"
  [ "${REQUIRE_SERVICES:-}" != 1 ] || exit 1
  exit 0
}

require_venv() {
  command -v python3 >/dev/null || skip 'python3 is missing: install it'
  python3 -c 'import venv, ensurepip' 2>/dev/null || skip 'python3 has no venv and pip: install python3-venv'
}
