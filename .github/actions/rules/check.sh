#!/usr/bin/env bash
# The script of the action: installs Siteprint, then lints and tests folders of rules below the working folder. It reads FOLDER, STRICT
# and PACKAGE, which action.yml describes, and writes the outputs of the action to the file GITHUB_OUTPUT.
set -euo pipefail

stop() {
  echo "::error title=siteprint::$1"
  exit 2
}

case "${STRICT:-false}" in
  true) strict=(--strict) ;;
  false) strict=() ;;
  *) stop "strict must be true or false, not \"$STRICT\"" ;;
esac

folders=()
while IFS= read -r line; do
  [ -n "$line" ] || continue
  [ -d "$line" ] || stop "there is no folder \"$line\": set the input folder"
  # A path that begins with ./ is never read as an option.
  case "$line" in /* | ./*) folders+=("$line") ;; *) folders+=("./$line") ;; esac
done <<<"${FOLDER:-rules}"
[ ${#folders[@]} -gt 0 ] || stop 'the input folder is empty: name a folder of rules'

node -e 'const [major, minor] = process.versions.node.split(".").map(Number); process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)' ||
  stop "Node 20.19 or later is needed: add actions/setup-node before this action"

# The folder stays until the end of the job, because later steps read the SARIF files.
target=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/siteprint-XXXXXX")
package=${PACKAGE:-}
siteprint=$PWD/node_modules/.bin/siteprint
if [ -n "$package" ] || [ ! -x "$siteprint" ]; then
  if [ -z "$package" ]; then
    package=siteprint@$(node -p 'require(process.argv[1]).version' "$(cd "$(dirname "$0")/../../.." && pwd)/package.json")
  elif [ -f "$package" ]; then
    package=$(cd "$(dirname "$package")" && pwd)/$(basename "$package")
  fi
  echo '{ "private": true }' >"$target/package.json"
  npm install --prefix "$target" --ignore-scripts --no-audit --no-fund --loglevel=error "$package" ||
    stop "npm could not install $package: set the input package"
  siteprint=$target/node_modules/.bin/siteprint
fi
export CACHE_DIR=$target/cache

run() { # verb
  "$siteprint" rules "$1" "${folders[@]}" "${strict[@]}" --format github --sarif "$target/$1.sarif"
}

status=0
run lint || status=$?
if [ -f "$target/lint.sarif" ]; then echo "lint-sarif=$target/lint.sarif" >>"${GITHUB_OUTPUT:-/dev/null}"; fi
[ "$status" = 0 ] || exit "$status"
run test || status=$?
if [ -f "$target/test.sarif" ]; then echo "test-sarif=$target/test.sarif" >>"${GITHUB_OUTPUT:-/dev/null}"; fi
exit "$status"
