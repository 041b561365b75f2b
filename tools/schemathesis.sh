#!/usr/bin/env bash
# Checks the running service against its own OpenAPI documents: Schemathesis generates valid and invalid requests and checks the
# responses.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  cat <<'TEXT'
tools/schemathesis.sh [install]

  install  installs Schemathesis, if it is missing, and does nothing else

  Starts the built service (npm run build) once for each revision of the API, with a key of a large plan, in a network namespace
  that has only the loopback interface, and runs Schemathesis against the document of that revision: /openapi.json for revision 2
  and /openapi-1.json for revision 1. The exit code is 1 if a response is not as documented, or if a
  5xx response has a code other than scan_failed and scan_timeout. Without Python and pip, or where no such namespace can be
  created, the check is skipped and stderr says why; with REQUIRE_SERVICES=1 it fails instead.

Schemathesis is installed in ${XDG_CACHE_HOME:-~/.cache}/siteprint-schemathesis.
TEXT
}

name=schemathesis
. tools/optional-check.sh

folder=${XDG_CACHE_HOME:-${HOME:?set HOME or XDG_CACHE_HOME: Schemathesis is installed below it}/.cache}/siteprint-schemathesis

install_missing() {
  [ ! -x "$folder/bin/schemathesis" ] || return 0
  require_venv
  say 'installing Schemathesis from PyPI'
  { python3 -m venv "$folder" && "$folder/bin/pip" install --quiet 'schemathesis==4.32.*'; } >&2 && return 0
  rm -rf "$folder"
  skip 'Schemathesis could not be installed from PyPI'
}

# --- Inside the namespace ---------------------------------------------------------------------------------------------

# Checks that contradict the contract: a failed scan is a 500, a URL that is valid by the schema may not be public, and a batch that was
# cancelled with DELETE can still be read.
excluded_checks='not_a_server_error,positive_data_acceptance,use_after_free'

# A site for the second run. In the first one every scan fails, because the namespace reaches nothing else.
page_server='require("node:http").createServer((request, response) => response.setHeader("content-type", "text/html")
  .end("<meta name=generator content=\"WordPress 6.6.1\"><p>One page")).listen(8080, "127.0.0.1")'

# Requests are sent with all keys in turn: with revision 1 each key may send 30 a minute, whatever its plan.
auth_module='import itertools, os, schemathesis
keys = itertools.cycle(open(os.environ["KEYS"]).read().split())

@schemathesis.auth(refresh_interval=None)
class Keys:
    def get(self, case, context):
        return next(keys)

    def set(self, case, data, context):
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {data}"}
'
create_keys='const { main } = await import(`${process.cwd()}/dist/src/cli/keys.js`)
for (let n = 0; n < Number(process.argv[1]); n++)
  await main(["create", "--name", `key ${n}`, "--email", "nobody@example.com", "--plan", "free"], process)'

run_inside() { # work
  local status=0
  ip link set lo up
  printf 'free: { perMinute: 1000000000, perMonth: 1000000000 }\n' >"$1/plans.yaml"
  printf '%s' "$auth_module" >"$1/keys.py"
  # The first run generates all parameters. The second run uses the URL of an existing page and generates the others.
  printf '' >"$1/any.toml"
  printf '[parameters]\n"query.url" = "http://127.0.0.1:8080/"\n' >"$1/page.toml"
  node -e "$page_server" &
  trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT
  run_revision "$1" 2 openapi.json 1 || status=1
  run_revision "$1" 1 openapi-1.json 60 || status=1
  return $status
}

run_revision() { # work revision document keys
  local work=$1 data=$1/data-$2 log=$1/log-$2 url service status=0
  local settings=(PATH="$PATH" DATA_DIR="$data" PLANS_FILE="$work/plans.yaml" API_REVISION="$2")
  env -i "${settings[@]}" PORT=0 SCAN_ALLOW=127.0.0.1:8080 node tools/start.mjs src/main >"$work/out" 2>"$log" &
  service=$!
  for _ in $(seq 300); do ! grep -q 'curl' "$work/out" || break && sleep 0.1; done
  url=$(grep -o 'http://127[0-9.:]*' "$work/out" | head -n 1) || { cat "$log" >&2 && return 1; }
  env -i "${settings[@]}" node --input-type=module -e "$create_keys" "$4" >"$work/keys" 2>"$work/keys-log" ||
    { cat "$work/keys-log" >&2 && return 1; }
  for run in any page; do
    # In the work folder, because Schemathesis writes files to its working directory. The fixed seed makes runs repeatable.
    # Its report is printed only if the run fails: its closing line looks like that of a pytest run without any test, and
    # readers of CI output would take it for the result of the whole run.
    if (cd "$work" && KEYS=$work/keys SCHEMATHESIS_HOOKS=keys PYTHONPATH=$work PYTHONDONTWRITEBYTECODE=1 "$folder/bin/schemathesis" \
      --config-file "$work/$run.toml" run "$url/$3" --exclude-checks "$excluded_checks" --seed 1 --max-examples 60 \
      --request-timeout 30 --generation-database none --no-color) >"$work/report" 2>&1; then
      say "revision $2, run \"$run\": $(grep -oE '[0-9]+ generated' "$work/report" || echo 0 generated), answered as documented"
    else
      cat "$work/report" >&2 && status=1
    fi
  done
  kill "$service"
  count_responses "$log" || status=1
  return $status
}

count_responses() { # log
  node - "$1" <<'JS'
const lines = require('node:fs').readFileSync(process.argv[2], 'utf8').split('\n').filter((line) => line.startsWith('{'))
const responses = lines.map((line) => JSON.parse(line)).filter(({ status, ms }) => status !== undefined && ms !== undefined)
const wrong = responses.filter(({ status, code }) => status >= 500 && code !== 'scan_failed' && code !== 'scan_timeout')
const limited = responses.filter(({ code }) => code === 'rate_limited').length
const count = (hundreds) => responses.filter(({ status }) => Math.floor(status / 100) === hundreds).length
console.log(`${responses.length} responses: ${count(2)} 2xx, ${count(4)} 4xx (${limited} rate-limited), ${count(5)} 5xx, of which ${wrong.length} are not allowed`)
for (const one of wrong.slice(0, 10)) console.log(JSON.stringify(one))
process.exit(wrong.length === 0 && count(2) > 0 && count(4) > limited ? 0 : 1)
JS
}

# --- Outside ----------------------------------------------------------------------------------------------------------

case "${1:-}" in
  '') ;;
  inside) run_inside "$2" && exit 0 || exit 1 ;;
  install) install_missing && exit 0 || exit 1 ;;
  -h | --help | help) usage && exit 0 ;;
  *) usage >&2 && exit 2 ;;
esac

command -v ip >/dev/null || skip 'the command ip is missing: install iproute2'
for option in -n -rn; do if unshare "$option" ip link set lo up 2>/dev/null; then found=$option; fi; done
[ -n "${found:-}" ] || skip 'this system does not allow a network namespace'
install_missing
[ -f dist/src/main.js ] || { say 'the build is missing: run npm run build' && exit 2; }
work=$(mktemp -d "${TMPDIR:-/tmp}/siteprint-schemathesis.XXXXXX")
trap 'rm -rf "$work"' EXIT
unshare "$found" "$BASH" "$0" inside "$work"
