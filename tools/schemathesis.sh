#!/usr/bin/env bash
# Holds the running service to its own OpenAPI document: schemathesis makes up requests, good and bad, and judges answers.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  cat <<'TEXT'
tools/schemathesis.sh

  Starts the built service (npm run build) with a key of a large plan in a network namespace that has loopback alone, and runs
  schemathesis against its /openapi.json. Exit 1 when an answer is not as documented, or a 5xx came that was neither scan_failed
  nor scan_timeout. Skipped, with a word on stderr, where there is no Python with pip or no such namespace can be made; with
  REQUIRE_SERVICES=1 that fails.

Schemathesis is installed in ${XDG_CACHE_HOME:-~/.cache}/siteprint-schemathesis.
TEXT
}

say() { printf 'schemathesis: %s\n' "$*" >&2; }

skip() {
  say "SKIPPED: $1"
  [ "${REQUIRE_SERVICES:-}" != 1 ] || exit 1
  exit 0
}

folder=${XDG_CACHE_HOME:-${HOME:?set HOME or XDG_CACHE_HOME: schemathesis is installed below it}/.cache}/siteprint-schemathesis

install_missing() {
  [ ! -x "$folder/bin/schemathesis" ] || return 0
  command -v python3 >/dev/null || skip 'there is no python3'
  python3 -c 'import venv, ensurepip' 2>/dev/null || skip 'python3 has no venv and pip: install python3-venv'
  say 'installing it from PyPI'
  { python3 -m venv "$folder" && "$folder/bin/pip" install --quiet 'schemathesis==4.32.*'; } >&2 && return 0
  rm -rf "$folder"
  skip 'it could not be installed from PyPI'
}

# --- Inside the namespace ---------------------------------------------------------------------------------------------

# What the contract says otherwise: a scan that fails is a 500, and a URL that the schema lets through may be no public one.
but='not_a_server_error,positive_data_acceptance'

# A site for the second run: in the first one every scan fails, as nothing else is reached from here.
page_server='require("node:http").createServer((request, answer) => answer.setHeader("content-type", "text/html")
  .end("<meta name=generator content=\"WordPress 6.6.1\"><p>One page")).listen(8080, "127.0.0.1")'

run_inside() { # work
  local work=$1 url key status=0
  ip link set lo up
  printf 'free: { perMinute: 1000000000, perMonth: 1000000000 }\n' >"$work/plans.yaml"
  env -i PATH="$PATH" PORT=0 DATA_DIR="$work/data" PLANS_FILE="$work/plans.yaml" SCAN_ALLOW=127.0.0.1:8080 \
    node tools/start.mjs ../src/main >"$work/out" 2>"$work/log" &
  node -e "$page_server" &
  trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT
  for _ in $(seq 300); do ! grep -q 'curl' "$work/out" || break && sleep 0.1; done
  url=$(grep -o 'http://127[0-9.:]*' "$work/out" | head -n 1) || { cat "$work/log" >&2 && return 1; }
  key=$(grep -o 'spk_live_[0-9A-Za-z]*' "$work/out" | head -n 1)
  # First any URL that comes to its mind, then that of a page which is there, with all else made up.
  printf '' >"$work/any.toml"
  printf '[parameters]\n"query.url" = "http://127.0.0.1:8080/"\n' >"$work/page.toml"
  for what in any page; do
    say "$what"
    # There, as it leaves notes where it runs; with a fixed seed, so that each run asks the same.
    (cd "$work" && "$folder/bin/schemathesis" --config-file "$work/$what.toml" run "$url/openapi.json" --header "Authorization: Bearer $key" \
      --exclude-checks "$but" --seed 1 --max-examples 60 --request-timeout 30 --generation-database none --no-color) || status=1
  done
  node - "$work/log" <<'JS' || status=1
const lines = require('node:fs').readFileSync(process.argv[2], 'utf8').split('\n').filter((line) => line.startsWith('{'))
const answers = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request completed')
const wrong = answers.filter(({ status, code }) => status >= 500 && code !== 'scan_failed' && code !== 'scan_timeout')
const count = (of) => answers.filter(({ status }) => Math.floor(status / 100) === of).length
console.log(`${answers.length} answers: ${count(2)} of 2xx, ${count(4)} of 4xx, ${count(5)} of 5xx, ${wrong.length} that may not be`)
for (const one of wrong.slice(0, 10)) console.log(JSON.stringify(one))
process.exit(wrong.length === 0 && count(2) > 0 && count(4) > 0 ? 0 : 1)
JS
  return $status
}

# --- Outside ----------------------------------------------------------------------------------------------------------

case "${1:-}" in
  '') ;;
  inside) run_inside "$2" && exit 0 || exit 1 ;;
  -h | --help | help) usage && exit 0 ;;
  *) usage >&2 && exit 2 ;;
esac

command -v ip >/dev/null || skip 'there is no ip: install iproute2'
for way in -n -rn; do if unshare "$way" ip link set lo up 2>/dev/null; then found=$way; fi; done
[ -n "${found:-}" ] || skip 'no network namespace can be made here'
install_missing
[ -f dist/src/main.js ] || { say 'there is no build: npm run build makes one' && exit 2; }
work=$(mktemp -d "${TMPDIR:-/tmp}/siteprint-schemathesis.XXXXXX")
trap 'rm -rf "$work"' EXIT
unshare "$found" "$BASH" "$0" inside "$work"
